"""Files that somebody made to do harm, or that were damaged at random: a sentence, or read as they are.

`pytest tests/whole/test_hostile.py --hypothesis-profile search` tries 2,000 of each kind instead of 50.
"""

import gzip
import html
import io
import json
import lzma
import re
import tarfile
import time
import tracemalloc
import zipfile
from pathlib import Path

import nbformat
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heed import paths, verdict
from heed.corpora import classification, loading, user_corpus
from heed.evidence import Evidence
from heed.params import Params, resolve
from heed.registry import parse_yaml, read_yaml
from heed.runs.products import files
from heed.runs.run import Run
from heed.runs.verify import verify
from heed.show.export_html import page
from heed.show.notebook import inert, tokens
from heed.show.words import visible
from refusals import NOISE, noisy, read, record, refused, reviews, told, trees
from shown import spans

AGAIN = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


# Archives: read, never unpacked


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize(
    "info",
    [
        member("../../escaped.txt"),
        member("/tmp/escaped.txt"),
        member("aclImdb/train/neg/../../../../escaped.txt"),
        member("aclImdb/train/neg/7_1.txt", tarfile.SYMTYPE, "/etc/passwd"),
        member("aclImdb/train/neg/8_1.txt", tarfile.LNKTYPE, "../../../../etc/passwd"),
        member("aclImdb/train/neg/9_1.txt", tarfile.CHRTYPE),
        member("aclImdb/train/neg/5_1.txt", tarfile.FIFOTYPE),
    ],
    ids=["up", "root", "within and up", "symbolic link", "hard link", "device", "pipe"],
)
def test_members_that_leave_their_folder(tmp_path, info):
    """Only files of the expected names count: the texts are the same without the member."""
    block = io.BytesIO(reviews("w"))
    with tarfile.open(fileobj=block, mode="a") as archive:
        archive.addfile(info)
    (tmp_path / "a.tar").write_bytes(block.getvalue())
    (tmp_path / "b.tar").write_bytes(reviews("w"))
    assert list(classification.read_imdb(tmp_path / "a.tar")) == list(
        classification.read_imdb(tmp_path / "b.tar")
    )
    assert {path.name for path in tmp_path.iterdir()} == {"a.tar", "b.tar"}
    assert not Path("/tmp/escaped.txt").exists()


def bomb(name: str, header: bool = False) -> bytes:
    """A tar of 200 MB of zeros, as a text or as a header that tarfile reads at once."""
    block = io.BytesIO()
    with gzip.open(block, "wb") as packed:
        info = member(name, tarfile.XHDTYPE if header else tarfile.REGTYPE)
        info.size = 200 * 2**20
        packed.write(info.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(200):
            packed.write(bytes(2**20))
    return block.getvalue()


@pytest.mark.thorough
@pytest.mark.parametrize("header", [False, True], ids=["text", "header"])
def test_a_tar_that_unpacks_to_far_more(tmp_path, header):
    path = tmp_path / "a.tar.gz"
    path.write_bytes(bomb("aclImdb/train/neg/0_1.txt", header))
    assert path.stat().st_size < 2**18
    tracemalloc.start()
    with refused("corpus c", str(path), "unpacks to more than it may"):
        list(loading._readable("c", path, classification.read_imdb))
    assert tracemalloc.get_traced_memory()[1] < 64 * 2**20
    tracemalloc.stop()


def test_a_sparse_member_is_no_file(tmp_path):
    """10 kB that claim 300 MiB of zeros, which are in no archive and would pass every limit on it."""
    info = member("aclImdb/train/neg/0_1.txt")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "314572800"}
    info.size = 512
    block = io.BytesIO(reviews("w"))
    with tarfile.open(fileobj=block, mode="a", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(b"1\n0\n0\n".ljust(512, b"\0")))
    (tmp_path / "a.tar").write_bytes(block.getvalue())
    with tarfile.open(tmp_path / "a.tar") as archive:
        assert archive.getmembers()[-1].issparse() and archive.getmembers()[-1].isfile()
    (tmp_path / "b.tar").write_bytes(reviews("w"))
    tracemalloc.start()
    assert list(classification.read_imdb(tmp_path / "a.tar")) == list(
        classification.read_imdb(tmp_path / "b.tar")
    )
    assert tracemalloc.get_traced_memory()[1] < 64 * 2**20
    tracemalloc.stop()


