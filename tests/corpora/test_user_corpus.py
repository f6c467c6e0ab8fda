"""A corpus of one's own: what data/README.md shows, taken at its word, and all that can be wrong with one."""

import csv
import gzip
import io
import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import run_notebooks
from heed import paths, verdict
from heed.corpora import checks, loading, user_corpus
from heed.params import resolve
from heed.registry import read_yaml
from heed.runs.grid import read_grid, runs_of
from heed.runs.run import Run
from heed.verdict import carried
from refusals import assert_nothing_half_written, refused
from small_run import SMALL, products

SECTION = (paths.DATA / "README.md").read_text().split("## A corpus of your own")[1].split("\n## ")[0]
YAML, CSV, COMMANDS = re.findall(r"```(?:yaml|csv|)\n(.+?)```", SECTION, re.DOTALL)
OWN = "own: {file: mine.csv, classes: [negative, positive]}\n"
WORDS = {"bad": "awful dull poor sad", "fair": "plain usual so-so mild", "good": "fine great lovely warm"}


class Desk:
    """A copy of params/ to which the reader adds a corpus."""

    def __init__(self, folder):
        self.folder, self.params = folder, folder / "params"
        self.file = self.params / "mine.csv"

    def put(self, yaml: str = YAML, csv: str | bytes = CSV, name: str = "mine") -> "Desk":
        """Write the two files."""
        (self.params / f"{name}.yaml").write_text(yaml)
        self.file.write_bytes(csv if isinstance(csv, bytes) else csv.encode())
        read_yaml.cache_clear()
        return self

    def run(self, **other) -> Run:
        """A small run on it."""
        return Run.of(self.folder / "r", corpus="mine", encoder="average", set=SMALL | other)


@pytest.fixture
def desk(tmp_path, monkeypatch, cache) -> Desk:
    for path in paths.PARAMS.rglob("*.yaml"):
        copy = tmp_path / "params" / path.relative_to(paths.PARAMS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(paths, "PARAMS", tmp_path / "params")
    yield Desk(tmp_path)
    assert_nothing_half_written(tmp_path)
    read_yaml.cache_clear()


def load(**other) -> loading.Corpus:
    return loading.load(resolve({"corpus": "mine"} | other))


def same(one: loading.Corpus, other: loading.Corpus) -> bool:
    """Equal in all that a run reads."""
    splits = [
        (a.ids, a.words, a.labels.tolist()) == (b.ids, b.words, b.labels.tolist())
        for a, b in zip(one.splits.values(), other.splits.values(), strict=True)
    ]
    return all(splits) and one.vocabulary == other.vocabulary


def table() -> pd.DataFrame:
    """The example's rows."""
    lines = [re.fullmatch(r'(\w+),("?)(.*)\2,(\w+)', line) for line in CSV.splitlines()]
    rows = [(m[1], m[3].replace('""', '"'), m[4]) for m in lines]
    return pd.DataFrame(rows[1:], columns=rows[0])


# What works


def test_the_example_is_read(desk):
    desk.put()
    corpus = load()
    assert corpus.title == "Notes of two trips" and corpus.classes == ("negative", "positive")
    assert {s: len(split) for s, split in corpus.splits.items()} == {"train": 6, "dev": 2, "test": 4}
    assert corpus.splits["train"].ids[:2] == ["row1", "row2"] and corpus.splits["test"].ids[0] == "row9"
    assert corpus.splits["train"].labels.tolist() == [0, 1, 0, 1, 0, 1]
    words = "the train was late , and nobody told us why ."
    assert corpus.splits["train"].words[0] == words.split()
    assert corpus.splits["train"].words[5][:3] == ['"', "stay", "another"]


@pytest.mark.thorough
@pytest.mark.parametrize("encoder", ["bilstm", "average"])
def test_the_example_goes_the_whole_way(desk, encoder):
    """Every product but the truth, which nobody knows, with the parameters as they stand in the YAML.

    And but for liars': none of its few test texts need have the words that tell most in training.
    """
    desk.put()
    run = Run.of(desk.folder / "r", corpus="mine", encoder=encoder)
    for product in products().keys() - {"truth", "lies", "summary_lies"}:
        assert run.ensure(product).stat().st_size
    with refused("deciding tokens aren't known"):
        run.ensure("truth")
    summary = run.table("summary")
    assert set(summary["n"]) <= {1, 2, 3, 4} and "tau_loo" in set(summary["measure"])
    assert run.params.given == "" and run.params.vectors_from == ("mine",)
    for path in run.folder.rglob("*"):  # nobody learns from a run where the reader's files lie
        assert not path.is_file() or str(desk.params).encode() not in path.read_bytes()


def as_csv(frame: pd.DataFrame, **how) -> bytes:
    return frame.to_csv(index=False, **how).encode(how.get("encoding", "utf-8"))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.assign(label=t["label"].map({"negative": 0, "positive": 1})),
        lambda t: t.assign(label=t["label"].map({"negative": 0.0, "positive": 1.0})),
        lambda t: t.assign(label=t["label"].astype("category"), split=t["split"].astype("category")),
        lambda t: t.assign(id=[f"row{n}" for n in range(1, 13)], note=None),
        lambda t: t[["label", "text", "split"]],
    ],
    ids=["numbers", "1.0", "categories", "ids and more", "another order"],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_same_corpus_in_other_forms(desk, change, suffix):
    first, changed = desk.put() and load(), change(table())
    desk.put(YAML.replace("mine.csv", f"mine.{suffix}"), as_csv(changed))
    changed.set_index(changed.index + 7).to_parquet(desk.params / "mine.parquet")
    assert same(load(), first)


