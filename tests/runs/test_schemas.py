"""The committed forms of run.json and of the tables: in step with code, true of files, read when old."""

import json
import re

import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from heed.errors import HeedError
from heed.measures import registry
from heed.runs import schemas
from heed.runs.record import SCHEMA, checked
from refusals import refused
from small_run import products

COMMITTED = sorted(schemas.FOLDER.glob("*.json"))
TABLES = [path for path in COMMITTED if not path.stem.startswith("run-")]


def test_what_is_committed_is_what_the_code_says():
    """`python -m heed schemas` writes it; versions before today's are kept from 1 on."""
    for name, schema in schemas.schemas().items():
        assert (schemas.FOLDER / f"{name}.json").read_text(encoding="utf-8") == schemas.text_of(schema), name
        Draft202012Validator.check_schema(schema)
        of, version = re.fullmatch(r"(.+)-(\d+)", name).groups()
        for older in range(1, int(version)):
            assert (schemas.FOLDER / f"{of}-{older}.json").exists()
    today = schemas.schemas().keys()
    names = {name.rpartition("-")[0] for name in today}
    assert {path.stem.rpartition("-")[0] for path in COMMITTED} == names


def test_a_runs_files_are_of_these_forms(finished):
    """Each registered table that a run of texts has, and its run.json."""
    found = schemas.schemas()
    validator = Draft202012Validator(found[f"run-{SCHEMA}"])
    written = json.loads((finished.folder / "run.json").read_text())
    validator.validate(written)
    assert written["schema"] == SCHEMA
    met = registry.TABLES.keys() & products().keys()
    assert len(met) > 8
    for name in met:
        rows = json.loads(finished.table(name).to_json(orient="records", double_precision=15))
        assert rows, name
        validator = Draft202012Validator(found[f"{name}-{registry.version(name)}"])
        for row in rows[:10]:
            validator.validate(row)


def example(schema: dict) -> dict:
    """A row that has what the form demands, and no more: a file from before later measures."""
    plain = {"string": "a", "integer": 1, "boolean": True, "number": 0.25, "array": []}
    found = {}
    for name in schema["required"]:
        own = schema["properties"][name]
        kind = own["type"] if isinstance(own["type"], str) else own["type"][0]
        found[name] = own["enum"][0] if "enum" in own else plain[kind]
    return found


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_a_table_of_each_version_is_read_or_refused(path):
    """One of today's version is read; of an older one it is read, or a sentence says what to do."""
    name, version = path.stem.rpartition("-")[::2]
    frame = pd.DataFrame([example(json.loads(path.read_text(encoding="utf-8")))])
    try:
        assert len(registry.validate(name, frame)) == 1
    except HeedError as error:
        assert int(version) < registry.version(name) and "make it anew" in str(error)


def test_a_table_of_another_form_is_refused():
    frame = pd.DataFrame([{"id": "a", "predicted": 0, "length": 3, "max_attention": 2.0}])
    with refused("table permutation:", "max_attention", "make it anew"):
        registry.validate("permutation", frame)


# run.json as heed wrote it before the form had a number, and before machines were recorded.
UNNUMBERED = {
    "parameters": {"corpus": "planted"},
    "products": {
        "weights": {"sha256": "0" * 64, "library": "0" * 12, "seconds": 1.5, "peak_memory_mib": 400}
    },
    "scores": {},
}


def test_older_run_files_are_read_and_later_ones_refused():
    for version in range(1, SCHEMA + 1):
        assert (schemas.FOLDER / f"run-{version}.json").exists()
        assert checked(UNNUMBERED | {"schema": version}, "run.json")["products"]
    assert checked(UNNUMBERED, "run.json") == UNNUMBERED
    with refused("run.json was written by a later heed", f"reads up to {SCHEMA}", "Update heed"):
        checked(UNNUMBERED | {"schema": SCHEMA + 1}, "run.json")


def test_a_run_of_a_later_heed_is_refused(copied):
    path = copied.folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema": SCHEMA + 1}))
    with refused(str(path), "later heed"):
        copied.ensure("weights")


@pytest.mark.parametrize(
    "wrong", [{"products": {"weights": {"sha256": "short"}}}, {"scores": 3}, {"schema": "1"}]
)
def test_a_run_file_of_no_version_is_damaged(copied, wrong):
    path = copied.folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | wrong))
    with refused(str(path), "is damaged"):
        copied.ensure("weights")
