"""A batch's grid: corpora x encoders x attentions x seeds, from params/grids and choices over it."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from heed import paths
from heed.corpora.download import licensed
from heed.errors import HeedError, choose
from heed.params import (
    NAMING,
    Classifying,
    Named,
    Params,
    encoders_of,
    general_vectors,
    is_sequences,
    resolve_seeds,
)
from heed.registry import corpora, entry_of, faults, parse_yaml, read_yaml, yaml_named

KEYS = (
    *("corpora", "encoders", "attentions", "seeds", "profile", "chapters", "results", "set", "force"),
    *("general_vectors", "sets"),
)
# Chapters that train many models for each of a run: a batch of one of them alone has a smaller grid.
DEAR = {"07": "notnot", "08": "relevance", "13": "transformers"}
OF_CLASSIFIERS = "13"  # the chapter of `Classifying` runs
OWN = "own"  # their attention
YES, NO = {"1", "true", "yes"}, {"0", "false", "no"}


def read_grid(given: dict[str, Any]) -> dict[str, Any]:
    """The grid that `grid` names with the other choices over it, lists as lists.

    Without a name it is demo; of one of the `DEAR` chapters alone, on corpora that are named, that chapter's.
    A list may be written as one text, `sst,imdb` or `sst imdb`; `profile` may be one, too. `seeds_of` maps
    corpora to seeds of their own, unless seeds are chosen. `sets`: a list of mappings, each over `set` for
    runs of its own; an encoder and an attention may be among them, instead of the grid's.
    `general_vectors`: where a profile asks for vectors that aren't on this machine, spaCy's if they are. A
    corpus whose file in params/ has a fault is in `faulty` instead of `corpora`, with a sentence.
    Raises HeedError on an unknown key, grid or corpus, and if no corpus's runs can be.
    """
    given = {k: v for k, v in given.items() if v is not None}
    only = " ".join(listed(given.get("chapters", ""))).zfill(2)
    name = given.pop("grid", DEAR.get(only, "demo") if "corpora" in given else "demo")
    grid = {**read_yaml(yaml_named("grid", name, paths.PARAMS / "grids"))}
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
        grid[key] = listed(grid.get(key, []))
    grid["chapters"] = [chapter.zfill(2) for chapter in grid["chapters"]]  # 01 arrives as the number 1
    grid["seeds"] = seeds_given(grid["seeds"])
    grid["seeds_of"] = {} if "seeds" in given else {c: seeds_given(seeds) for c, seeds in of_some.items()}
    for name in filter(is_sequences, grid["corpora"]):
        raise HeedError(
            f"corpus {name} is of chapter 09, which has batches of its own: make copying, make translation."
        )
    grid["set"] = set_given(grid.get("set"))
    grid["sets"] = _sets(grid.get("sets", [{}]))
    grid.setdefault("results", "results")
    for key in ("force", "general_vectors"):
        grid[key] = choose(f"{key} (1 or 0)", str(grid.get(key, 0)).lower(), YES | NO) in YES
    grid["faulty"] = _faulty(grid)
    grid["corpora"] = [name for name in grid["corpora"] if name not in grid["faulty"]]
    return grid


def _faulty(grid: dict[str, Any]) -> dict[str, str]:
    """Corpora whose runs can't be, name to a sentence. What is wrong with all of them is the grid's fault."""
    found = {}
    for name in grid["corpora"]:
        if name not in faults():
            entry_of(name)  # a name that there isn't stops the batch
        try:
            runs_of(grid | {"corpora": [name]})
        except HeedError as error:
            found[name] = str(error)
    if found and found.keys() == {*grid["corpora"]}:
        raise HeedError(" ".join(dict.fromkeys(found.values())))
    return found


def unusable(runs: list[Params]) -> dict[str, str]:
    """Corpora of one's own whose texts can't be used by these runs: name to a sentence.

    They are read and cut into tokens, which is kept, so that a fault is met here and not in a chapter.
    Of several profiles one that leaves no texts is enough.
    """
    found = {}
    for run in {(run.corpus, run.profile): run for run in runs}.values():
        if corpora()[run.corpus].get("reader") == "own":
            from heed.corpora.loading import load  # takes seconds

            try:
                load(run)
            except HeedError as error:
                found[run.corpus] = str(error)
    return found


def told(unfit: dict[str, str]) -> str:
    """The corpora of a batch that can't be run, a line each; nothing if there are none."""
    if not unfit:
        return ""
    lines = [f"  {name}: {sentence.removeprefix(f'corpus {name}: ')}\n" for name, sentence in unfit.items()]
    return f"heed: {len(unfit)} of the batch's corpora can't be run, the others are.\n{''.join(lines)}"