def test_csv_as_other_programs_write_it(desk):
    first = desk.put() and load()
    for block in (b"\xef\xbb\xbf" + CSV.encode(), CSV.replace("\n", "\r\n").encode(), CSV.encode() + b"\n\n"):
        assert same(desk.put(csv=block) and load(), first)
    frame = table().assign(text=[*table()["text"][:-1], "NA"])
    assert (desk.put(csv=as_csv(frame)) and load()).splits["test"].words[-1] == ["na"]


def test_semicolons_and_tabs(desk):
    """As spreadsheets write CSV where the comma is for decimals."""
    first = desk.put() and load()
    for sign in ";\t":
        assert same(desk.put(csv=as_csv(table(), sep=sign)) and load(), first)


def test_a_split_that_parquet_has_as_its_index(desk):
    first = desk.put() and load()
    desk.put(YAML.replace("mine.csv", "mine.parquet"))
    table().set_index("split").to_parquet(desk.params / "mine.parquet")
    assert same(load(), first)


def taken(path, classes=("negative", "positive"), task=None) -> pd.DataFrame:
    """What the reader finds in a file."""
    return pd.concat(loading._readable("mine", path, user_corpus.read, classes, task))


FORMS = {
    "a.tsv": lambda t: as_csv(t, sep="\t"),
    "a.CSV": as_csv,
    "a.csv.gz": lambda t: gzip.compress(as_csv(t)),
    "a.jsonl": lambda t: t.to_json(orient="records", lines=True).encode(),
    "a.JSONL.gz": lambda t: gzip.compress(t.to_json(orient="records", lines=True).encode()),
}


@pytest.mark.parametrize("name", FORMS)
def test_other_forms_of_table(tmp_path, name):
    (tmp_path / "a.csv").write_text(CSV)
    first = taken(tmp_path / "a.csv")
    (tmp_path / name).write_bytes(FORMS[name](table()))
    pd.testing.assert_frame_equal(taken(tmp_path / name), first)