@pytest.mark.thorough
@pytest.mark.parametrize("reader", [classification.read_agnews, classification.read_zhang])
@pytest.mark.parametrize("row", [f'"1","a","{"b " * 50_000}"\n', "b" * 100_000], ids=["rows", "a line"])
def test_a_packed_csv_that_unpacks_to_far_more(tmp_path, reader, row):
    files = {half: tmp_path / f"{half}.csv.gz" for half in ("train", "test")}
    for path in files.values():
        path.write_bytes(gzip.compress(row.encode() * 1000, 9))
    assert path.stat().st_size < 2**18
    tracemalloc.start()
    with refused("corpus c", "unpacks to more than it may"):
        list(loading._readable("c", files, reader))
    assert tracemalloc.get_traced_memory()[1] < 96 * 2**20
    tracemalloc.stop()


def test_a_zip_that_unpacks_to_far_more(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trees/train.txt", bytes(64 * 2**20))
    with refused("trees/train.txt unpacks to more than it may"):
        list(loading._readable("c", path, classification.read_sst))


def test_a_zip_that_lies_about_its_size(tmp_path):
    """zipfile reads what the entry says to hold, and then misses its checksum."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trees/train.txt", bytes(64 * 2**20))
    size = (64 * 2**20).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (1000).to_bytes(4, "little")))
    with refused("corpus c", str(path), "CRC"):
        list(loading._readable("c", path, classification.read_sst))


def test_an_encrypted_zip(tmp_path):
    path, block = tmp_path / "v.zip", trees({"train": ["(4 x)"], "dev": [], "test": []})
    path.write_bytes(block.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"))
    with refused("corpus c", "encrypted"):
        list(loading._readable("c", path, classification.read_sst))


@pytest.mark.thorough
@given(noise=NOISE)
@AGAIN
@pytest.mark.parametrize("reader", [classification.read_sst, classification.read_imdb], ids=["zip", "tar.xz"])
def test_archives_with_bytes_replaced(tmp_path, reader, noise):
    lines = {split: [f"({i % 5} (2 w{i}))" for i in range(40)] for split in loading.SPLITS}
    block = trees(lines) if reader is classification.read_sst else reviews("w:xz")
    (tmp_path / "a").write_bytes(noisy(block, noise))
    told(lambda: list(loading._readable("c", tmp_path / "a", reader)))


# Vectors and lines without end


def test_a_line_without_end(tmp_path):
    """A gigabyte without a line break, which is a file with a hole, fills no memory."""
    with open(tmp_path / "v.txt", "wb") as file:
        file.truncate(2**30)
    tracemalloc.start()
    with refused("v.txt is damaged", "a line of over 1048576 bytes"):
        read(tmp_path / "v.txt")
    assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    tracemalloc.stop()


@pytest.mark.thorough
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=[".gz", ".xz"])
def test_vectors_that_unpack_to_far_more(tmp_path, pack):
    path = tmp_path / ("v.gz" if pack is gzip.compress else "v.xz")
    path.write_bytes(pack(b"other 1 2\n" * 4_000_000))
    with refused("is damaged", "over 16777216 bytes"):
        read(path)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999"])
def test_vectors_of_no_finite_number(tmp_path, number):
    (tmp_path / "v.txt").write_text(f"good 1 2\nfilm 1 {number}\n")
    with refused("v.txt is damaged", "line 2 holds a number that isn't finite"):
        read(tmp_path / "v.txt")


@given(noise=NOISE, lines=st.lists(st.text(max_size=20), max_size=4))
@AGAIN
def test_vector_files_of_anything(tmp_path, noise, lines):
    block = "\n".join(["film 1 2", *lines, "bad 3 4"]).encode("utf-8", "surrogatepass")
    (tmp_path / "v.txt").write_bytes(noisy(block, noise))
    found = told(read, tmp_path / "v.txt")
    assert isinstance(found, str) or all(len(vector) == 2 for vector in found.values())


# A corpus of one's own


def taken(path: Path, *classes: str):
    return pd.concat(loading._readable("mine", path, user_corpus.read, classes))


def test_a_file_of_ones_own_that_is_too_large(tmp_path):
    with open(tmp_path / "a.csv", "wb") as file:
        file.truncate(2**30 + 1)
    with refused("1073741825 bytes; at most", "1073741824 bytes are read"):
        taken(tmp_path / "a.csv", "x", "y")
    pq.write_table(pa.table({"label": pa.nulls(10_000_001)}), tmp_path / "a.parquet")
    with refused("10000001 rows", "at most 10000000 rows"):
        taken(tmp_path / "a.parquet", "x", "y")


def test_a_text_that_is_too_long(tmp_path):
    lines = ["split,text,label", *(f"{split},a b,0" for split in loading.SPLITS), f"dev,{'x' * 1_000_001},1"]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    with refused("corpus mine: text row4 of split dev has 1000001 characters, at most 1000000"):
        taken(tmp_path / "a.csv", "x", "y")


def test_a_run_of_signs_that_is_too_long(tmp_path):
    """The tokenizer's time goes with its square; spaces between them make it harmless."""
    lines = ["split,text,label", *(f"{split},{'= ' * 3000},0" for split in loading.SPLITS)]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    assert len(taken(tmp_path / "a.csv", "x", "y")) == 3
    (tmp_path / "a.csv").write_text("\n".join([*lines, f"dev,so {'=' * 2001} it is,1"]))
    with refused("text row4 of split dev has 2001 characters without a space, at most 2000"):
        taken(tmp_path / "a.csv", "x", "y")


def test_a_parquet_file_of_one_text_many_times(tmp_path, monkeypatch):
    """Stored once, it would fill the memory; what is read is counted row by row."""
    monkeypatch.setattr(user_corpus, "BYTES", 2**24)
    rows = {"split": ["train"] * 5000, "text": ["x y " * 25_000] * 5000, "label": [0] * 5000}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 2**20
    with refused("its rows hold more than 16777216 bytes"):
        taken(tmp_path / "a.parquet", "x", "y")


CSV = "split,text,label\n" + "".join(f'{s},"a ""b"", c",{n}\n' for s in loading.SPLITS for n in "xy")


@given(noise=NOISE, parquet=st.booleans())
@AGAIN
def test_files_of_ones_own_with_bytes_replaced(tmp_path, noise, parquet):
    path, block = tmp_path / ("a.parquet" if parquet else "a.csv"), CSV.encode()
    if parquet:
        block = pd.read_csv(io.BytesIO(block)).to_parquet()
    path.write_bytes(noisy(block, noise))
    told(taken, path, "x", "y")


# YAML


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system [true]",
        "!!python/name:os.system",
        "!!python/module:os",
        "a: &a [x]\nb: *a",
        "a: &a [x, x]\n"
        + "".join(f"{c}: &{c} [*{p}, *{p}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)),
        "a: &a {x: *a}",
        "<<: 3",
        "[" * 10_000,
        "{a: " * 5_000,
        "9" * 5_000,
        "2001-99-99",
        "? [a]\n: b",
        "\x00",
        "a: b\n\tc: d",
    ],
    ids=lambda text: text[:24],
)
def test_yaml_that_would_do_harm(text, tmp_path):
    start = time.monotonic()
    with refused("can't be read as YAML", "Correct or restore it."):
        parse_yaml(tmp_path / "x.yaml", text)
    assert time.monotonic() - start < 20


