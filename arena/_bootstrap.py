"""The set-up of the import path, which must come before all other imports.

`python -m arena` puts the current folder first in the path.  This folder has the agents of a class,
and a random.py or json.py among them must not replace Python's own module, neither here nor in
worker processes.
"""

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

if sys.argv[:1] == ["-m"] and sys.path[0] != _ROOT:  # "-m": Python still looks for the module
    del sys.path[0]
    os.environ["PYTHONSAFEPATH"] = "1"
