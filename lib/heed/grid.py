"""A batch's grid: corpora x encoders x attentions x seeds, from params/grids and choices over it."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from heed import paths
from heed.download import licensed
from heed.errors import HeedError, choose
from heed.params import (
    NAMING,
    Copying,
    Params,
    Translating,
    carried,
    corpora,
    is_sequences,
    parse_yaml,
    read_yaml,
    resolve,
)

KEYS = ("corpora", "encoders", "attentions", "seeds", "profile", "chapters", "results", "set", "force")
# Chapters that train many models for each of a run: a batch of one of them alone has a smaller grid.
DEAR = {"07": "notnot", "08": "relevance"}
YES, NO = {"1", "true", "yes"}, {"0", "false", "no"}


def read_grid(given: dict[str, Any]) -> dict[str, Any]:
    """The grid that `grid` names with the other choices over it, lists as lists.

    Without a name it is demo; of one of the `DEAR` chapters alone, on corpora that are named, that chapter's.
    A list may be written as one text, `sst,imdb` or `sst imdb`; `profile` may be one, too. `seeds_of` maps
    corpora to seeds of their own, unless seeds are chosen.
    Raises HeedError on an unknown key or grid, and on any run of the grid that can't be.
    """
    given = {k: v for k, v in given.items() if v is not None}
    only = " ".join(_listed(given.get("chapters", ""))).zfill(2)
    name = given.pop("grid", DEAR.get(only, "demo") if "corpora" in given else "demo")
    folder = paths.PARAMS / "grids"
    choose("grid", name, [path.stem for path in folder.glob("*.yaml")])
    grid = {**read_yaml(folder / f"{name}.yaml")}
    of_some = grid.pop("seeds_of", {})
    if not isinstance(of_some, dict):
        raise HeedError(f"grid {name}: seeds_of must map corpora to seeds, such as {{imdb: [0]}}.")
    grid |= given
    for key in grid:
        choose("key of a grid", key, KEYS)
    missing = [key for key in KEYS[:5] if key not in grid]
    if missing:
        raise HeedError(f"grid {name}: {missing[0]} is missing; give it in params/grids/{name}.yaml.")
    for key in ("corpora", "encoders", "attentions", "seeds", "profile", "chapters"):
        grid[key] = _listed(grid.get(key, []))
    grid["chapters"] = [chapter.zfill(2) for chapter in grid["chapters"]]  # 01 arrives as the number 1
    grid["seeds"] = _seeds(grid["seeds"])
    grid["seeds_of"] = {} if "seeds" in given else {c: _seeds(seeds) for c, seeds in of_some.items()}
    for name in filter(is_sequences, grid["corpora"]):
        raise HeedError(
            f"corpus {name} is of chapter 09, which has batches of its own: make copying, make translation."
        )
    grid["set"] = _set(grid.get("set"))
    grid.setdefault("results", "results")
    grid["force"] = choose("force (1 or 0)", str(grid.get("force", 0)).lower(), YES | NO) in YES
    runs_of(grid)
    return grid


def absent(runs: list[Params], left: Iterable[str] = ()) -> dict[str, str]:
    """Corpora of these runs that aren't to be had, for want of a licence or of a file: name to a sentence.

    What is had by a download is downloaded, but for the runs that are `left` out (their paths).
    Raises HeedError if no other corpus is left.
    """
    found, entries, left = {}, corpora(), {*left}
    for name, run in {run.corpus: run for run in runs if run.path not in left}.items():
        try:
            if "licensed" in entries[name]:
                licensed(name, entries[name]["licensed"])
            elif entries[name].get("reader", "own") != "own":
                from heed.corpora import read, source  # takes seconds

                read(name, run) if "instead" in entries[name] else source(name, entries[name])
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
    if not found:
        return [], ""
    names = "".join(f"  {path}\n" for path in found)
    old = f" ({sum(found.values())} by another version of the library)" if any(found.values()) else ""
    return list(found), (
        f"heed: {len(found)} of {len(runs)} runs are left out, as data/results/summary.csv holds their "
        f"numbers{old}; FORCE=1 runs them all the same.\n{names}"
    )


def runs_of(grid: dict[str, Any]) -> list[Params]:
    """The runs of a grid, in order."""
    choices = product(*(grid[key] for key in ("profile", "corpora", "encoders", "attentions")))
    return [
        resolve({"corpus": c, "encoder": e, "attention": a, "seed": s, "profile": p} | grid["set"])
        for p, c, e, a in choices
        for s in grid["seeds_of"].get(c, grid["seeds"])
    ]


# Chapter 09: what is copied, by what, and the controls.
TASKS = {"copy-permutations": "permutations", "copy-chosen": "some of more symbols", "copy-iid": "i.i.d."}
MAIN = ("lstm", "bilinear")
CONTROLS = {
    ("copy-permutations", "bilstm", "bilinear"): "permutations, encoder of two directions",
    ("copy-permutations", "lstm", "uniform"): "permutations, uniform attention",
    ("copy-iid", "lstm", "uniform"): "i.i.d., uniform attention",
    ("copy-permutations", "lstm", "none"): "permutations, no context",
}


def read_copying(given: dict[str, Any]) -> dict[str, Any]:
    """The choices of `make copying`: seeds (20), control_seeds (the first 5 of them), profile, results, set.

    Raises HeedError on an unknown key, and on any run that can't be.
    """
    for key in given:
        choose("choice of copying", key, ("seeds", "control_seeds", "profile", "results", "set"))
    from heed.sequence import check  # takes seconds

    wanted = {"seeds": range(20), "profile": "paper", "results": "results", "set": {}} | given
    if not (seeds := _seeds(wanted["seeds"])):
        raise HeedError("seeds: none is given. Give one or more, such as 0,1,2.")
    wanted |= {"seeds": seeds, "control_seeds": _seeds(given.get("control_seeds", seeds[:5]))}
    wanted["set"] = _set(wanted["set"])
    for run in copying_runs(seeds, wanted["control_seeds"], profile=wanted["profile"], **wanted["set"]):
        check(run)
    return wanted


def copying_runs(seeds: Iterable[int], control_seeds: Iterable[int], **given) -> list[Copying]:
    """All runs of chapter 09, seed by seed: the three tasks, and of the control seeds the controls."""
    seeds, control_seeds = list(dict.fromkeys(seeds)), list(dict.fromkeys(control_seeds))
    wanted = []
    for seed in dict.fromkeys([*seeds, *control_seeds]):
        wanted += [(corpus, *MAIN, seed) for corpus in TASKS if seed in seeds]
        wanted += [(*control, seed) for control in CONTROLS if seed in control_seeds]
    names = ("corpus", "encoder", "attention", "seed")
    return [resolve(dict(zip(names, one, strict=True)) | given) for one in wanted]


def read_translation(given: dict[str, Any]) -> tuple[dict[str, Any], list[Translating]]:
    """The choices of `make translation` and its runs: a seed, the next one, and uniform training.

    Choices: seed, corpus, profile, results, set. Raises HeedError on an unknown one, or a run that can't be.
    """
    for key in given:
        choose("choice of translation", key, ("seed", "corpus", "profile", "results", "set"))
    wanted = {"seed": 0, "corpus": "multi30k", "profile": "paper", "results": "results", "set": {}} | given
    seeds, of = _seeds(wanted["seed"]), _set(wanted["set"])
    if len(seeds) != 1:
        raise HeedError(f"seed = {wanted['seed']}: expected one; the other runs take the next two.")
    names = {"corpus": wanted["corpus"], "profile": wanted["profile"]} | of
    if not isinstance(resolve({"corpus": wanted["corpus"]}), Translating):
        raise HeedError(f"corpus {wanted['corpus']} isn't pairs of sentences. Give multi30k or made-de-en.")
    others = [{"seed": seeds[0] + k} for k in range(3)]
    others[2]["attention"] = "uniform"
    return wanted, [resolve(names | other) for other in others]


def _set(value: Any) -> dict[str, Any]:
    found = (parse_yaml("set", value) if isinstance(value, str) else value) or {}
    if not isinstance(found, dict):
        raise HeedError(f"set = {found!r} must be a mapping of parameters, such as {{epochs: 2}}.")
    for name in found.keys() & {*NAMING, "seeds", "control_seeds"}:
        raise HeedError(f"set: {name} is a choice of its own. Give it beside `set`, not in it.")
    return found


def _seeds(value: Any) -> list[int]:
    try:
        return [int(seed) for seed in _listed("" if value is None else value)]
    except ValueError as error:
        raise HeedError(f"seeds = {value}: every seed must be a whole number.") from error


def _listed(value: Any) -> list[str]:
    if isinstance(value, list | tuple | range):
        return [str(item) for item in value]
    return str(value).replace(",", " ").split()
