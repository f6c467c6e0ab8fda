"""The registry: how YAML is read, corpora of one's own, and that a faulty file stops only its own corpus."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from heed import paths
from heed.params import resolve
from heed.registry import (
    READ,
    TASKS,
    classes_fault,
    corpora,
    entry_of,
    faults,
    own_entry,
    parse_yaml,
    read_yaml,
    unread,
    yaml_named,
)
from refusals import refused, told

SOUND = "own: {file: texts.csv, classes: [bad, good]}\n"


@pytest.fixture
def params(tmp_path, monkeypatch):
    """A folder params/ with the profile paper alone."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "paper.yaml").touch()
    monkeypatch.setattr(paths, "PARAMS", tmp_path)
    read_yaml.cache_clear()
    yield tmp_path
    read_yaml.cache_clear()


# YAML


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("epochs: 1\nhidden: 2\nepochs: 3\n", "line 3 gives the key 'epochs' again"),
        ("own:\n  file: a.csv\n  file: b.csv\n", "line 3 gives the key 'file' again"),
        ("{a: 1, a: 1}", "line 1 gives the key 'a' again"),
        ("- {1: x, 0x1: y}", "line 1 gives the key 1 again"),
        ("yes: 1\ntrue: 2\n", "line 2 gives the key True again"),
        ("!!set {a, a}", "line 1 gives the key 'a' again"),
    ],
)
def test_a_key_that_stands_twice(text, said):
    with refused("mine.yaml can't be read as YAML", said):
        parse_yaml("mine.yaml", text)


def test_keys_that_look_alike():
    assert parse_yaml("x", "{1: a, '1': b}") == {1: "a", "1": "b"}
    assert parse_yaml("x", "a: {k: 1}\nb: {k: 2}\n") == {"a": {"k": 1}, "b": {"k": 2}}
    assert parse_yaml("x", "{<<: {a: 1, b: 2}, a: 3}") == {"a": 3, "b": 2}, (
        "what a merge brings may be replaced"
    )


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(content=NESTED)
def test_what_yaml_writes_is_read_back(content):
    assert parse_yaml("x", yaml.safe_dump(content)) == content


def test_the_projects_own_files_have_no_key_twice():
    for path in [*paths.PARAMS.rglob("*.yaml"), paths.DATA / "registry.yaml"]:
        read_yaml(path)


def test_a_yml_is_told_its_name(params):
    (params / "mine.yml").write_text(SOUND)
    with refused("mine.yml isn't read: its name must end in .yaml. Call it mine.yaml."):
        resolve({"corpus": "mine"})
    (params / "mine.yaml").write_text(SOUND)
    with refused("mine.yml isn't read", "Move what it says into mine.yaml."):
        resolve({"corpus": "mine"})
    (params / "profiles" / "mine.YAML").touch()
    with refused("mine.YAML isn't read", "Call it mine.yaml."):
        resolve({"profile": "mine"})
    with refused("unknown profile 'papr'. Did you mean 'paper'?"):
        yaml_named("profile", "papr", params / "profiles")
    with refused("unknown profile 3"):
        yaml_named("profile", 3, params / "profiles")
    assert resolve({}).corpus == "planted"


# One bad neighbour

FAULTY = {
    "no-yaml": ("own: {", "can't be read as YAML"),
    "a-list": ("- own\n", "must hold a mapping"),
    "twice": (SOUND + SOUND, "gives the key 'own' again"),
    "latin": (b"own: caf\xe9\n", "can't be read as YAML"),
    "wrong-own": ("own: 3\n", "own needs `file`"),
    "no-own": ("epochs: 3\n", "has no key `own`, and data/registry.yaml has no corpus of its name"),
    "sst": (SOUND, "rename it"),
    "planted": ("epochs: [", "can't be read as YAML"),
    "my notes": (SOUND, "rename it"),
    "2024": (SOUND, "rename it"),
}


def test_a_faulty_file_stops_its_own_corpus_alone(params):
    for name, (content, _) in FAULTY.items():
        content = content if isinstance(content, bytes) else content.encode()
        (params / f"{name}.yaml").write_bytes(content)
    (params / "a-folder.yaml").mkdir()
    (params / "nowhere.yaml").symlink_to("gone")
    (params / "sound.yaml").write_text(SOUND)
    (params / "indicator.yaml").write_text("epochs: 3\n")
    assert resolve({"corpus": "sound"}).corpus == "sound"
    assert resolve({"corpus": "indicator"}).epochs == 3
    assert entry_of("sound")["classes"] == ["bad", "good"]
    for name, (_, said) in FAULTY.items():
        for ask in (entry_of, lambda name: resolve({"corpus": name})):
            with refused(f"{name}.yaml", said):
                ask(name)
    assert faults().keys() == {*FAULTY, "a-folder", "nowhere"}
    assert corpora().keys() & faults().keys() == {"sst", "planted"}, "those of data/registry.yaml stay there"
    with refused("unknown corpus 'wrong-owm'. Did you mean 'wrong-own'?"):
        entry_of("wrong-owm")


def test_a_name_without_own_may_be_misspelt(params):
    (params / "indicatr.yaml").write_text("epochs: 3\n")
    with refused("no corpus of its name. Did you mean 'indicator'?", "or rename the file"):
        resolve({"corpus": "indicatr"})


