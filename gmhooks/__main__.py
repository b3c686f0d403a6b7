"""`python -m gmhooks`: the same program as the `graymatter` command."""

from gmhooks.cli.main import main

raise SystemExit(main())
