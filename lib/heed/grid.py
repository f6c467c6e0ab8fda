"""A batch's grid: corpora x encoders x attentions x seeds, from params/grids and choices over it."""

from itertools import product
from typing import Any

from heed import paths
from heed.download import licensed
from heed.errors import HeedError, choose
from heed.params import Params, carried, corpora, parse_yaml, read_yaml, resolve

KEYS = ("corpora", "encoders", "attentions", "seeds", "profile", "chapters", "results", "set", "force")
YES, NO = {"1", "true", "yes"}, {"0", "false", "no"}


def read_grid(given: dict[str, Any]) -> dict[str, Any]:
    """The grid that `grid` names (default demo) with the other choices over it, lists as lists.

    A list may be written as one text, `sst,imdb` or `sst imdb`. Raises HeedError on an unknown key or
    grid, and on any run of the grid that can't be.
    """
    given = {k: v for k, v in given.items() if v is not None}
    name = given.pop("grid", "demo")
    folder = paths.PARAMS / "grids"
    choose("grid", name, [path.stem for path in folder.glob("*.yaml")])
    grid = read_yaml(folder / f"{name}.yaml") | given
    for key in grid:
        choose("key of a grid", key, KEYS)
    missing = [key for key in KEYS[:5] if key not in grid]
    if missing:
        raise HeedError(f"grid {name}: {missing[0]} is missing; give it in params/grids/{name}.yaml.")
    for key in ("corpora", "encoders", "attentions", "seeds", "chapters"):
        grid[key] = _listed(grid.get(key, []))
    grid["chapters"] = [chapter.zfill(2) for chapter in grid["chapters"]]  # 01 arrives as the number 1
    try:
        grid["seeds"] = [int(seed) for seed in grid["seeds"]]
    except ValueError as error:
        raise HeedError(f"seeds = {grid['seeds']}: every seed must be a whole number.") from error
    grid["set"] = (
        parse_yaml("set", grid["set"]) if isinstance(grid.get("set"), str) else grid.get("set") or {}
    )
    if not isinstance(grid["set"], dict):
        raise HeedError(f"set = {grid['set']!r} must be a mapping of parameters, such as {{epochs: 2}}.")
    grid.setdefault("results", "results")
    grid["force"] = choose("force (1 or 0)", str(grid.get("force", 0)).lower(), YES | NO) in YES
    runs_of(grid)
    return grid


def absent(runs: list[Params]) -> dict[str, str]:
    """Corpora of these runs that aren't to be had, for want of a licence or of a file: name to a sentence.

    Raises HeedError if no other corpus is left.
    """
    found, entries = {}, corpora()
    for name, run in {run.corpus: run for run in runs}.items():
        try:
            if "licensed" in entries[name]:
                licensed(name, entries[name]["licensed"])
            if "instead" in entries[name]:
                from heed.corpora import read  # takes seconds

                read(name, run)
        except HeedError as error:
            found[name] = str(error)
    if found and len(found) == len({run.corpus for run in runs}):
        raise HeedError(" ".join(found.values()))
    return found


def left_out(runs: list[Params], chapters: list[str]) -> tuple[list[str], str]:
    """Paths of the runs whose rows the project carries for all these chapters, and a word on them."""
    if not any(carried(run.corpus) for run in runs):
        return [], ""
    from heed import verdict  # takes seconds

    found = verdict.known(runs, chapters)
    names = "".join(f"  {path}\n" for path in found)
    old = f" ({sum(found.values())} by another version of the library)" if any(found.values()) else ""
    return list(found), found and (
        f"heed: {len(found)} of {len(runs)} runs are left out, as data/results/summary.csv holds their "
        f"numbers{old}; FORCE=1 runs them all the same.\n{names}"
    )


def runs_of(grid: dict[str, Any]) -> list[Params]:
    """The runs of a grid, in order."""
    choices = product(grid["corpora"], grid["encoders"], grid["attentions"], grid["seeds"])
    return [
        resolve(
            {"corpus": c, "encoder": e, "attention": a, "seed": s, "profile": grid["profile"]} | grid["set"]
        )
        for c, e, a, s in choices
    ]


def _listed(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return str(value).replace(",", " ").split()
