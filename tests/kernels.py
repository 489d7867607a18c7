"""A kernel of Jupyter's, as a notebook has one, and cells that are run in it."""

from contextlib import contextmanager

from jupyter_client.manager import start_new_kernel


@contextmanager
def new_kernel():
    """Yield the client of a kernel that ends with this block."""
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, code):
    """Return all that a cell shows, as text."""
    shown = []

    def keep(message):
        content = message["content"]
        shown.append(content.get("text", "") + "\n".join(content.get("traceback", ())))
        shown.append(content.get("data", {}).get("text/plain", ""))

    client.execute_interactive(code, output_hook=keep, allow_stdin=False, timeout=120)
    return "".join(shown)
