"""Is everything in a folder as it was when it was made?"""

import json
import os

import pytest

from heed.__main__ import checked
from heed.runs.products import files
from heed.runs.verify import verify
from refusals import refused


def test_a_whole_folder_is_verified(finished, capsys):
    results = finished.folder.parents[3]
    assert checked(str(results)) == 0
    said = capsys.readouterr().out
    runs = results.glob("*/*/*/seed*/run.json")  # chapter 07's other models are runs of their own
    made = sum(len(json.loads(path.read_text())["products"]) for path in runs)
    assert made > len(files())
    assert f"{made} products are whole (0 of them stale" in said and "0 are damaged or missing" in said


def test_what_is_damaged_or_missing_is_named(copied, capsys):
    weights, loo = (copied.folder / files()[name] for name in ("weights", "loo"))
    weights.write_bytes(weights.read_bytes()[:-1])
    loo.unlink()
    assert checked(str(copied.folder.parents[3])) == 1
    said = capsys.readouterr().out
    assert (
        f"{weights}: damaged." in said and f"{loo}: missing." in said and "2 are damaged or missing" in said
    )


def test_products_of_another_version_are_stale(copied):
    info = json.loads((copied.folder / "run.json").read_text())
    info["products"]["weights"]["library"] = "0" * 12
    info["products"]["of another version"] = {}
    (copied.folder / "run.json").write_text(json.dumps(info))
    table, faults = verify(copied.folder.parents[3])
    assert table["stale"].tolist() == [1] and faults == []


@pytest.mark.parametrize(
    "content", ["", "[]", '{"products": 3}', '{"products": {"loo": {}}}', "[" * 10**5, None]
)
def test_a_folder_whose_run_json_is_none(copied, content):
    path = copied.folder / "run.json"
    path.unlink() if content is None else path.write_text(content)
    assert verify(copied.folder.parents[3])[1] == [
        f"{path}: " + ("missing" if content is None else "damaged")
    ]


def test_a_folder_without_runs(tmp_path):
    with refused(f"{tmp_path} holds no run"):
        verify(tmp_path)


def test_what_kept_its_size_and_time_is_met_by_checksums_alone(copied):
    weights, written = copied.folder / files()["weights"], (copied.folder / "run.json").stat()
    content = weights.read_bytes()
    weights.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    os.utime(weights, ns=(written.st_atime_ns, written.st_mtime_ns - 1))
    results = copied.folder.parents[3]
    assert verify(results)[1] == []
    assert verify(results, deep=True)[1] == [f"{weights}: damaged"]


def test_what_is_younger_than_its_record_is_checked_by_its_checksum(copied):
    weights = copied.folder / files()["weights"]
    content = weights.read_bytes()
    weights.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    assert verify(copied.folder.parents[3])[1] == [f"{weights}: damaged"]


def test_a_run_json_without_sizes_is_checked_by_checksums(copied):
    weights, path = copied.folder / files()["weights"], copied.folder / "run.json"
    info = json.loads(path.read_text())
    for record in info["products"].values():
        del record["bytes"]
    content = weights.read_bytes()
    weights.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    path.write_text(json.dumps(info))
    assert verify(copied.folder.parents[3])[1] == [f"{weights}: damaged"]
