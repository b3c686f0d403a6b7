"""The checks: each module looks at one thing and yields what it found."""
