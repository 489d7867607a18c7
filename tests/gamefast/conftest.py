import pytest

pytest.importorskip("numba", reason="Numba is not installed: the extra `fast`")
