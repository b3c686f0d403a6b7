"""Hot: the file that a hook's interpreter runs. It is compiled anew at every start, so it holds the least.

A pack counts only if it was made by this interpreter for this very file and both of its halves are the same.
"""

import posix
import sys

VERSION = "0.1.0"

try:
    while posix.open("/dev/null", 2) < 3:
        pass
    if posix.environ.get(b"GRAYMATTER_DISABLE") != b"1":
        hooks = __file__[:-8]
        sys.path.append(hooks[:-14])
        try:
            from _frozen_importlib_external import MAGIC_NUMBER

            seen = posix.stat(__file__)
            head = b"%b%a %d %d;" % (MAGIC_NUMBER, VERSION, seen.st_mtime_ns, seen.st_size)
            pack = posix.open(f"{hooks}/__pycache__/hot.{sys.implementation.cache_tag}.pack", 0)
            data = posix.read(pack, 1 << 20)
            half = len(data) // 2
            if data.startswith(head) and data[:half] == data[half:]:
                from marshal import loads

                table = loads(data[len(head) : half])
                exec(table[0], {"table": table, "hooks": hooks})
        except Exception:  # noqa: BLE001 - a pack in doubt is no pack
            for name in [name for name in sys.modules if name.startswith("gmhooks")]:
                del sys.modules[name]
        from gmhooks.hooks.main import start

        start(sys.argv)
except BaseException:  # noqa: BLE001, S110 - the last edge: a hook never speaks about its own failure
    pass
posix._exit(0)
