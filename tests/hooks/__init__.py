"""Tests of the hook runners and their parts."""
