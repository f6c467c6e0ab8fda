"""The readers, on files that the tests make in the official forms, and what can be wrong with each."""

import csv
import gzip
import hashlib
import io
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from heed import paths
from heed.corpora import classification, download, loading
from heed.corpora.tokens import tokenize
from heed.errors import HeedError
from heed.params import resolve
from heed.runs.grid import absent

HEADER = "From: someone@example.org\nSubject: game\n\n"


def news(path, texts: dict[str, str]) -> None:
    """A 'bydate' archive."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in texts.items():
            info = tarfile.TarInfo(name)
            data = text.encode("latin-1")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def article(kind: str, number: int, half: str = "train") -> str:
    return f"20news-bydate-{half}/rec.sport.{kind}/{number}"


@pytest.fixture
def archive(tmp_path):
    texts = {}
    for kind in ("baseball", "hockey"):
        for n in range(30):
            texts[article(kind, n, "train" if n % 2 else "test")] = f"{HEADER}The {kind} game number {n} é.\n"
    texts[article("baseball", 99)] = HEADER + "> all of it is quoted\n"
    texts["20news-bydate-train/sci.space/5"] = HEADER + "another group\n"
    news(tmp_path / "news.tar.gz", texts)
    return tmp_path / "news.tar.gz"


def test_20news(archive):
    rows = list(classification.read_20news(archive))
    assert len(rows) == len({name for _, name, *_ in rows}) == 60  # the quotation alone is empty
    # 80/20 twice; the first is stratified
    assert Counter(split for split, *_ in rows) == {"train": 38, "dev": 10, "test": 12}
    assert Counter(label for split, *_, label in rows if split == "test") == {0: 6, 1: 6}
    for _, name, text, label in rows:
        assert "example.org" not in text and name.split("-")[0] == ("hockey" if label else "baseball")
        assert text.strip().endswith("é.")
    assert rows == list(classification.read_20news(archive))


def test_20news_without_a_group_says_so(tmp_path):
    news(tmp_path / "n.tar.gz", {article("baseball", 1): HEADER + "text"})
    with pytest.raises(ValueError, match="rec.sport"):
        list(classification.read_20news(tmp_path / "n.tar.gz"))


def test_other_characters_are_set_apart():
    """As the paper's code does it: what stands alone between spaces is lost with them."""
    (words,) = tokenize(["It wasn't 10-5 :-) (sic). O'Neil_x"], apart=True)
    assert words == ["it", "was", "n", "'", "t", "qqq", "qqq", "sic", "o", "'", "neil_x"]


