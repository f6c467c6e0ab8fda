"""The version of heed; pyproject.toml takes it from here."""

VERSION = "0.1.0"
