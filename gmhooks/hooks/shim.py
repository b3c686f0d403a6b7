"""Hot: the file that a hook's interpreter runs. It is compiled anew at every start, so it holds the least."""

import posix
import sys

VERSION = "0.1.0"

try:
    while posix.open("/dev/null", 2) < 3:
        pass
    if posix.environ.get(b"GRAYMATTER_DISABLE") != b"1":
        hooks = __file__.rpartition("/")[0]
        sys.path.append(hooks[:-14])
        try:
            from _frozen_importlib_external import MAGIC_NUMBER
            from _imp import source_hash
            from marshal import loads

            seen = posix.stat(__file__)
            pack = posix.open(f"{hooks}/__pycache__/hot.{sys.implementation.cache_tag}.pack", 0)
            data = posix.read(pack, 1 << 24)
            head = MAGIC_NUMBER + VERSION.encode()
            if data[:8] != source_hash(seen.st_mtime_ns ^ seen.st_size, data[8:]) or data[8 : 8 + len(head)] != head:
                raise ImportError
            table = loads(data[8 + len(head) :])
            exec(table[0], {"table": table, "hooks": hooks})
        except Exception:  # noqa: BLE001 - a pack in doubt is no pack
            for name in [name for name in sys.modules if name.startswith("gmhooks")]:
                del sys.modules[name]
        from gmhooks.hooks.main import start

        start(sys.argv)
except BaseException:  # noqa: BLE001, S110 - the last edge: a hook never speaks about its own failure
    pass
posix._exit(0)
