"""Cases from other tools and their users, each test naming the case it tells."""
