"""Build the course as a static web site, which runs in a browser tab without an installation."""