def absent(runs: list[Params], left: Iterable[str] = ()) -> dict[str, str]:
    """Corpora of these runs that aren't to be had, for want of a licence or of a file: name to a sentence.

    What is had by a download is downloaded, but for the runs that are `left` out (their paths). One's own
    corpora are `unusable`'s affair.
    Raises HeedError if no other corpus is left.
    """
    found, entries, left = {}, corpora(), {*left}
    for name, run in {run.corpus: run for run in runs if run.path not in left}.items():
        try:
            if "licensed" in entries[name]:
                licensed(name, entries[name]["licensed"])
            elif entries[name].get("reader", "own") != "own":
                from heed.corpora.loading import read, source  # takes seconds

                read(name, run) if "instead" in entries[name] else source(name, entries[name])
        except HeedError as error:
            found[name] = str(error)
    if found and len(found) == len({run.corpus for run in runs}):
        raise HeedError(" ".join(found.values()))
    return found


def unfinished(results: Path, runs: dict[str, dict[str, list[str]]]) -> tuple[list[str], list[str]]:
    """Of these runs the chapters that failed, and those that nothing kept from being run.

    runs: their paths, to each chapter with those that it comes after. Where the second list isn't empty, the
    batch was ended.
    """
    failed, waiting = [], []
    for run, chapters in runs.items():
        folder = results / run
        made = {name for name in chapters if (folder / f"{name}.ipynb").exists()}
        for name, after in chapters.items():
            if name in made:
                continue
            if (folder / f"{name}.failed.ipynb").exists():
                failed.append(f"{run}/{name}")
            elif made.issuperset(after):
                waiting.append(f"{run}/{name}")
    return failed, waiting


def runs_of(grid: dict[str, Any]) -> list[Params]:
    """The runs of a grid, in order, each once."""
    return [run for run, _ in chosen(grid).values()]


def chosen(grid: dict[str, Any]) -> dict[str, tuple[Params, dict[str, Any]]]:
    """The runs of a grid by their paths, in order, each once, with what it is given beside its names."""
    found = {}
    choices = product(*(grid[key] for key in ("profile", "corpora", "encoders", "attentions", "sets")))
    for profile, corpus, encoder, attention, own in choices:
        given = general_vectors(corpus, profile) if grid["general_vectors"] else {}
        given |= {"corpus": corpus, "encoder": encoder, "attention": attention, "profile": profile}
        given |= grid["set"] | own
        if given["encoder"] in encoders_of(Classifying):
            given["attention"] = OWN
        elif given["attention"] == OWN and {*grid["encoders"]} & {*encoders_of(Classifying)}:
            continue  # it is the other encoders'
        seeds = grid["seeds_of"].get(corpus, grid["seeds"])
        for run in resolve_seeds(given, seeds):
            found.setdefault(run.path, (run, {k: v for k, v in given.items() if k not in NAMING}))
    return found


def chapters_of(run: Named, chapters: Iterable[str]) -> list[str]:
    """Of these chapters those that a run goes through: a whole transformer has one of its own."""
    return [name for name in chapters if name.startswith(OF_CLASSIFIERS) == isinstance(run, Classifying)]


def _sets(value: Any) -> list[dict[str, Any]]:
    """`sets` of a grid. Raises HeedError if it isn't a list of mappings, or names what is no choice there."""
    found = parse_yaml("sets", value) if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not found:
        raise HeedError(f"sets = {value!r} must be a list of mappings, such as [{{}}, {{epochs: 2}}].")
    sets = []
    for one in found:
        own = mapping_given(one)
        names = {k: own.pop(k) for k in ("encoder", "attention") if k in own}
        sets.append(names | set_given(own))
    return sets


def mapping_given(value: Any) -> dict[str, Any]:
    """`set`: a mapping of parameters, or its YAML text; a copy. Raises HeedError if it is none."""
    found = (parse_yaml("set", value) if isinstance(value, str) else value) or {}
    if not isinstance(found, dict):
        raise HeedError(f"set = {found!r} must be a mapping of parameters, such as {{epochs: 2}}.")
    return {**found}


def set_given(value: Any) -> dict[str, Any]:
    """The same for all runs of a grid, whose names and seeds are choices of their own."""
    found = mapping_given(value)
    for name in found.keys() & {*NAMING, "seeds", "control_seeds"}:
        raise HeedError(f"set: {name} is a choice of its own. Give it beside `set`, not in it.")
    return found


def seeds_given(value: Any) -> list[int]:
    """Seeds as numbers, of a list or of one text. Raises HeedError if one is no whole number."""
    try:
        return [int(seed) for seed in listed("" if value is None else value)]
    except ValueError as error:
        raise HeedError(f"seeds = {value}: every seed must be a whole number.") from error


def listed(value: Any) -> list[str]:
    """A list of texts, of a list or of one text such as `sst,imdb` or `sst imdb`."""
    if isinstance(value, list | tuple | range):
        return [str(item) for item in value]
    return str(value).replace(",", " ").split()
