"""The corpora by name, data/registry.yaml's and the reader's own, and how every YAML file here is read."""

import importlib.util
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from heed import paths
from heed.errors import HeedError, choose, nearest, why

YAML_CHARACTERS = 1_000_000
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")  # of a corpus of one's own


class _Plain(yaml.SafeLoader):
    """YAML without tags of Python's, without aliases, nine of which can stand for a billion values, and
    without a key that stands twice, whose first value would be lost."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) aren't taken, write the value out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
        content = super().construct_mapping(node, deep)  # merges `<<`, whose keys may stand there again
        seen = set()
        for key in keys:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            value = self.construct_object(key, deep)
            if value in seen:
                raise yaml.YAMLError(f"line {key.start_mark.line + 1} gives the key {value!r} again")
            seen.add(value)
        return content


def parse_yaml(where: Any, text: str) -> Any:
    """What a YAML text holds. Raises HeedError that says where it came from."""
    try:
        return _parsed(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: no such date, say
        raise HeedError(f"{where} can't be read as YAML: {why(error)}. Correct or restore it.") from error


@cache
def _parsed(text: str) -> Any:
    """What a YAML text holds, parsed once: to be read, and copied by whoever changes it."""
    return _Plain(text).get_single_data()


@cache
def read_yaml(path) -> dict[str, Any]:
    """A YAML file's mapping. Raises HeedError if it holds anything else."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(YAML_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError) and not paths.is_clone():
            raise paths.needs_clone(str(path)) from error
        raise HeedError(f"{path} can't be read as YAML: {error}. Correct or restore it.") from error
    if len(text) > YAML_CHARACTERS:
        raise HeedError(f"{path} can't be read as YAML: over {YAML_CHARACTERS} characters. Shorten it.")
    content = parse_yaml(path, text)
    content = {} if content is None else content
    if not isinstance(content, dict):
        raise HeedError(f"{path} must hold a mapping `name: value`, not a {type(content).__name__}.")
    return content


def yaml_files(folder: Path) -> dict[str, Path]:
    """The files NAME.yaml of a folder by their names; an editor's lock is none."""
    return {name.removesuffix(".yaml"): folder / name for name in _names(folder) if name.endswith(".yaml")}


def _names(folder: Path) -> list[str]:
    """What lies in a folder, in order, but for what is hidden; nothing if there is none."""
    try:  # not by glob: a batch asks for each of its runs
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def yaml_named(kind: str, name: str, folder: Path) -> Path:
    """The file NAME.yaml of a folder. Raises HeedError if there is none, with the nearest name."""
    misnamed = _misnamed(folder)
    if isinstance(name, str) and name in misnamed:
        raise misnamed[name]
    return folder / f"{choose(kind, name, yaml_files(folder))}.yaml"


def _misnamed(folder: Path) -> dict[str, HeedError]:
    """What to do about NAME.yml and NAME.YAML, which aren't read."""
    found = {}
    for name in _names(folder):
        if name.lower().endswith((".yml", ".yaml")) and not name.endswith(".yaml"):
            path = folder / name
            right = f"{path.stem}.yaml"
            todo = f"Move what it says into {right}" if path.with_name(right).exists() else f"Call it {right}"
            found[path.stem] = HeedError(f"{path} isn't read: its name must end in .yaml. {todo}.")
    return found


# Corpora


def corpora() -> dict[str, dict]:
    """The corpora of data/registry.yaml, and the reader's own (`own` in params/NAME.yaml) that are sound."""
    return _survey()[0]


def made_corpora() -> list[str]:
    """Those that heed makes, by rules: in most of them it is known which words decide."""
    return [name for name, entry in corpora().items() if "made" in entry]


def faults() -> dict[str, HeedError]:
    """What is wrong with files of params/, by the name of the corpus, which alone it stops."""
    return _survey()[1]


def entry_of(name: str) -> dict[str, Any]:
    """A corpus's entry. Raises HeedError if there is none of that name, or what is wrong with its file."""
    sound, faulty = _survey()
    choose("corpus", name, {**sound, **faulty})
    if name in faulty:
        raise faulty[name]
    return sound[name]


def _survey() -> tuple[dict[str, dict], dict[str, HeedError]]:
    """The sound corpora, and what is wrong with others."""
    registered = read_yaml(paths.DATA / "registry.yaml")["corpora"]
    sound, faulty = dict(registered), _misnamed(paths.PARAMS)
    for name, home in yaml_files(paths.PARAMS).items():
        try:
            said = read_yaml(home)
            if "own" in said:
                _check_name(home, registered)
                sound[name] = own_entry(home, said["own"])
            elif name not in registered:
                raise HeedError(
                    f"{home} has no key `own`, and data/registry.yaml has no corpus of its name."
                    f"{nearest(name, registered)} Say under `own` where its texts are, or rename the file."
                )
        except HeedError as error:
            faulty[name] = error
    return sound, faulty


def _check_name(home: Path, registered: dict[str, dict]) -> None:
    """Raise HeedError if a corpus of one's own can't be called so."""
    if home.stem in registered or not NAME.fullmatch(home.stem):
        raise HeedError(
            f"{home}: rename it to a letter and then letters, digits, - and _ that no other corpus has."
        )


