"""Tests of managed blocks."""