def test_a_yaml_file_without_end(tmp_path):
    with open(tmp_path / "x.yaml", "wb") as file:
        file.truncate(2**30)
    with refused("over 1000000 characters"):
        read_yaml(tmp_path / "x.yaml")


@given(text=st.text(alphabet=st.sampled_from("ab:-[]{}&*!<>|#\"'\n\t ,?0.e%@`~_="), max_size=40))
def test_yaml_of_anything(text):
    told(parse_yaml, "x", text)


@given(name=st.sampled_from([*Params.model_fields]), value=JSON)
def test_parameters_of_anything(name, value):
    found = told(resolve, {name: value})
    assert isinstance(found, (str, Params))


@given(given=st.dictionaries(st.text(max_size=8), JSON, max_size=3))
def test_parameters_of_any_name(given):
    told(resolve, given)


# Results


@pytest.mark.thorough
@given(noise=NOISE)
@AGAIN
@pytest.mark.parametrize("product", ["weights", "evidence", "correlation", "loo", "summary"])
def test_products_with_bytes_replaced(finished, small, tmp_path_factory, product, noise):
    """With the checksum corrected, as one who tampers with both would; without, nothing is read at all."""
    run = small(tmp_path_factory.mktemp("tampered"))
    run.folder.mkdir(parents=True)
    for name in (files()["weights"], files()["curve"], files()["evidence"], files()[product], "run.json"):
        (run.folder / name).write_bytes((finished.folder / name).read_bytes())
    path = run.folder / files()[product]
    path.write_bytes(noisy(path.read_bytes(), noise))
    table, faults = verify(run.folder.parents[3])
    changed = path.read_bytes() != (finished.folder / files()[product]).read_bytes()
    assert (f"{path}: damaged" in faults) == changed
    record(run, product)
    if product == "weights":
        told(run.model)
    elif product == "evidence":
        told(lambda: [row for row in Evidence.open(path)])
    else:
        told(run.table, product)
    if product == "summary":
        told(verdict.finished, run.folder.parents[3])