@pytest.mark.parametrize(
    "lines, part",
    [
        ('{"split": "train", "split": "dev"}', "it has 2 columns called 'split'"),
        ("[1, 2]", "row 1, line 1: no JSON object"),
        ("{1: 2}", "row 1, line 1: no JSON ("),
        ("[" * 100_000, "row 1, line 1"),
        ('{"split": "train", "text": "a", "label": "negative"}\n\n{"split": "dev"}', "row 2 has no text"),
        ('{"split": "train", "text": "\\ud800", "label": "negative"}', "row 1 has no text"),
        ('{"split": "train", "text": 3, "label": "negative"}', "row 1 has no text"),
        ('{"split": ["train"], "text": "a", "label": "negative"}', "row 1 has a split that is none of"),
        ('{"split": "train", "text": "a", "label": ["negative"]}', "row 1 has no label"),
        ("", "column 'split' is missing"),
    ],
)
def test_json_lines_that_cannot_be(tmp_path, lines, part):
    (tmp_path / "a.jsonl").write_text(lines)
    with refused("corpus mine", "a.jsonl", part):
        taken(tmp_path / "a.jsonl")


def test_labels_of_json_are_numbers_or_names(tmp_path):
    rows = [
        {"split": s, "text": "a b", "label": label} for s in loading.SPLITS for label in (0, "positive", 1.0)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert taken(tmp_path / "a.jsonl")["label"].tolist() == [0, 1, 1] * 3


CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TABLE = st.lists(st.tuples(st.sampled_from(loading.SPLITS), CELL, CELL), min_size=1, max_size=5)


@given(rows=TABLE, form=st.sampled_from([",", ";", "\t", "jsonl"]), packed=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_written_is_read(tmp_path, rows, form, packed):
    """Whatever stands in a cell: quotes, commas, line breaks, any script."""
    names = ("split", "text", "label")
    if form == "jsonl":
        block, name = "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows), "a.jsonl"
    else:
        file = io.StringIO()
        csv.writer(file, delimiter=form).writerows([names, *rows])
        block, name = file.getvalue(), "a.csv"
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(block.encode()) if packed else block.encode())
    found = user_corpus.table_of(path)
    assert tuple(found.columns) == names and [*found.itertuples(index=False, name=None)] == rows


@given(block=st.text(st.sampled_from('a,";\n\r\t'), max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_rows_are_never_lost(tmp_path, block):
    """Read strictly, or refused: what a lenient reader would swallow never goes unsaid."""
    path = tmp_path / "a.csv"
    path.write_text(f"split,text,label\n{block}", newline="")
    try:
        found = user_corpus.table_of(path)
    except ValueError as error:
        assert re.search(r"row \d+", str(error))
        return
    plain = [row for row in csv.reader(io.StringIO(block, newline=""), strict=True) if row]
    assert found.to_numpy().tolist() == plain and all(len(row) == 3 for row in plain)


QUERIES = table().assign(query=["why is it so?", "is it good?", "a b"] * 4)


def test_pairs_of_sentences(tmp_path):
    """A column `query`, as the YAML says: of inference a class for the pair, of questions an answer."""
    (tmp_path / "a.csv").write_bytes(as_csv(QUERIES))
    found = taken(tmp_path / "a.csv", task="nli")
    assert found["query"].tolist() == QUERIES["query"].tolist() and found["label"].tolist() == [0, 1] * 6
    assert taken(tmp_path / "a.csv", task="classification").columns.tolist() == loading.COLUMNS[:4]
    answers = taken(tmp_path / "a.csv", classes=(), task="qa")
    assert answers["label"].tolist() == QUERIES["label"].tolist()
    assert taken(tmp_path / "a.csv", task="qa")["label"].tolist() == QUERIES["label"].tolist()
    (tmp_path / "a.csv").write_bytes(as_csv(QUERIES.drop(columns="query")))
    with refused("column 'query' is missing"):
        taken(tmp_path / "a.csv", task="nli")
    (tmp_path / "a.csv").write_bytes(as_csv(QUERIES.assign(query=["", *QUERIES["query"][1:]])))
    with refused("query row1 of split train is empty"):
        taken(tmp_path / "a.csv", task="nli")


def test_numbers_of_csv_and_parquet_are_the_same(desk):
    summaries = []
    for suffix in ("csv", "parquet"):
        desk.put(YAML.replace("mine.csv", f"mine.{suffix}"))
        table().to_parquet(desk.params / "mine.parquet")
        run = Run.of(desk.folder / suffix, corpus="mine", encoder="average", set=SMALL)
        summaries.append([run.table(name) for name in ("summary", "summary_adversarial", "correlation")])
    for one, other in zip(*summaries, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_a_file_elsewhere(desk):
    """An absolute path, and a text in another place than the YAML's."""
    first = desk.put() and load()
    (desk.folder / "far").mkdir()
    desk.file.rename(desk.folder / "far" / "texts.csv")
    for named in (desk.folder / "far" / "texts.csv", "../far/texts.csv"):
        (desk.params / "mine.yaml").write_text(YAML.replace("mine.csv", str(named)))
        read_yaml.cache_clear()
        assert same(load(), first)


def three(names: str = "[bad, fair, good]") -> tuple[str, str]:
    """Three classes, told by their words: the YAML and the CSV."""
    rng, lines = np.random.default_rng(0), ["split,text,label"]
    for split, size in (("train", 90), ("dev", 30), ("test", 30)):
        for i in range(size):
            label = list(WORDS)[i % 3]
            words = [*rng.choice(WORDS[label].split(), 2), *rng.choice(["the", "a", "film", "it"], 5)]
            lines.append(f"{split},{' '.join(rng.permutation(words))},{label}")
    return f"own: {{file: mine.csv, classes: {names}}}\n", "\n".join(lines)


@pytest.mark.thorough
def test_three_classes(desk):
    run = desk.put(*three()).run(epochs=15, learning_rate=0.01)
    for product in products().keys() - {"truth", "exact_curve"}:  # that curve needs one linear logit
        run.ensure(product)
    assert run.corpus.classes == ("bad", "fair", "good")
    assert run.evidence.predictions.shape == (30, 3)
    assert run.info()["scores"]["test"]["accuracy"] > 0.9, "it learns which words tell the classes"
    assert {"0", "1", "2", "overall"} == set(run.table("summary")["class"])


def test_classes_that_are_numbers_are_names(desk):
    """Stars from 1 to 3: `1` is the first class, not the second."""
    yaml, csv = three('["1", "2", "3"]')
    for label, name in zip(WORDS, "123", strict=True):
        csv = csv.replace(f",{label}\n", f",{name}\n").replace(f",{label}", f",{name}")
    assert (desk.put(yaml, csv) and load()).splits["dev"].labels.tolist() == [0, 1, 2] * 10
    desk.put(yaml, csv.replace(",3", ",0"))
    with refused("row 3 has no label, or one that is none of 1, 2, 3"):
        load()


def test_a_file_that_is_edited_is_read_and_trained_on_anew(desk):
    run = desk.put().run()
    first, weights = run.table("correlation"), run.ensure("weights").read_bytes()
    assert desk.run().ensure("weights").stat().st_mtime_ns == run.ensure("weights").stat().st_mtime_ns
    again = desk.put(csv=CSV.replace("room", "boat")).run()
    assert again.folder == run.folder, "one run: a verdict never mixes two versions of a file"
    assert "boat" in again.corpus.splits["test"].words[0]
    assert len(again.table("correlation")) == len(first) and again.ensure("weights").read_bytes() != weights
    swapped = desk.put(YAML.replace("[negative, positive]", "[positive, negative]")).run()
    assert swapped.corpus.splits["train"].labels.tolist() == [1, 0, 1, 0, 1, 0]
    assert swapped.model() and swapped.evidence.labels.tolist() == [1, 0, 1, 0]


def test_words_of_ones_own_corpus_in_another_run(desk):
    """word2vec on it, for the built-in corpus: an edited file trains that run anew, too."""
    given = SMALL | {"vectors": "word2vec", "vectors_from": ["mine"], "word2vec_min_count": 1}
    records = []
    for text in (CSV, CSV.replace("soup", "stew")):
        desk.put(csv=text)
        run = Run.of(desk.folder / "r", encoder="average", set=given)
        run.ensure("weights")
        records.append(run.info()["products"]["weights"]["settings"]["mine"])
    assert records[0] != records[1]


def test_own_corpora_are_in_a_grid_and_not_in_the_summary(desk, monkeypatch):
    desk.put()
    assert [run.corpus for run in runs_of(read_grid({"corpora": "mine,planted"}))][0] == "mine"
    desk.run().ensure("summary")
    monkeypatch.setattr(carried, "SUMMARY", desk.folder / "summary.csv")
    assert set(verdict.finished(desk.folder / "r")["corpus"]) == {"mine"}
    assert verdict.commit(desk.folder / "r") == 0
    assert "mine" not in (desk.folder / "summary.csv").read_text()


@pytest.mark.thorough
def test_the_commands_as_described(tmp_path):
    """In a copy of the project: papermill, and the batch, which would run again once the file is edited."""
    copy = run_notebooks.copy(tmp_path)
    (copy / "params" / "mine.yaml").write_text(YAML)
    (copy / "params" / "mine.csv").write_text(CSV)

    def command(line: str) -> subprocess.CompletedProcess:
        words = [sys.executable, "-m", *shlex.split(line)]
        how = {"cwd": copy, "env": run_notebooks.environment(copy), "capture_output": True, "text": True}
        return subprocess.run(words, **how, timeout=600)

    papermill, make = COMMANDS.splitlines()
    found = command(papermill)
    assert found.returncode == 0, found.stderr[-3000:]
    assert "negative" in (copy / "out.ipynb").read_text()
    assert make == "make batch CORPORA=mine"
    batch = "snakemake --cores 1 --config corpora=mine encoders=average attentions=additive seeds=0"
    batch += " chapters=01 --omit-from verdict"  # which is no corpus's own
    found = command(batch)
    assert found.returncode == 0, found.stderr[-3000:]
    (chapter,) = (copy / "results" / "mine" / "average-additive").rglob("01_train.ipynb")
    assert "Notes of two trips" in chapter.read_text() and str(copy / "params") not in chapter.read_text()
    (copy / "params" / "mine.csv").write_text(CSV.replace("room", "boat"))
    found = command(f"{batch} --dry-run")
    assert "chapter_01_train" in found.stdout + found.stderr
    listed = subprocess.run(
        ["git", "check-ignore", "params/mine.csv"], cwd=run_notebooks.ROOT, capture_output=True
    )
    assert listed.returncode == 0, "the reader's texts are not for git"


# What is wrong


@pytest.mark.parametrize(
    "yaml, parts",
    [
        ("own: 3\n", ["own needs `file`"]),
        ("own:\n", ["own needs `file`"]),
        ("own: {classes: [a, b]}\n", ["own needs `file`", ".csv, .tsv, .jsonl, .parquet"]),
        (OWN.replace("mine.csv", "mine.pkl"), ["own needs `file`", ".csv, .tsv, .jsonl, .parquet"]),
        (OWN.replace("mine.csv", "[mine.csv]"), ["own needs `file`"]),
        (OWN.replace("file", "fil"), ["unknown key of own", "'fil'", "Did you mean 'file'?"]),
        (OWN.replace("{", "{digits: keep, "), ["unknown key of own", "'digits'"]),
        (OWN.replace("[negative, positive]", "[no, yes]"), ["own needs `classes`", "in quotes"]),
        (OWN.replace("[negative, positive]", "[1, 2]"), ["own needs `classes`", "in quotes"]),
        (OWN.replace("[negative, positive]", "2"), ["own needs `classes`", "a list"]),
        (OWN.replace("[negative, positive]", "[all]"), ["own needs `classes`", "two or more"]),
        (OWN.replace("[negative, positive]", "[a, a]"), ["own needs `classes`", "different"]),
        (OWN + "epochz: 3\n", ["unknown parameter", "'epochz'", "Did you mean 'epochs'?"]),
        ("profiles: {paper: {own: 3}}\n" + OWN, ["unknown parameter", "'own'"]),
    ],
)
def test_a_description_that_cannot_be(desk, yaml, parts):
    desk.put(yaml)
    with refused("mine.yaml", *parts):
        desk.run()
    assert not (desk.folder / "r").exists()


@pytest.mark.parametrize("name", ["sst", "planted", "2024", "my notes", "a|b", "é"])
def test_a_name_that_cannot_be(desk, name):
    desk.put(name=name)
    with refused(f"{name}.yaml: rename it", "that no other corpus has"):
        resolve({"corpus": name})


def test_a_misspelt_own_corpus(desk):
    desk.put()
    with refused("unknown corpus 'mien'. Did you mean 'mine'?"):
        resolve({"corpus": "mien"})


def test_an_editors_lock_is_no_corpus(desk):
    (desk.params / ".#mine.yaml").symlink_to("nowhere")
    assert desk.put() and load()


NOT_CLOSED = "row 13, from line 14 on, opens a quote that nothing closes"
LATIN = CSV.replace("soup", "r\u00f6sti").encode("latin-1")
TOLD = [
    (CSV.replace("split,text,label", "split,text,lable"), ["column 'label' is missing", "mean 'lable'?"]),
    (CSV.replace("split,text,label", "split,Text,label"), ["column 'text' is missing", "mean 'Text'?"]),
    (CSV.replace("split,", "fold,"), ["column 'split' is missing, or let `python -m heed split` make it"]),
    (CSV.replace("split,text,label\n", ""), ["column 'split' is missing"]),
    (CSV.replace("label\n", "text\n"), ["it has 2 columns called 'text'; keep one of them"]),
    (CSV.replace('"', ""), ["row 1 has 4 fields, the line of names has 3", "',' stands in double quotes"]),
    ("label,split,text\nnegative,train,soup, cold\n", ["row 1 has 4 fields, the line of names has 3"]),
    (CSV + "dev,a, b,positive\n", ["row 13 has 4 fields, the line of names has 3"]),
    (CSV.replace("August.,negative", "August."), ["row 5 has 2 fields, the line of names has 3"]),
    (CSV + 'dev,"a b,positive\n', [NOT_CLOSED]),
    (
        CSV + 'dev,"a" b,positive\n',
        ["row 13, from line 14 on, has a quoted text that goes on", "double each"],
    ),
    (
        LATIN,
        [f"byte {LATIN.index(bytes([0xF6])) + 1} of it, 0xf6 in line 5, isn't UTF-8", "save it as UTF-8"],
    ),
    (CSV.encode("utf-16"), ["it is in UTF-16; save it as UTF-8"]),
    (b"", ["it is empty; expected a first line of names: split, text, label"]),
    ("\n\n", ["it is empty"]),
    ("split,text,label\n", ["holds no train texts"]),
    (CSV.replace("dev,", "train,"), ["holds no dev texts"]),
    (CSV.replace("dev,", "valid,"), ["row 7 has a split that is none of train, dev, test; write 'dev' if"]),
    (CSV.replace("test,", "Test ,"), ["row 9 has a split that is none of train, dev, test; write 'test' if"]),
    (CSV.replace("August.,negative", "August.,"), ["row 5 has no label, or one", "negative, positive)."]),
    (CSV.replace("August.,negative", "August.,NEGATIVE"), ["row 5 has no label", "; write 'negative' if"]),
    (CSV.replace("August.,negative", "August.,neutral"), ["row 5 has no label, or one that is none of"]),
    (CSV.replace("August.,negative", "August.,2"), ["row 5 has no label, or one that is none of"]),
    (CSV.replace("Never again in August.", " "), ["text row5 of split train is empty"]),
    (CSV.replace("negative", "positive"), ["split train: no text of class 0 (negative) among 6"]),
    (as_csv(table().assign(id=[1, 2, 3, 2, *range(5, 13)])), ["row 4 has no id of its own"]),
    (as_csv(table().assign(id=["a", None, *"cdefghijkl"])), ["row 2 has no id of its own"]),
    (as_csv(table().assign(query="why?")), ["a column 'query': say under `own` what that is", "`task: nli`"]),
]


@pytest.mark.parametrize("block, parts", TOLD, ids=[parts[0][:40] for _, parts in TOLD])
def test_a_csv_that_cannot_be(desk, block, parts):
    run = desk.put(OWN, block).run()
    with refused("corpus mine", *parts) as caught:
        run.ensure("summary")
    said = str(caught.value)
    assert "elete" not in said, "nobody is told to delete their own file"
    assert not any(words in said for words in ("August", "luggage", "neutral", "soup", "lake")), said
    assert {path.name for path in run.folder.glob("*")} <= {".locks"}


@pytest.mark.parametrize(
    "change, parts",
    [
        (lambda t: t.drop(columns="text"), ["column 'text' is missing"]),
        (lambda t: t.set_axis(["0", "1", "2"], axis=1), ["column 'split' is missing"]),
        (lambda t: t.assign(text=[*t["text"][:3], None, *t["text"][4:]]), ["row 4 has no text"]),
        (lambda t: t.assign(text=range(12)), ["row 1 has no text"]),
        (lambda t: t.assign(label=[np.nan, *[1.0] * 11]), ["row 1 has no label, or one"]),
        (lambda t: t.assign(label=[0, 1, 0.5, *[1] * 9]), ["row 3 has no label, or one"]),
        (lambda t: t.assign(label=[0, 1, -1, *[1] * 9]), ["row 3 has no label, or one"]),
        (lambda t: t.assign(label=True), ["row 1 has no label, or one"]),
        (lambda t: t.assign(split=[None, *t["split"][1:]]), ["row 1 has a split that is none of"]),
        (lambda t: t.assign(id=[np.nan, *range(11)]), ["row 1 has no id of its own"]),
    ],
)
def test_a_parquet_file_that_cannot_be(desk, change, parts):
    desk.put(OWN.replace(".csv", ".parquet"))
    change(table()).to_parquet(desk.params / "mine.parquet")
    with refused("corpus mine", str(desk.params / "mine.parquet"), *parts):
        load()


@pytest.mark.parametrize("block", [b"", b"split,text,label\n", b"PAR1" + b"\0" * 40 + b"PAR1"])
def test_a_parquet_file_that_is_none(desk, block):
    desk.put(OWN.replace(".csv", ".parquet"))
    (desk.params / "mine.parquet").write_bytes(block)
    with refused("corpus mine", str(desk.params / "mine.parquet"), "is not the file that was expected"):
        load()


def test_a_file_that_is_not_there(desk):
    run = desk.put().run()
    desk.file.unlink()
    for _ in range(2):
        with refused(f"corpus mine: {desk.file} can't be read", "Correct `file` in", "mine.yaml"):
            run.ensure("weights")
        desk.file.mkdir(exist_ok=True)  # nor is a folder a file


def test_fewer_classes_than_declared(desk):
    desk.put(OWN.replace("positive]", "positive, mixed]"))
    with refused("corpus mine, split train: no text of class 2 (mixed) among 6"):
        load()


def test_a_class_that_dev_and_test_lack(desk):
    """Training needs every class; of what isn't there nothing is said."""
    desk.put(csv=CSV.replace("dev,The room", "train,The room").replace("test,Cold", "train,Cold"))
    corpus = load()
    assert checks.absent(corpus) == {"dev": [0]}


@pytest.mark.parametrize("name, near", [("Mine.CSV", True), ("mne.csv", True), ("notes.tsv", False)])
def test_a_file_of_another_name_is_named(desk, name, near):
    """Of files beside it the nearest, if it is near at all."""
    desk.put(OWN.replace("mine.csv", name))
    with refused("mine.yaml") as caught:
        load()
    assert ("Did you mean 'mine.csv'?" in str(caught.value)) == near
