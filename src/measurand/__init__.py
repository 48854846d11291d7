"""Measurand measures AI agents."""
from measurand._version import __version__ as __version__
