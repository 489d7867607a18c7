"""Tests of the course in a browser tab: in Node.js, or in a real browser."""

import sys
from pathlib import Path

# `tools` is no package that anybody installs.
sys.path.append(str(Path(__file__).parents[2]))
