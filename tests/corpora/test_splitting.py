"""Dividing a table of texts: what holds of every table, what is written and said, and what is refused."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from heed import __main__, paths
from heed.corpora import loading
from heed.corpora.splitting import SPLITS, divide, places, report, same_texts, split_file
from heed.params import resolve
from heed.registry import read_yaml
from refusals import assert_nothing_half_written, refused

SHARES = np.array([0.7, 0.1, 0.2])
ROWS = st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abc")), min_size=1, max_size=120)


def table(rows: int = 80, **other) -> pd.DataFrame:
    """Two classes, three negatives to one positive; every text is another one."""
    labels = ["positive" if i % 4 == 0 else "negative" for i in range(rows)]
    return pd.DataFrame({"text": [f"text number {i}" for i in range(rows)], "label": labels} | other)


@pytest.fixture
def put(tmp_path):
    """A function that writes a table to a CSV file (my.csv) and returns its path."""

    def write(frame: pd.DataFrame, name: str = "my.csv", **how) -> str:
        frame.to_csv(tmp_path / name, index=False, **how)
        return str(tmp_path / name)

    yield write
    assert_nothing_half_written(tmp_path)


# What holds of every division


@pytest.mark.thorough
@given(rows=ROWS, seed=st.integers(0, 5))
def test_no_text_is_in_two_splits_and_each_class_is_in_all(rows, seed):
    together = pd.factorize(np.array([text for text, _ in rows]))[0]
    labels = np.array([label for _, label in rows])
    found = divide(together, labels, SHARES, seed)
    assert len(found) == len(rows) and set(found) <= {0, 1, 2}
    of_texts = pd.Series(found).groupby(together).nunique()
    assert (of_texts == 1).all()
    assert (divide(together, labels, SHARES, seed) == found).all()
    alone = pd.Series(labels).groupby(together).transform("nunique").to_numpy() == 1
    for label in "abc":
        own = alone & (labels == label)
        if len(np.unique(together[own])) == (pd.Series(labels) == label).groupby(together).any().sum() >= 3:
            assert {*found[own]} == {0, 1, 2}, label


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=60),
    dev=st.floats(0.01, 0.45),
    test=st.floats(0.01, 0.45),
)
def test_shares_are_what_the_texts_allow(sizes, dev, test):
    """No split is further off than by the rows of two texts of its class."""
    sizes, shares = np.sort(sizes)[::-1], np.array([1 - dev - test, dev, test])
    rows = np.bincount(places(sizes, shares), weights=sizes, minlength=3)
    assert (np.abs(rows - shares * sizes.sum()) <= 2 * sizes.max()).all()
    assert np.count_nonzero(rows) == min(len(sizes), 3)


def test_of_different_texts_the_shares_are_exact():
    labels = np.repeat(["a", "b"], [700, 300])
    found = divide(np.arange(1000), labels, SHARES, 0)
    assert pd.crosstab(labels, found).to_numpy().tolist() == [[490, 70, 140], [210, 30, 60]]
    assert (divide(np.arange(1000), labels, SHARES, 1) != found).any()


def test_few_texts_of_a_class():
    """One goes to train, two to train and test; of three each split has one."""
    assert [places(np.ones(n, int), SHARES).tolist() for n in (1, 2, 3)] == [[0], [0, 2], [0, 2, 1]]


@given(word=st.text(max_size=8), other=st.text(max_size=8))
def test_equal_texts_are_those_that_read_alike(word, other):
    texts = [f"{word} x", f"  {word}\n\tX ", f"{other} y"]
    found = same_texts(pd.DataFrame({"text": texts}))
    assert found[0] == found[1] != found[2]
    asked = same_texts(pd.DataFrame({"text": texts[:2], "query": ["who", "where"]}))
    assert asked[0] != asked[1]


# The file


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@given(texts=st.lists(CELLS, min_size=4, max_size=12), notes=CELLS)
def test_every_row_is_kept_in_its_place(texts, notes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("split")
    frame = pd.DataFrame({"note": notes, "text": [f"x{text}" for text in texts]})
    frame["label"] = [f"c{i % 2}" for i in range(len(frame))]
    frame.to_csv(folder / "my.csv", index=False, lineterminator="\r\n")
    made = split_file(folder / "my.csv")
    with open(made.file, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file, strict=True))
    assert lines[0] == ["split", "text", "label", "note"]
    assert [line[1:] for line in lines[1:]] == frame[["text", "label", "note"]].to_numpy().tolist()
    assert {line[0] for line in lines[1:]} <= {*SPLITS}


def test_the_same_seed_gives_the_same_file(put):
    path = put(table(id=range(80)))
    first = split_file(path).file.read_bytes()
    assert first.startswith(b"split,text,label,id\r\n")
    assert split_file(path, force=True).file.read_bytes() == first
    assert split_file(path, force=True, seed=1).file.read_bytes() != first


def test_other_names_and_shares(put, tmp_path):
    frame = table(query="why?").rename(columns={"text": "premise", "label": "stars", "query": "hypothesis"})
    names = {"text": "premise", "label": "stars", "query": "hypothesis"}
    made = split_file(put(frame), tmp_path / "far" / "there.csv", names, dev=0.2, test=0.3)
    assert made.file == tmp_path / "far" / "there.csv"
    assert list(pd.read_csv(made.file)) == ["split", "text", "label", "query"]
    assert made.table["split"].value_counts().to_dict() == {"train": 40, "test": 24, "dev": 16}


def test_a_parquet_file_with_numbers_as_labels(tmp_path):
    table().assign(label=[float(i % 12 + 1) for i in range(80)]).to_parquet(tmp_path / "my.parquet")
    made = split_file(tmp_path / "my.parquet")
    assert made.file.name == "my-split.csv" and made.classes == [str(n) for n in range(1, 13)]
    assert set(pd.read_csv(made.file)["label"]) == set(range(1, 13))


def test_what_is_written_and_said_is_a_corpus(put, tmp_path, monkeypatch, cache):
    """The file, and the YAML as it is printed: chapter 01 could begin."""
    for name in ("profiles/paper.yaml", "a-neighbour.yaml"):
        (tmp_path / "params" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "params" / name).touch()
    monkeypatch.setattr(paths, "PARAMS", tmp_path / "params")
    made = split_file(put(table().replace({"positive": "yes", "negative": "1"}), "My notes.csv"))
    where, _, text = report(made).rpartition("For ")[2].partition(":\n\n")
    assert where == "params/My-notes.yaml"
    (tmp_path / where).write_text(text)
    read_yaml.cache_clear()
    corpus = loading.load(resolve({"corpus": "My-notes"}))
    assert corpus.classes == ("1", "yes")
    assert {name: len(split) for name, split in corpus.splits.items()} == {"train": 56, "dev": 8, "test": 16}
    assert "repeat" not in report(made) and "Not in each split" not in report(made)


def test_what_is_odd_is_said(put):
    frame = pd.concat(
        [table(20), pd.DataFrame({"text": ["TEXT number  0", "new"], "label": ["negative", "rare"]})]
    )
    said = report(split_file(put(frame)))
    assert "22 rows." in said
    assert "1 rows repeat the text of an earlier one" in said
    assert "1 of the texts have several labels, such as rows 1 and 21:" in said
    assert "Not in each split, for want of three different texts: rare." in said
    own = yaml.safe_load(said.rpartition(":\n\n")[2])["own"]
    assert own["classes"] == ["negative", "positive", "rare"] and "task" not in own


def test_of_pairs_it_is_said_what_a_task_may_be(put):
    said = report(split_file(put(table(query="why?"))))
    assert "(task: qa, and no classes, if the label is the answer to the query)" in said
    assert yaml.safe_load(said.rpartition(":\n\n")[2])["own"]["task"] == "nli"


def test_many_classes_and_names_that_a_terminal_would_obey(put):
    frame = table(120).assign(label=[f"c{i % 40:02}" if i % 40 else "\x1b[2J" for i in range(120)])
    said = report(split_file(put(frame)))
    assert "(of 40 labels the first 30 are listed)" in said and "\x1b" not in said


# What is refused


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"dev": 0.0}, ["--dev 0", "above 0"]),
        ({"dev": 0.5, "test": 0.5}, ["sum below 1"]),
        ({"test": float("nan")}, ["--test nan"]),
        ({"seed": -1}, ["--seed -1"]),
        ({"out": "there.parquet"}, ["--out there.parquet: a CSV file is written"]),
        ({"names": {"text": "review"}}, ["no column 'review'", "text, label", "--text which of them is"]),
        ({"names": {"label": "Text"}}, ["no column 'Text'. Did you mean 'text'?"]),
        ({"names": {"label": "text"}}, ["a column 'label' beside 'text'"]),
    ],
)
def test_choices_that_cannot_be(put, tmp_path, given, parts):
    path = put(table())
    with refused(*parts):
        split_file(path, **given)
    assert [file.name for file in tmp_path.iterdir()] == ["my.csv"]


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda t: t.assign(split="train"), ["a column 'split' already", "--force-split"]),
        (lambda t: t.drop(columns="label"), ["no column 'label'", "--label"]),
        (lambda t: t.assign(text=["a", "", " ", *t["text"][3:]]), ["row 2 has no text (nor have 1 others)"]),
        (lambda t: t.assign(label=["a", "", *t["label"][2:]]), ["row 2 has no label. Remove it or fill it."]),
        (lambda t: t.assign(query=["a", "", *t["label"][2:]]), ["row 2 has no query"]),
        (lambda t: t.assign(label="a"), ["no two rows have different labels"]),
        (lambda t: t.assign(label=["a", "A", *t["label"][2:]]), ["'a' and 'A' differ by case alone"]),
        (lambda t: t[:0], ["no two rows"]),
    ],
)
def test_tables_that_cannot_be(put, tmp_path, change, parts):
    path = put(change(table()))
    with refused("my.csv", *parts):
        split_file(path)
    assert [file.name for file in tmp_path.iterdir()] == ["my.csv"]


def test_a_column_split_is_replaced_if_that_is_wanted(put):
    made = split_file(put(table().assign(split="all")), force_split=True)
    assert set(made.table["split"]) == {*SPLITS} and list(made.table) == ["split", "text", "label"]


def test_nothing_is_overwritten_unless_that_is_wanted(put, tmp_path):
    path = put(table())
    (tmp_path / "my-split.csv").write_text("mine")
    with refused("my-split.csv is there already", "--force"):
        split_file(path)
    assert (tmp_path / "my-split.csv").read_text() == "mine"
    assert split_file(path, force=True).file.read_text() != "mine"
    with refused("is the file that is read"):
        split_file(path, out=path, force=True)


@pytest.mark.parametrize(
    ("name", "block", "parts"),
    [
        ("my.xlsx", b"x", ["is a spreadsheet"]),
        ("my.csv", None, ["my.csv can't be read: No such file"]),
        ("my.csv", b"text,label\n\xff\xfe,a\n", ["my.csv can't be read"]),
        ("my.csv", b'text,label\n"a,b\n', ["my.csv can't be read"]),
        ("my.csv", b"", ["my.csv can't be read"]),
        ("my.parquet", b"PAR1", ["my.parquet can't be read"]),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, block, parts):
    if block is not None:
        (tmp_path / name).write_bytes(block)
    with refused(*parts):
        split_file(tmp_path / name)
    assert not list(tmp_path.glob("*-split.csv"))


def test_the_command(put, monkeypatch, capsys):
    path = put(table().rename(columns={"label": "stars"}))
    monkeypatch.setattr(sys, "argv", ["heed", "split", path])
    assert __main__.main() == 2
    assert "heed: " in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["heed", "split", path, "--label", "stars", "--test", "0.5"])
    assert __main__.main() == 0
    said = io.StringIO(capsys.readouterr().out)
    assert next(said) == path.replace("my.csv", "my-split.csv: 80 rows.\n")
    assert "  classes: [negative, positive]\n" in list(said)
