"""The house's floor plan: every import runs downwards, and none in a circle."""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from heed import paths

LIBRARY = paths.ROOT / "lib" / "heed"
# From the ground up: what stands in one line may import what stands in its own or an earlier one.
FLOORS = [
    {"version", "errors", "arrays", "progress", "paths", "registry", "params"},
    {"corpora"},
    {"models"},
    {"evidence", "own_models"},
    {"measures"},
    {"runs"},
    {"experiments"},
    {"verdict"},
    {"show"},
    {"__main__"},
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}


def name_of(path: Path) -> str:
    """A module's name within heed, such as `measures.exact`; a package is called as its folder."""
    parts = path.relative_to(LIBRARY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(LIBRARY.rglob("*.py"))}


@cache
def imported(source: str) -> set[str]:
    """The modules of heed that a source imports anywhere, in functions too; heed itself is the empty name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name == "heed" or name.startswith("heed."):
                found.add(_module(name.removeprefix("heed").removeprefix(".")))
    return found


def _module(name: str) -> str:
    """The longest beginning of a dotted name that is a module."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def test_every_room_has_its_floor():
    rooms = {name.split(".")[0] for name in MODULES} - {""}
    assert rooms == FLOOR.keys()


@pytest.mark.parametrize("module", [name for name in MODULES if name])
def test_imports_run_downwards(module):
    own = FLOOR[module.split(".")[0]]
    upward = []
    for other in sorted(imported(MODULES[module].read_text(encoding="utf-8"))):
        if other == "" or FLOOR[other.split(".")[0]] > own:
            upward.append(other or "heed")
    assert not upward, f"heed.{module} imports upwards: {', '.join(upward)}"


def test_no_import_runs_in_a_circle():
    graph = {name: imported(path.read_text(encoding="utf-8")) - {name} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("imports in a circle: " + " -> ".join(f"heed.{name}" for name in error.args[1]))


def test_what_runs_up_is_seen():
    """The test itself: an import within a function, and one of a name in a module, are found."""
    assert imported("def f():\n    from heed.show.style import theme\n") == {"show.style"}
    assert imported("from heed.verdict import claims, plain\nimport heed.runs.run") == {
        "verdict.claims",
        "verdict",
        "runs.run",
    }
    assert imported("from heed import paths, Run") == {"paths", ""}
