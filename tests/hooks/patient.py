"""Run as a script: `patient.py WATCHDOG_S ALARM_S [option …]`. The hook, as `shim.py` runs it, with other bounds.

On a machine that is busy enough every program is late, and what a hook says is another question than when.
"""

import posix
import sys

sys.path.append(__file__[: -len("tests/hooks/patient.py")])

from gmhooks.hooks import main

main.LIMITS = main.END_LIMITS = (float(sys.argv[1]), float(sys.argv[2]))
main.start(sys.argv[2:])
posix._exit(0)