# Word vectors


def vectors() -> dict[str, dict]:
    """The pretrained word vectors of data/registry.yaml, by name."""
    return read_yaml(paths.DATA / "registry.yaml").get("vectors", {})


def at_hand(name: str) -> bool:
    """Whether vectors of the registry are on this machine: a package, in the mirror, or downloaded before."""
    entry = vectors()[name]
    if "package" in entry and importlib.util.find_spec(entry["package"]):
        return True
    mirror, held = paths.mirror(), entry.get("mirror")
    if mirror is not None:
        return held is not None and (mirror / held).is_file()
    return "url" in entry and paths.download(name, entry["url"]).is_file()


def reader_version(name: str) -> int:
    """Which version of a corpus's reader this is: of another one, a run's numbers are of other texts."""
    return corpora()[name].get("reader_version", 1)


def carried(name: str) -> bool:
    """Whether the project carries results of this corpus: of real ones, and of made ones marked `carried`."""
    entry = corpora()[name]
    return entry.get("carried", entry.get("reader", "own") != "own")


# Corpora of one's own

TASKS = ("classification", "nli", "qa")
OWN_USUAL = {"title": "A corpus of one's own", "terms": "not stated", "cite": "Not published"}
OWN_KEYS = ("file", "classes", "task", *OWN_USUAL)
PACKED = (".csv", ".tsv", ".jsonl")
READ = (*PACKED, ".parquet", *(f"{ending}.gz" for ending in PACKED))  # how a file's name may end
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")


def own_entry(home: Path, said: Any) -> dict[str, Any]:
    """What params/NAME.yaml says under `own`, as an entry of the registry. Raises HeedError."""
    said = said if isinstance(said, dict) else {}
    for key in said:
        if key not in OWN_KEYS:
            raise HeedError(
                f"{home}: unknown key of own {key!r}.{nearest(key, OWN_KEYS)} Its keys are "
                f"{', '.join(OWN_KEYS)}. Parameters (tokenizer, digits, vectors and all others) stand beside "
                "`own`, not in it."
            )
    given = {key: value for key, value in said.items() if value is not None}
    entry = {"reader": "own", "home": home, "file": _own_file(home, given.get("file"))}
    for key, usual in OWN_USUAL.items():
        entry[key] = given.get(key, usual)
        if not isinstance(entry[key], str):
            raise HeedError(f"{home}: {key} of own must be a text: put {entry[key]!r} in quotes.")
    if "task" in given:
        entry["task"] = choose(f"task of own in {home}:", given["task"], TASKS)
    if "classes" in given or entry.get("task") != "qa":
        entry["classes"] = _own_classes(home, given.get("classes"))
    else:
        entry["answers"] = "words"
    return entry


def _own_file(home: Path, file: Any) -> Path:
    """Where the texts lie, from the YAML's folder. Raises HeedError if a file of that name isn't read."""
    if not isinstance(file, str):
        raise HeedError(f"{home}: own needs `file`, the path of a file ending in {', '.join(READ)}.")
    fault = unread(file)
    if fault:
        raise HeedError(f"{home}: own needs `file`, but {fault}")
    try:
        return home.parent / Path(file).expanduser()
    except RuntimeError as error:  # ~somebody
        raise HeedError(f"{home}: `file` of own, {file!r}: {why(error)} Write the folder out.") from error


def unread(file: str) -> str:
    """Why no table of texts is read from a file of that name, and what to do; nothing if one is."""
    name = file.lower()
    if name.endswith(READ):
        return ""
    if name.endswith(SPREADSHEETS):
        return f"{file!r} is a spreadsheet. Save it as CSV UTF-8 and give that file."
    if name.endswith((".json", ".json.gz")):
        return f"{file!r} isn't read. Write one JSON object a line into a file that ends in .jsonl."
    return f"{file!r} isn't read. Give a file that ends in {', '.join(READ)}."


def _own_classes(home: Path, classes: Any) -> list[str]:
    """The classes' names, without spaces around them. Raises HeedError if they can't be told apart."""
    wanted = f"{home}: own needs `classes`, a list of two or more different names"
    if not isinstance(classes, list):
        raise HeedError(f"{wanted}, such as [negative, positive].")
    for name in classes:
        if not isinstance(name, str):
            raise HeedError(
                f"{wanted}, but to YAML one is {why(repr(name))}, no text. Put numbers, yes, no, on, off and "
                "null in quotes."
            )
    names = [name.strip() for name in classes]
    fault = classes_fault(names)
    if fault:
        raise HeedError(f"{wanted}, but {fault}.")
    return names


def classes_fault(names: list[str]) -> str:
    """Why these can't be the names of classes; nothing if they can."""
    if "" in names:
        return f"number {names.index('') + 1} is empty"
    if len(names) < 2:
        return f"there is only {names[0]!r}" if names else "the list is empty"
    seen = {}
    for name in names:
        key = name.casefold()
        if key in seen and seen[key] == name:
            return f"{name!r} stands there twice"
        if key in seen:
            return f"{seen[key]!r} and {name!r} differ by case alone"
        seen[key] = name
    return ""
