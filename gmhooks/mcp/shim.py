"""The file that the server's interpreter runs, with `-I -S`: it finds the package beside itself and nothing else."""

import posix
import sys

while posix.open("/dev/null", 2) < 3:
    pass
sys.path.append(__file__[: -len("/gmhooks/mcp/shim.py")])

from gmhooks.mcp.entry import main  # noqa: E402

posix._exit(main(sys.argv))
