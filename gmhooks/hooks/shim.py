"""Hot: the file that a hook's interpreter runs. Install compiles it, with `HOOKS` as a constant, into the user's folder.

The interpreter compiles a main script anew at every start, for a twentieth of its own start-up; a .pyc it only reads.
"""

import marshal
import posix
import sys
from _imp import source_hash

HOOKS = __file__[:-7]

try:
    sys.path.append(HOOKS[:-15])
    try:
        pack = posix.open(f"{HOOKS}__pycache__/hot.{sys.implementation.cache_tag}.pack", 0)
        head = posix.read(pack, 8192)
        if head[:8] == source_hash(0, head[8:]):
            table = marshal.loads(head[8:])
            exec(table[0], {"table": table, "pack": pack, "shim": f"{HOOKS}shim.py"})
    except Exception:  # noqa: BLE001, S110 - a pack in doubt is no pack: the modules come from their own files
        pass
    from gmhooks.hooks.main import start

    start(sys.argv)
except BaseException:  # noqa: BLE001, S110 - the last edge: a hook never speaks about its own failure
    pass
posix._exit(0)
