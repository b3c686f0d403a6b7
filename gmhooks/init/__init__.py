"""Preparing projects and editing other programs' settings files, byte for byte."""