def agnews(folder, train: list, test: list, zipped: bool = False) -> dict:
    """The two files in the official form: quoted, no line of names."""
    found = {}
    for half, rows in (("train", train), ("test", test)):
        found[half] = folder / (f"{half}.csv.gz" if zipped else f"{half}.csv")
        with (gzip.open if zipped else open)(found[half], "wt", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    return found


@pytest.mark.parametrize("zipped", [False, True])
def test_agnews(tmp_path, zipped):
    train = [(k, f"title {i}", f'text {i}, "quoted"\\second line') for i in range(10) for k in (1, 2, 3, 4)]
    test = [("1", "t", "of the world"), ("2", "t", "of sports"), ("3", "", "of business"), ("3", "t", " ")]
    rows = list(classification.read_agnews(agnews(tmp_path, train, test, zipped)))
    assert Counter(split for split, *_ in rows) == {"train": 17, "dev": 3, "test": 2}
    assert [row[2:] for row in rows if row[0] == "test"] == [("of the world", 0), ("of business", 1)]
    assert not any("title" in text for _, _, text, _ in rows)


@pytest.mark.parametrize("row", [("5", "t", "x"), ("1", "only two"), ("class", "title", "text")])
def test_agnews_names_the_broken_row(tmp_path, row):
    found = agnews(tmp_path, [("1", "t", "x"), row], [("1", "t", "x")])
    with pytest.raises(ValueError, match=r"train.csv, row 2: not class 1 to 4, title, description"):
        list(classification.read_agnews(found))


def ade(folder, positive: list[str], negative: list[str]) -> dict:
    (folder / "DRUG-AE.rel").write_text("\n".join(positive) + "\n")
    (folder / "ADE-NEG.txt").write_text("\n".join(negative) + "\n")
    return {"positive": folder / "DRUG-AE.rel", "negative": folder / "ADE-NEG.txt"}


def test_ade_keeps_an_article_s_sentences_together(tmp_path):
    positive = [f"{n}|Drug {n} did harm.|harm|1|2|drug {n}|3|4" for n in range(50) for _ in range(2)]
    negative = [f"{n % 60} NEG Sentence {n} states NEG nothing." for n in range(200)] + [
        "3 NEG Drug 3 did harm."
    ]
    rows = list(classification.read_ade(ade(tmp_path, positive, negative)))
    assert Counter(label for *_, label in rows) == {1: 50, 0: 200}  # twice the same sentence is one
    splits = {}
    for split, name, text, _ in rows:
        splits.setdefault(name.split("-")[0], set()).add(split)
        assert "|" not in text
    assert all(len(of) == 1 for of in splits.values())
    assert Counter(next(iter(of)) for of in splits.values()) == {"train": 42, "dev": 6, "test": 12}


def test_ade_reads_the_archive_as_the_files(tmp_path):
    positive, negative = (
        [f"{n}|Harm {n}.|h|1|2|d|3|4" for n in range(20)],
        [f"{n} NEG No {n}." for n in range(20)],
    )
    plain = ade(tmp_path, positive, negative)
    with zipfile.ZipFile(tmp_path / "ade.zip", "w") as archive:
        for path in plain.values():
            archive.write(path, f"ADE-Corpus-V2/{path.name}")
    both = {"positive": tmp_path / "ade.zip", "negative": tmp_path / "ade.zip"}
    assert list(classification.read_ade(both)) == list(classification.read_ade(plain))


@pytest.mark.parametrize(
    ("positive", "negative", "message"),
    [
        ("1|too|few", "1 NEG x", r"DRUG-AE.rel, line 1: not 8 cells"),
        ("1|s|e|1|2|d|3|4", "1 x", r"ADE-NEG.txt, line 1: not PUBMED-ID NEG SENTENCE"),
    ],
)
def test_ade_names_the_broken_line(tmp_path, positive, negative, message):
    with pytest.raises(ValueError, match=message):
        list(classification.read_ade(ade(tmp_path, [positive], [negative])))


def adr(folder, text: str) -> dict:
    (folder / "adr.csv").write_text(text)
    return {"tweets": folder / "adr.csv"}


def test_adr(tmp_path):
    lines = [f'"tweet {n}, NA",{n % 5 // 4},{"test" if n % 4 == 0 else "train"}' for n in range(80)]
    rows = list(classification.read_adr(adr(tmp_path, "\n".join(["text,label,exp_split", *lines]))))
    assert Counter(split for split, *_ in rows) == {"train": 51, "dev": 9, "test": 20}
    assert sum(label for *_, label in rows) == 16 and rows[0][2].endswith(", NA")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text,label\nx,0\n", "column 'exp_split' is missing"),
        ("text,label,exp_split\nx,0,train\ny,2,train\n", "row 2: label 0 or 1"),
        ("text,label,exp_split\nx,0,train\ny,1\n", "row 2: label 0 or 1, exp_split train or test"),
        ('text,label,exp_split\nx,0,train\n"y', "EOF inside string"),
        ("text,label,exp_split\nx,0,dev\n", "row 1: label 0 or 1, exp_split train or test"),
    ],
)
def test_adr_names_what_is_wrong(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        list(classification.read_adr(adr(tmp_path, text)))


NOTES = "ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT\n"
CODES = "ROW_ID,SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n"


def mimic(folder, notes: list[tuple], codes: list[tuple], **lists) -> dict:
    """notes: (admission, category, description, iserror, text); codes: (admission, code)."""
    with open(folder / "NOTEEVENTS.csv", "w", newline="") as file:
        file.write(NOTES)
        rows = ([i, 1, a, "2100-01-01", "", "", c, d, "", e, t] for i, (a, c, d, e, t) in enumerate(notes))
        csv.writer(file).writerows(rows)
    with open(folder / "DIAGNOSES_ICD.csv", "w", newline="") as file:
        file.write(CODES)
        csv.writer(file).writerows([i, 1, a, 1, c] for i, (a, c) in enumerate(codes))
    found = {"notes": folder / "NOTEEVENTS.csv", "codes": folder / "DIAGNOSES_ICD.csv"}
    for split, admissions in lists.items():
        found[split] = folder / f"{split}_50_hadm_ids.csv"
        found[split].write_text("\n".join(map(str, admissions)) + "\n")
    return found


def test_diabetes(tmp_path, monkeypatch):
    monkeypatch.setattr(classification, "CHUNK", 2)  # an admission's notes lie in several chunks
    summary = "Discharge summary"
    notes = [
        (100, summary, "Addendum", "", "Later words."),
        (100, "Nursing", "Report", "", "Not this."),
        (100, summary, "Report", "", "Mr [**Known\nlastname 1**] came ------- - with __ pain.."),
        (200, summary, "Report", "1", "Withdrawn."),
        (200, summary, "Report", "", "Well."),
        (300, summary, "Report", "", "Ill."),
        ("", summary, "Report", "", "Of no admission."),
    ]
    codes = [(100, "25000"), (200, "25001"), (300, "250.00"), (300, "4019")]
    found = mimic(tmp_path, notes, codes, train=[100], dev=[200], test=[300])
    rows = list(classification.read_diabetes(found))
    assert [(s, a, label) for s, a, _, label in rows] == [
        ("train", "100", 1),
        ("dev", "200", 0),
        ("test", "300", 1),
    ]
    words = "mr deidentified came - with _ pain . later words .".split()
    assert list(tokenize([rows[0][2]])) == [words] and rows[1][2] == "Well."


def test_anemia(tmp_path):
    notes = [(n, "Discharge summary", "Report", "", f"Note {n}.") for n in range(200)]
    codes = [(n, "2851" if n % 2 else "28529") for n in range(100)]
    codes += [(0, "2851"), *((n, "") for n in range(100, 200))]
    rows = list(classification.read_anemia(mimic(tmp_path, notes, codes)))
    assert len(rows) == 99 and "0" not in {name for _, name, *_ in rows}  # both codes: neither class
    assert Counter(split for split, *_ in rows) == {"train": 67, "dev": 12, "test": 20}
    assert Counter(label for split, *_, label in rows if split == "test") == {0: 10, 1: 10}
    for _, name, _, label in rows:
        assert label == int(name) % 2  # acute is 1, as in the counts of the paper's tables
    assert loading.corpora()["anemia"]["classes"] == ["chronic", "acute"]


SUMMARY = "Discharge summary", "Report", ""
WHOLE = [(n, *SUMMARY, f"Note {n}.") for n in range(9)], [(n, "2851" if n % 2 else "2852") for n in range(9)]


def mimic_of(kind: str, folder, notes=WHOLE[0], codes=WHOLE[1]) -> dict:
    lists = {"train": range(5), "dev": [5, 6], "test": [7, 8]} if kind == "diabetes" else {}
    return mimic(folder, notes, codes, **lists)


def reader_of(kind: str):
    return {"diabetes": classification.read_diabetes, "anemia": classification.read_anemia}[kind]


@pytest.mark.parametrize(
    ("kind", "notes", "codes", "message"),
    [
        ("diabetes", WHOLE[0][:7], WHOLE[1], "NOTEEVENTS.csv: of 2 admissions, 2 have no discharge summary"),
        ("diabetes", WHOLE[0], WHOLE[1][:4], "DIAGNOSES_ICD.csv: of 5 admissions, 1 have no diagnosis"),
        ("anemia", WHOLE[0], WHOLE[1][:4], "DIAGNOSES_ICD.csv: of 9 admissions, 5 have no diagnosis"),
    ],
)
def test_an_admission_that_lacks_something_is_no_negative_one(tmp_path, kind, notes, codes, message):
    """A truncated table would else make positives negative, or a smaller corpus, without a word."""
    assert list(reader_of(kind)(mimic_of(kind, tmp_path)))
    with pytest.raises(ValueError, match=message):
        list(reader_of(kind)(mimic_of(kind, tmp_path, notes, codes)))


@pytest.mark.parametrize("kind", ["diabetes", "anemia"])
@pytest.mark.parametrize("file", ["notes", "codes"])
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: b"", "is empty or cut short"),
        (lambda data: data[:-5], "cut short"),
        (lambda data: data + b'9,1,9,"\n', "EOF inside string"),
        (lambda data: data.replace(b"HADM_ID", b"ID"), r"\['HADM_ID'\]"),
        (lambda data: data + b"9,1,\xff\xfe,1,1\n", "'utf-8' codec"),
    ],
    ids=["empty", "truncated", "in quotes", "column", "encoding"],
)
def test_broken_tables_of_mimic_are_one_sentence(tmp_path, kind, file, spoil, message):
    found = mimic_of(kind, tmp_path, [(a, c, d, "", '"It", she said.') for a, c, d, *_ in WHOLE[0]])
    found[file].write_bytes(spoil(found[file].read_bytes().replace(b",2852", b",")))
    told(found, reader_of(kind), message)


