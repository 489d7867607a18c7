import signal

import pytest
from hypothesis import settings

# A slow machine is no fault of the code: no test may fail on time alone.
settings.register_profile("untimed", deadline=None, print_blob=True)
settings.load_profile("untimed")


@pytest.fixture
def hears_interrupts():
    """Let this process and those it starts hear Ctrl-C, which a job in the background does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
