"""Words as a reader may be shown them: text is hostile wherever it is shown."""

import unicodedata


def visible(word: str) -> str:
    """The word with every control, format or private character shown by its code, such as <200b>."""
    hidden = ("C", "Zl", "Zp")
    return "".join(f"<{ord(c):04x}>" if unicodedata.category(c).startswith(hidden) else c for c in word)