def told(path, reader, message: str) -> None:
    """The reader's fault as a reader of heed sees it: one sentence that says what is wrong."""
    with pytest.raises(HeedError, match=message) as caught:
        list(loading._readable("c", path, reader))
    assert "\n" not in str(caught.value) and str(caught.value).startswith("corpus c: ")


NEWS = {"empty": (b"", "empty|not a"), "truncated": (None, "end|truncated")}


@pytest.mark.parametrize(("data", "message"), NEWS.values(), ids=NEWS)
def test_a_broken_archive_of_20news_is_one_sentence(archive, data, message):
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) // 2] if data is None else data)
    told(archive, classification.read_20news, message)


CSV = b'"1","t","x"\n"2","t","y"\n"3","t","z"\n' * 9
LONG = b'"1","t","' + b"x" * 140_000
FAULTS = {
    "empty": (b"", r"(train|test)\.csv is empty"),
    "truncated": (CSV + b'"1","tit', r"(train|test)\.csv: unexpected end of data"),
    "cut after a field": (CSV + b'"1"', "row 28: not"),
    "a quote without its end": (LONG, r"(train|test)\.csv: field larger than field limit"),
    "encoding": (CSV + b'"1","t","\xff"\n', r"(train|test)\.csv: 'utf-8' codec"),
}


