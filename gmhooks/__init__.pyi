from gmhooks.hooks.admit import Refused as Refused
from gmhooks.hooks.route import RouteError as RouteError
from gmhooks.memory.api import Memory as Memory
from gmhooks.memory.errors import Ambiguous as Ambiguous
from gmhooks.memory.errors import NotFound as NotFound
from gmhooks.memory.options import RecallOptions as RecallOptions
from gmhooks.memory.options import WriteOptions as WriteOptions
from gmhooks.memory.transfer import Malformed as Malformed
from gmhooks.memory.views import Batch as Batch
from gmhooks.memory.views import FactView as FactView
from gmhooks.memory.views import Recalled as Recalled
from gmhooks.memory.views import Remembered as Remembered
from gmhooks.store.errors import StoreError as StoreError

__version__: str
