"""What must be done before anything else is imported.

`python -m arena` puts the folder in which it is given before all others.  The agents of a class lie
there, and a random.py or json.py among them must not be taken for Python's own: not here, and not
in the processes of workers.
"""

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

if sys.argv[:1] == ["-m"] and sys.path[0] != _ROOT:  # "-m": Python still looks for the module
    del sys.path[0]
    os.environ["PYTHONSAFEPATH"] = "1"