@pytest.mark.parametrize("reader", [classification.read_agnews, classification.read_zhang])
@pytest.mark.parametrize(("data", "message"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("half", ["train", "test"])
def test_a_broken_csv_of_news_is_one_sentence(tmp_path, reader, data, message, half):
    files = {"train": tmp_path / "train.csv", "test": tmp_path / "test.csv"}
    for name, path in files.items():
        path.write_bytes(data if name == half else CSV)
    told(files, reader, message)


def test_broken_encoding_inside_an_archive_names_the_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "trees.zip", "w") as file:
        for split in ("train", "dev", "test"):
            file.writestr(f"trees/{split}.txt", b"(3 (2 caf\xe9))\n" if split == "dev" else b"(3 (2 good))\n")
    told(tmp_path / "trees.zip", classification.read_sst, "trees/dev.txt: 'utf-8' codec")
    news(
        tmp_path / "imdb.tar.gz", {"aclImdb/train/pos/0_9.txt": "good", "aclImdb/test/neg/1_1.txt": "caf\xe9"}
    )
    told(tmp_path / "imdb.tar.gz", classification.read_imdb, "aclImdb/test/neg/1_1.txt: 'utf-8' codec")


@pytest.mark.parametrize("file", ["positive", "negative"])
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: b"", "or nothing in that"),
        (lambda data: data[:-1], "(DRUG-AE.rel|ADE-NEG.txt) is cut short: no line break ends it"),
        (lambda data: data[:-6] + b"\n", "line 9: not"),
        (lambda data: data + b"9 NEG \xff|\n", "(DRUG-AE.rel|ADE-NEG.txt): 'utf-8' codec"),
    ],
    ids=["empty", "truncated", "a short line", "encoding"],
)
def test_a_broken_file_of_ade_is_one_sentence(tmp_path, file, spoil, message):
    positive = [f"{n}|D{n}.|h|1|2|d|3|4" for n in range(9)]
    found = ade(tmp_path, positive, [f"{n} NEG S{n}" for n in range(9)])
    found[file].write_bytes(spoil(found[file].read_bytes()))
    told(found, classification.read_ade, message)


@pytest.mark.parametrize("kind", ["diabetes", "anemia"])
def test_notes_without_summaries_say_so(tmp_path, kind):
    found = mimic_of(kind, tmp_path, [(1, "Nursing", "Report", "", "x")])
    told(found, reader_of(kind), "NOTEEVENTS.csv: no note of CATEGORY 'Discharge summary'")


