"""What the installed hooks cost, asserted by counts and never by a clock."""