# What stands under own


def own(**said) -> dict:
    return own_entry(paths.PARAMS / "mine.yaml", {"file": "mine.csv", "classes": ["bad", "good"]} | said)


def test_what_own_says_is_the_entry():
    assert own() == {
        "reader": "own",
        "home": paths.PARAMS / "mine.yaml",
        "file": paths.PARAMS / "mine.csv",
        "classes": ["bad", "good"],
        "title": "A corpus of one's own",
        "terms": "not stated",
        "cite": "Not published",
    }
    assert own(title="Notes", task="nli")["title"] == "Notes" and own(task="nli")["task"] == "nli"
    assert own(terms=None, task=None) == own(), "a key without a value is as good as none"
    assert own(classes=[" bad", "<pad>", "good\n"])["classes"] == ["bad", "<pad>", "good"]


def test_the_answers_of_questions_are_words_or_classes():
    assert own(task="qa", classes=None)["answers"] == "words" and "classes" not in own(
        task="qa", classes=None
    )
    assert own(task="qa")["classes"] == ["bad", "good"] and "answers" not in own(task="qa")
    for task in ("nli", "classification"):
        with refused("own needs `classes`"):
            own(task=task, classes=None)


@pytest.mark.parametrize(
    "name", ["texts.csv", "TEXTS.CSV", "t.tsv.gz", "t.JSONL", "a.b.jsonl.gz", "t.Parquet"]
)
def test_files_that_are_read(name):
    assert unread(name) == "" and own(file=name)["file"].name == name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("t.xlsx", ["'t.xlsx' is a spreadsheet. Save it as CSV UTF-8"]),
        ("T.XLS", ["is a spreadsheet"]),
        ("t.ods", ["is a spreadsheet"]),
        ("t.json", ["one JSON object a line", ".jsonl"]),
        ("t.json.gz", ["one JSON object a line"]),
        ("t.txt", ["'t.txt' isn't read. Give a file that ends in .csv, .tsv, .jsonl, .parquet"]),
        ("t.pkl", [".parquet"]),
        ("t.csv.zip", [".csv.gz"]),
        ("t.parquet.gz", ["isn't read"]),
        ("csv", ["isn't read"]),
        ("", ["isn't read"]),
    ],
)
def test_files_that_are_not_read(name, parts):
    with refused("mine.yaml: own needs `file`, but", *parts):
        own(file=name)


def test_a_file_of_nobody():
    with refused("mine.yaml: `file` of own, '~nobody-of-that-name/t.csv'", "Write the folder out."):
        own(file="~nobody-of-that-name/t.csv")


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([False, True], "to YAML one is False, no text. Put numbers, yes, no, on, off and null in quotes"),
        ([1, 2], "to YAML one is 1"),
        (["a", None], "to YAML one is None"),
        (["a", {"b": 1}], "to YAML one is {'b': 1}"),
        ([], "the list is empty"),
        (["all"], "there is only 'all'"),
        (["a", "b", "a"], "'a' stands there twice"),
        (["a", "a "], "'a' stands there twice"),
        (["good", "Good"], "'good' and 'Good' differ by case alone"),
        (["a", " "], "number 2 is empty"),
        (["", "a"], "number 1 is empty"),
        ("a, b", "such as [negative, positive]"),
        (2, "such as [negative, positive]"),
    ],
)
def test_classes_that_cannot_be(classes, said):
    with refused("mine.yaml: own needs `classes`, a list of two or more different names", said):
        own(classes=classes)


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ({"fil": "a.csv"}, ["unknown key of own 'fil'. Did you mean 'file'?", "title, terms, cite."]),
        ({"tokenizer": "ja"}, ["unknown key of own 'tokenizer'", "stand beside `own`, not in it"]),
        ({"vectors": "random"}, ["(tokenizer, digits, vectors and all others)"]),
        ({1: 2}, ["unknown key of own 1."]),
        ({"task": "clasification"}, ["unknown task of own in", "Did you mean 'classification'?"]),
        ({"task": ["qa"]}, ["unknown task of own in"]),
        ({"title": 2024}, ["title of own must be a text: put 2024 in quotes"]),
        ({"cite": ["me"]}, ["cite of own must be a text"]),
    ],
)
def test_keys_and_values_that_cannot_be(said, parts):
    with refused("mine.yaml", *parts):
        own_entry(paths.PARAMS / "mine.yaml", {"file": "mine.csv", "classes": ["bad", "good"]} | said)


NAMES = st.lists(st.text(max_size=3), max_size=4)
OWN = {
    "file": st.sampled_from(READ),
    "classes": NAMES | NESTED,
    "title": NESTED,
    "task": st.sampled_from(TASKS),
}


@given(said=NESTED | st.fixed_dictionaries({}, optional=OWN))
def test_own_of_anything(said):
    found = told(own_entry, paths.PARAMS / "mine.yaml", said)
    if not isinstance(found, str):
        assert unread(found["file"].name) == "" and ("classes" in found) != ("answers" in found)
        assert classes_fault(found.get("classes", ["a", "b"])) == ""
