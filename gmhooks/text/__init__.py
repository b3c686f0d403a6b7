"""Hot: words. Turns text into terms, and decides what text may be stored."""
