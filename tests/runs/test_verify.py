"""Is everything in a folder as it was when it was made?"""

import json

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
