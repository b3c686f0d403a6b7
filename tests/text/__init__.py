"""Tests of the analyzer and of what may be stored."""
