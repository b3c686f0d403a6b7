"""Hot: ranking. From query terms to an ordered list of facts with reasons."""
