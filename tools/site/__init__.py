"""The course as static files: it runs in a browser tab, with nothing to install."""
