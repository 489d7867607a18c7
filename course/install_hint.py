"""What to install where a package is missing that widgets or charts need."""


def with_install_hint(error: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error of an import, with a sentence that names the extra to install."""
    return ModuleNotFoundError(
        f"boards, labs and charts need {error.name}, which is not installed; install the extra "
        f'`widgets`: python -m pip install "adversarial-search-course[widgets]" '
        f"(`make setup` in a checkout)",
        name=error.name,
    )
