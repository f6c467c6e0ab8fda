"""`import heed`: the names that people need, each explained, and nothing heavy before it is used."""

import subprocess
import sys

import heed

HEAVY = "torch", "numpy", "pandas", "matplotlib", "spacy", "scipy", "anywidget"


def test_importing_heed_imports_nothing_heavy():
    ask = f"import sys, heed; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there_and_explained():
    """A line of the package's docstring for each, and no more of them than a reader keeps in mind."""
    assert 10 <= len(heed.__all__) <= 20
    told = heed.__doc__.split("\n\n")[2]
    for name in heed.__all__:
        assert getattr(heed, name).__doc__, name
        assert name in told, name


def test_a_name_that_is_not_there():
    """As of any module, for tools that ask."""
    assert not hasattr(heed, "audit_of_nothing")
    assert {"Run", "Evidence", "TokenStrip"} <= {*dir(heed)}
