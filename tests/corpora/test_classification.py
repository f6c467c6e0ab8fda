"""The readers, on files that the tests make in the official forms, and what can be wrong with each."""

import csv
import gzip
import io
import itertools
import tarfile
import zipfile
from collections import Counter

import pandas as pd
import pytest

from heed.corpora import classification, loading
from heed.corpora.tokens import tokenize
from heed.errors import HeedError
from mimic_tables import SUMMARY, mimic

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


# SST, IMDB


def sst_archive(path, trees: dict[str, list[str]]):
    """A zip in the form of the Stanford trees."""
    with zipfile.ZipFile(path, "w") as file:
        for split, lines in trees.items():
            file.writestr(f"trees/{split}.txt", "".join(line + "\n" for line in lines))
    return path


def test_sst_trees(tmp_path):
    """Root labels 0-1 and 3-4 count, 2 goes; leaves are the text; brackets and punctuation go."""
    trees = {
        "train": [
            "(4 (2 The) (4 (3 best) (2 film)))",
            "(2 (2 Neither) (2 here))",
            "(0 (1 Not) (2 -LRB-) (2 (2 at) (2 all)) (2 -RRB-) (2 !))",
            "(1 (2 It) (1 (2 's) (1 (1 n't) (2 well-made))))",
        ],
        "dev": ["(3 (2 A) (3 treat))"],
        "test": ["(3 1)", "(0 (2 caf\u00e9) (0 \\/))"],
    }
    rows = list(classification.read_sst(sst_archive(tmp_path / "t.zip", trees)))
    assert [(split, id, text.split(), label) for split, id, text, label in rows] == [
        ("train", "train-0", ["The", "best", "film"], 1),
        ("train", "train-2", ["Not", "at", "all"], 0),
        ("train", "train-3", ["It", "s", "n", "t", "well", "made"], 0),
        ("dev", "dev-0", ["A", "treat"], 1),
        ("test", "test-0", ["1"], 1),
        ("test", "test-1", ["caf\u00e9"], 0),
    ]


def test_imdb_reviews(tmp_path):
    """Labels from the folders; 80 % of the training half train, 20 % of the test half test; no overlap."""
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        for half, label, n in itertools.product(("train", "test"), ("neg", "pos"), range(10)):
            block = f"{label} review {n} of {half}<br />the end".encode()
            info = tarfile.TarInfo(f"aclImdb/{half}/{label}/{n}_{9 if label == 'pos' else 2}.txt")
            info.size = len(block)
            file.addfile(info, io.BytesIO(block))
        file.addfile(tarfile.TarInfo("aclImdb/train/unsup/0_0.txt"))
    rows = pd.DataFrame(classification.read_imdb(path), columns=["split", "id", "text", "label"])
    assert rows["split"].value_counts().to_dict() == {"train": 16, "dev": 4, "test": 4}
    assert rows["id"].is_unique
    assert (rows["label"] == rows["text"].str.startswith("pos").astype(int)).all()
    assert (rows["text"].str.contains("of test") == (rows["split"] == "test")).all()
    assert rows["text"].str.endswith(" the end").all()


# Ratings, and Zhang's form


def tar(path, members: dict[str, str]):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content.encode())
            archive.addfile(info, io.BytesIO(content.encode()))
    return path


def test_ratings_are_in_the_files_names(tmp_path):
    members = {}
    for half in ("train", "test"):
        for k, rating in enumerate([1, 2, 3, 4, 7, 8, 9, 10] * 2):
            folder = "pos" if rating > 5 else "neg"
            members[f"aclImdb/{half}/{folder}/{k}_{rating}.txt"] = f"rated {rating}"
    rows = list(classification.read_imdb8(tar(tmp_path / "imdb.tar.gz", members)))
    ratings = [1, 2, 3, 4, 7, 8, 9, 10]
    assert all(said == f"rated {ratings[label]}" for _, _, said, label in rows)
    assert {split for split, *_ in rows} == {"train", "dev", "test"}
    plain = list(classification.read_imdb(tmp_path / "imdb.tar.gz"))
    assert [row[:3] for row in rows] == [row[:3] for row in plain]  # the same texts in the same splits
    wrong = {f"aclImdb/{half}/neg/{k}_5.txt": "so so" for half in ("train", "test") for k in range(10)}
    with pytest.raises(ValueError, match="a rating of 5, expected 1 to 4 or 7 to 10"):
        list(classification.read_imdb8(tar(tmp_path / "wrong.tar.gz", wrong)))


ROWS = [("2", "A title", 'It said ""no"",\\nand left.'), ("1", "", "Nothing else"), ("3", "x", "y")]


def zhang(count: int) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(
        [(label, a, b.replace('""', '"')) for label, a, b in ROWS] * count
    )
    return out.getvalue()


def test_zhangs_form_is_read_from_a_tar_and_from_files(tmp_path):
    tarred = tar(
        tmp_path / "yelp.tgz", {"y/readme.txt": "no", "y/train.csv": zhang(10), "y/test.csv": zhang(1)}
    )
    (tmp_path / "test.csv").write_text(zhang(1))
    with gzip.open(tmp_path / "train.csv.gz", "wt") as file:
        file.write(zhang(10))
    rows = list(classification.read_zhang(tarred))
    apart = {"train": tmp_path / "train.csv.gz", "test": tmp_path / "test.csv"}
    assert rows == list(classification.read_zhang(apart))
    test = [row for row in rows if row[0] == "test"]
    said = ['A title It said "no", and left.', " Nothing else", "x y"]
    assert test == [("test", f"test{i + 1}", said[i], label) for i, label in enumerate([1, 0, 2])]
    assert [sum(row[0] == split for row in rows) for split in ("train", "dev")] == [27, 3]


@pytest.mark.parametrize(
    ("train", "said"),
    [
        ("a,b\n", "train.csv, row 1"),
        ('"1"\n', "row 1"),
        ('"0","x"\n', "row 1"),
        ('"1","x"\n"99x","y"\n', "row 2"),
    ],
)
def test_another_form_is_refused_by_row(tmp_path, train, said):
    path = tar(tmp_path / "z.tgz", {"train.csv": train, "test.csv": zhang(1)})
    with pytest.raises(ValueError, match=said):
        list(classification.read_zhang(path))


def test_a_tar_without_the_files_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no train.csv and test.csv"):
        list(classification.read_zhang(tar(tmp_path / "z.tgz", {"train.csv": zhang(1)})))