@given(content=JSON | st.fixed_dictionaries({"parameters": JSON, "products": JSON, "scores": JSON}))
@AGAIN
def test_run_json_of_anything(tmp_path, content):
    folder = tmp_path / Params().path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(content))
    told(Run.of, tmp_path)
    told(verify, tmp_path)


@pytest.mark.parametrize("product", ["curve", "summary", "correlation", "loo"])
def test_a_table_of_another_schema_in_the_summaries(copied, product):
    pd.DataFrame({"harm": [1]}).to_parquet(copied.folder / files()[product])
    record(copied, product)
    if product == "summary":
        with refused("summary.parquet is damaged", "its columns are not a summary's"):
            verdict.finished(copied.folder.parents[3])
    elif product == "correlation":
        with refused("table correlation"):
            copied.table(product)


@pytest.mark.parametrize("column", ["corpus", "given", "measure", "class", "library"])
@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "![x](https://example.org/x.png)"])
def test_names_that_are_none_stay_out_of_the_verdict(copied, column, name):
    """Chapter 12 takes names into its sentences, and the folder may be another's."""
    table = pd.read_parquet(copied.folder / files()["summary"])
    odd = table["measure"] == table["measure"].iloc[0]
    table.assign(**{column: table[column].mask(odd, name)}).to_parquet(copied.folder / files()["summary"])
    found = verdict.gather(copied.folder.parents[3])
    assert found.strange == odd.sum() and not (found.runs[column] == name).any()


def test_a_manifest_in_another_encoding(tmp_path, monkeypatch):
    (tmp_path / "MANIFEST.tsv").write_bytes(b"\xff\xfea\tb\tc\n")
    monkeypatch.setenv("HEED_MIRROR", str(tmp_path))
    with refused("MANIFEST.tsv can't be read as text", "unset HEED_MIRROR"):
        loading.fetch("c", {"mirror": "a"})


def test_only_the_downloads_know_the_network():
    """test_environment.py does the same for pickle and its like."""
    for path in (paths.ROOT / "lib" / "heed").rglob("*.py"):
        found = re.findall(
            r"^\s*(?:import|from) (pooch|requests|urllib|socket|http)", path.read_text(), re.MULTILINE
        )
        assert found == (["pooch"] if path.name == "download.py" else []), path


@pytest.mark.parametrize(
    "product, where", [("correlation", 0.84375), ("loo", 0.88671875), ("summary", 0.7108944505)]
)
def test_a_table_whose_schema_has_a_wrong_byte(copied, product, where):
    """Found at random: pandas' own note in the file is broken, and pandas raises what it likes."""
    path = copied.folder / files()[product]
    path.write_bytes(noisy(path.read_bytes(), [(where, 48)]))
    record(copied, product)
    told(copied.table, product)


# Sentences


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[x](https://example.org)",
    "![x](https://example.org/x.png)",
    "https://example.org",
    *("_y_", "*y*", "`y`", "$x$", "~~y~~", "a|b", "\\(x\\)", "a\u202eb", "&lt;", "<!--"),
]


@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_of_a_sentence_is_itself(tmp_path, word):
    """As a token, a class or a title in a chapter's sentence, on the page that is made of it."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("say(...)")])
    said = f"P({inert(word)}) is high; *{tokens(['so', word])}*."
    book.cells[0].outputs = [nbformat.v4.new_output("display_data", {"text/markdown": said})]
    nbformat.write(book, tmp_path / "a.ipynb")
    (shown,) = re.findall(r"<p>(P\(.*?)</p>", page(tmp_path / "a.ipynb").read_text(encoding="utf-8"), re.S)
    around = re.findall(r"<[^>]*>", shown)
    assert [tag for tag in around if tag not in ("<span>", "</span>")] == ["<em>", "</em>"]
    assert around.count("<span>") == around.count("</span>") == 2 * len(spans(word))
    assert html.unescape(re.sub("<[^>]*>", "", shown)) == f"P({visible(word)}) is high; so {visible(word)}."