@pytest.mark.parametrize("kind", ["diabetes", "anemia"])
def test_a_summary_that_lacks_its_text_is_refused(tmp_path, kind):
    """pandas fills up the row, which would be an addendum of no words."""
    found = mimic_of(kind, tmp_path)
    with found["notes"].open("a") as file:
        file.write("20,1,0,,,,Discharge summary\n")
    told(found, reader_of(kind), "NOTEEVENTS.csv, row 10: a discharge summary without text")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "dev texts"),
        (b"5\n4\n", "dev_50_hadm_ids.csv: train_50_hadm_ids.csv lists admission 4, too"),
        (b"5\n5\n", "dev_50_hadm_ids.csv: dev_50_hadm_ids.csv lists admission 5, too"),
        (b"5\n99\n", "of 2 admissions, 1 have no discharge summary"),
        (b"5\n\xff\n", "dev_50_hadm_ids.csv: 'utf-8' codec"),
    ],
)
def test_a_broken_list_of_admissions_is_one_sentence(tmp_path, content, message):
    found = mimic_of("diabetes", tmp_path)
    found["dev"].write_bytes(content)
    told(found, classification.read_diabetes, message)


def test_an_archive_of_20news_without_a_half_is_refused(tmp_path):
    texts = {
        article(kind, n): f"{HEADER}The {kind} game.\n" for kind in ("baseball", "hockey") for n in range(9)
    }
    news(tmp_path / "news.tar.gz", texts)
    told(tmp_path / "news.tar.gz", classification.read_20news, "no 20news-bydate-{train,test}")


# The whole way of a licensed corpus: from the folder to a corpus, and each fault as one sentence.
@pytest.fixture
def licensed(tmp_path, cache, monkeypatch):
    folder = tmp_path / "licensed"
    (folder / "adr").mkdir(parents=True)
    monkeypatch.setenv("HEED_LICENSED", str(folder))
    return folder / "adr" / "adr_dataset.csv"


def tweets(count: int = 200) -> str:
    lines = ["text,label,exp_split"]
    for n in range(count):
        label, split = int(n % 3 == 0), "test" if n % 4 == 0 else "train"
        lines.append(f"a drug did it to me {'badly' if label else 'well'} today,{label},{split}")
    return "\n".join(lines) + "\n"


