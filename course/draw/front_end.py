"""The front end that the running cell was sent from."""

from __future__ import annotations

from typing import Any


def current_message() -> dict[str, Any]:
    """Return the Jupyter message that is being handled; {} outside a notebook."""
    from IPython import get_ipython

    shell = get_ipython()
    return shell.get_parent() if hasattr(shell, "get_parent") else {}


def front_end_shows_pages(message: dict[str, Any]) -> bool:
    """Return whether a message comes from the page of a notebook, which names the cell.

    Programs that run notebooks, such as nbclient, nbval and Voila, do not.
    """
    return bool(message.get("metadata", {}).get("cellId"))
