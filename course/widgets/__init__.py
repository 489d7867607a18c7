"""Widgets for Jupyter: views that contain no rules and no searches, and can be used from code."""

from typing import Any

from course.exercises.feedback import Feedback, display_hooks
from course.install_hint import with_install_hint

try:
    import ipywidgets as ipywidgets
except ModuleNotFoundError as error:
    raise with_install_hint(error) from error


def _show_me(feedback: Feedback) -> dict[str, Any]:
    """Return the display of the button "Show me where"; the stepper is imported only for that."""
    from course.widgets.show_where import FeedbackWithStepper

    data: dict[str, Any] = FeedbackWithStepper(feedback)._repr_mimebundle_() or {}
    return {kind: shown for kind, shown in data.items() if kind != "text/plain"}


display_hooks.append(_show_me)