def test_relative_folders_lie_in_the_project(monkeypatch, tmp_path):
    """Wherever a command or a notebook runs: as HEED_MIRROR's and the results' do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEED_LICENSED", "no/such")
    monkeypatch.setenv("HEED_CACHE", "no/cache")
    monkeypatch.setattr(Path, "is_file", lambda path: path.is_relative_to(paths.ROOT / "no/such"))
    found = download.licensed("adr", {"folder": "adr", "files": {"file": "a.csv"}, "ask": "nobody"})
    assert found == {"file": paths.ROOT / "no/such/adr/a.csv"}
    assert paths.cache_folder() == paths.ROOT / "no/cache"


def test_a_licensed_corpus_is_read_from_the_reader_s_folder(licensed):
    licensed.write_text(tweets())
    corpus = loading.load(resolve({"corpus": "adr"}))
    assert corpus.classes == ("no reaction", "adverse reaction")
    assert [len(corpus.splits[s]) for s in ("train", "dev", "test")] == [127, 23, 50]
    assert np.array_equal(np.unique(corpus.splits["test"].labels), [0, 1])


def test_mimic_is_read_from_the_reader_s_folder(licensed):
    """From the official tables to a corpus: the filters, the rare words, and nothing left half-written."""
    folder = licensed.parents[1] / "mimic"
    folder.mkdir()
    rare = [f"once{n}" for n in range(60)]
    texts = [
        f"The patient {'ate sugar' if n % 2 else 'is pale today'} again and went home {rare[n]}"
        for n in range(60)
    ]
    texts[50], texts[51] = "word " * 4100, "Too short"
    codes = [(n, "25000" if n % 2 else "4019") for n in range(60)]
    lists = {"train": range(30), "dev": range(30, 40), "test": range(40, 60)}
    mimic(folder, [(n, *SUMMARY, text) for n, text in enumerate(texts)], codes, **lists)
    corpus = loading.load(resolve({"corpus": "diabetes"}))
    assert [len(corpus.splits[s]) for s in ("train", "dev", "test")] == [30, 10, 18]  # too long, too short
    assert {"sugar", "pale"} <= {*corpus.vocabulary.words} and not {*rare} & {*corpus.vocabulary.words}
    assert corpus.splits["test"].labels.tolist() == [n % 2 for n in range(40, 60) if n not in (50, 51)]
    with (folder / "DIAGNOSES_ICD.csv").open("a") as file:
        file.write("99,1,1")
    with pytest.raises(HeedError, match="DIAGNOSES_ICD.csv is empty or cut short") as caught:
        loading.load(resolve({"corpus": "diabetes"}))
    assert "delete" not in str(caught.value), "a licensed file is the reader's own"
    assert "PosixPath" not in str(caught.value)
    assert not list(licensed.parents[2].glob("cache/**/*.partial"))


@pytest.mark.parametrize("corpus", ["adr", "diabetes", "anemia"])
def test_a_licensed_corpus_that_is_missing_says_where_to_ask(corpus, cache, monkeypatch):
    monkeypatch.delenv("HEED_LICENSED", raising=False)
    with pytest.raises(
        HeedError, match=rf"{corpus}: heed can't pass this corpus on. Put .* ask for it at http"
    ):
        loading.load(resolve({"corpus": corpus}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not the file that was expected"),
        (b"text,label,exp_split\n\xff\xfe,0,train\n", "not the file that was expected"),
        (b"text,label,exp_split\n", "holds no train texts|not the file"),
        (tweets(20).encode().replace(b"today,1,test", b"today,7,test"), "label 0 or 1"),
        (tweets(20).encode().replace(b",1,", b",0,"), "no text of class 1"),
    ],
)
def test_a_broken_licensed_file_is_one_sentence(licensed, content, message):
    licensed.write_bytes(content)
    with pytest.raises(HeedError, match=message) as caught:
        loading.load(resolve({"corpus": "adr"}))
    assert "\n" not in str(caught.value)
    assert not list(licensed.parents[2].glob("cache/**/*.partial"))


def grid_of(*names: str) -> list:
    return [resolve({"corpus": name, "seed": seed}) for name in names for seed in (0, 1)]


@pytest.fixture
def part(tmp_path, monkeypatch):
    """A mirror that has SST's file (of any content), and no other corpus."""
    (tmp_path / "mirror" / "sst").mkdir(parents=True)
    (tmp_path / "mirror" / "sst" / "trainDevTestTrees_PTB.zip").write_bytes(b"x")
    line = f"sst/trainDevTestTrees_PTB.zip\t1\t{hashlib.sha256(b'x').hexdigest()}\n"
    (tmp_path / "mirror" / "MANIFEST.tsv").write_text(line)
    monkeypatch.setenv("HEED_MIRROR", str(tmp_path / "mirror"))


def test_a_grid_goes_on_without_an_open_corpus_that_is_not_there(licensed, part):
    """The mirror has no AG News: a sentence, and no run; but what is left out all the same isn't."""
    runs = grid_of("sst", "agnews", "planted")
    assert list(absent(runs)) == ["agnews"] and "has no ag_news/" in absent(runs)["agnews"]
    assert not absent(runs, [run.path for run in runs if run.corpus == "agnews"])
    with pytest.raises(HeedError, match="has no ag_news/"):
        absent(grid_of("agnews"))


def test_a_grid_leaves_out_what_is_not_to_be_had(licensed, part):
    """With a sentence each; a grid of nothing else is refused."""
    found = absent(grid_of("sst", "adr", "anemia"))
    assert list(found) == ["adr", "anemia"] and all("ask for it at http" in said for said in found.values())
    licensed.write_text(tweets())
    assert list(absent(grid_of("sst", "adr", "anemia"))) == ["anemia"]
    with pytest.raises(HeedError, match="anemia: heed can't pass this corpus on"):
        absent(grid_of("anemia"))


# Counts of the corpora that the mirror holds; a partial one is said to be partial.
@pytest.mark.mirror
def test_counts_of_the_mirror():
    counts = {}
    for name in ("20news", "ade", "agnews"):
        corpus = loading.load(resolve({"corpus": name}))
        counts[name] = {s: tuple(np.bincount(part.labels)) for s, part in corpus.splits.items()}
    assert counts["agnews"]["test"] == (1900, 1900) and loading.partial("agnews")
    assert counts["20news"] == {"train": (596, 574), "dev": (139, 155), "test": (183, 184)}
    assert counts["ade"]["train"] == (11450, 2969) and not loading.partial("ade")
