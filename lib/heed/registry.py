"""The corpora by name, data/registry.yaml's and the reader's own, and how every YAML file here is read."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from heed import paths
from heed.errors import HeedError, choose, why

YAML_CHARACTERS = 1_000_000


class _Plain(yaml.SafeLoader):
    """YAML without tags of Python's and without aliases, nine of which can stand for a billion values."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) aren't taken, write the value out")
        return super().compose_node(parent, index)


def parse_yaml(where: Any, text: str) -> Any:
    """What a YAML text holds. Raises HeedError that says where it came from."""
    try:
        return _Plain(text).get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: no such date, say
        raise HeedError(f"{where} can't be read as YAML: {why(error)}. Correct or restore it.") from error


@cache
def read_yaml(path) -> dict[str, Any]:
    """A YAML file's mapping. Raises HeedError if it holds anything else."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(YAML_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise HeedError(f"{path} can't be read as YAML: {error}. Correct or restore it.") from error
    if len(text) > YAML_CHARACTERS:
        raise HeedError(f"{path} can't be read as YAML: over {YAML_CHARACTERS} characters. Shorten it.")
    content = parse_yaml(path, text)
    content = {} if content is None else content
    if not isinstance(content, dict):
        raise HeedError(f"{path} must hold a mapping `name: value`, not a {type(content).__name__}.")
    return content


def corpora() -> dict[str, dict]:
    """Every corpus: data/registry.yaml's, and the reader's own (`own` in params/NAME.yaml)."""
    found = dict(read_yaml(paths.DATA / "registry.yaml")["corpora"])
    for home in sorted(paths.PARAMS.glob("[!.]*.yaml")):
        if "own" in read_yaml(home):
            if home.stem in found or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", home.stem):
                raise HeedError(f"{home}: rename it to letters, digits, - and _ that no other corpus has.")
            found[home.stem] = own_entry(home, read_yaml(home)["own"])
    return found


def carried(name: str) -> bool:
    """Whether the project carries results of this corpus: of real ones, and of made ones marked `carried`."""
    entry = corpora()[name]
    return entry.get("carried", entry.get("reader", "own") != "own")


OWN_USUAL = {"title": "A corpus of one's own", "terms": "not stated", "cite": "Not published"}


def own_entry(home: Path, said: Any) -> dict[str, Any]:
    """What params/NAME.yaml says under `own`, as an entry of the registry."""
    own = {"file": None, "classes": None, **OWN_USUAL}
    if isinstance(said, dict):
        own.update(said)
    for key in own:
        choose(f"key of own in {home}:", key, ["file", "classes", *OWN_USUAL])
    file, classes = own["file"], own["classes"]
    if not isinstance(file, str) or not file.endswith((".csv", ".parquet")):
        raise HeedError(f"{home}: own needs `file`, the path of a .csv or .parquet file. Correct it.")
    if not _are_classes(classes):
        wanted = "two or more different names, with numbers, yes and no in quotes"
        raise HeedError(f"{home}: own needs `classes`, a list of {wanted}. Correct it.")
    own.update(reader="own", file=home.parent / Path(file).expanduser(), home=home)
    return own


def _are_classes(classes: Any) -> bool:
    """Whether it is a list of two or more different names: YAML takes 1 for a number, no for false."""
    if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
        return False
    return len(classes) > 1 and len(set(classes)) == len(classes)
