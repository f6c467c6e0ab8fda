"""One definition of a thing: environments, versions and lists that must agree, and what no source may do."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from heed import paths
from heed.corpora import loading, planted
from heed.experiments import copying
from heed.measures import correlation, registry
from heed.models.attentions import ATTENTIONS
from heed.models.encoders import ENCODERS
from heed.params import OF_TASK, Named, Params, Translating, is_sequences, kind_of, resolve
from heed.registry import corpora, yaml_files
from heed.runs import products

PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
SOURCES = sorted((paths.ROOT / "lib" / "heed").rglob("*.py"))
CONSTRAINTS = [
    line.split("#")[0].strip()
    for line in (paths.ROOT / "constraints.txt").read_text().splitlines()
    if line.split("#")[0].strip()
]
PINS = {canonicalize_name(Requirement(line).name): Requirement(line) for line in CONSTRAINTS}


def in_project(path: Path) -> str:
    """A path as a test is called by it."""
    return str(path.relative_to(paths.ROOT))


def code_of(path: Path) -> str:
    """A module's source, or the code cells of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


# Environments


def requirements() -> list[Requirement]:
    """What pyproject asks for, its extras included."""
    extras = PROJECT["optional-dependencies"].values()
    return [Requirement(line) for line in [*PROJECT["dependencies"], *(d for e in extras for d in e)]]


def test_conda_gets_what_pip_gets():
    """environment.yml names Python, pip, and under pip PyTorch's index, constraints.txt and the project."""
    environment = yaml.safe_load((paths.ROOT / "environment.yml").read_text())
    named = [d for d in environment["dependencies"] if isinstance(d, str)]
    (pip,) = [d["pip"] for d in environment["dependencies"] if isinstance(d, dict)]
    python, has_pip = sorted(named)[::-1]
    assert has_pip == "pip"
    assert Version(python.removeprefix("python=")) in SpecifierSet(PROJECT["requires-python"])
    index, constraint, project = pip
    assert (
        index.startswith("--extra-index-url ") and index.split()[1] in (paths.ROOT / "Makefile").read_text()
    )
    assert constraint == "-c constraints.txt"
    extras = re.fullmatch(r"-e \.\[(.+)\]", project).group(1).split(",")
    assert sorted(extras) == sorted(PROJECT["optional-dependencies"])


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_every_dependency_is_pinned(requirement):
    """constraints.txt has its exact version, which satisfies what pyproject asks for."""
    pin = PINS[canonicalize_name(requirement.name)]
    (exact,) = pin.specifier
    assert exact.operator == "=="
    assert Version(exact.version) in requirement.specifier


def test_constraints_are_plain_exact_versions():
    """A local version (`+cpu`) could not be installed from PyPI, nor with a GPU."""
    for line in CONSTRAINTS:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line), line
    names = [canonicalize_name(Requirement(line).name) for line in CONSTRAINTS]
    assert len(set(names)) == len(names)


def test_nothing_builds_parsers_when_jupyter_begins():
    """rfc3987-syntax does, 38 of them: three seconds of each chapter and of each job of the batch."""
    assert "rfc3987-syntax" not in {canonicalize_name(Requirement(line).name) for line in CONSTRAINTS}
    code = "import sys, nbformat; assert 'rfc3987_syntax' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_first_python_3_11_is_enough():
    """What is pinned installs on Debian's 3.11.2, too: no package asks for a later 3.11."""
    pins = {canonicalize_name(Requirement(line).name) for line in CONSTRAINTS}
    told = [d.metadata for d in metadata.distributions()]  # by .get: newer finders raise for what isn't there
    here = {canonicalize_name(m.get("Name") or ""): m.get("Requires-Python") for m in told}
    asked = {name: SpecifierSet(here.get(name) or "") for name in pins}
    assert len(pins & {*here}) > 150
    assert [name for name, versions in asked.items() if not versions.contains("3.11.0")] == []


def test_python_is_the_one_that_ruff_checks_for():
    tool = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["tool"]
    assert tool["ruff"]["target-version"] == "py311" and PROJECT["requires-python"] == ">=3.11"


# Sources


@pytest.mark.parametrize(
    "path",
    [*SOURCES, *sorted(paths.NOTEBOOKS.rglob("*.ipynb"))],
    ids=lambda p: str(p.relative_to(paths.ROOT)),
)
def test_no_source_runs_what_it_reads(path):
    """Weights are safetensors, tables Parquet, parameters safe YAML: nothing that is read is executed."""
    forbidden = (
        r"import pickle|from pickle|import dill|import joblib|import shelve",
        r"torch\.load\(|read_pickle|to_pickle",
        r"allow_pickle\s*=\s*True",
        r"(?<![\w.])(eval|exec)\(",
        r"yaml\.(load|unsafe_load|full_load)\(",
        r"extractall\(",
        r"shell\s*=\s*True|os\.system",
    )
    for pattern in forbidden:
        assert not re.search(pattern, code_of(path)), pattern


@pytest.mark.parametrize("path", SOURCES, ids=in_project)
def test_everything_public_says_what_it_is(path):
    """A docstring for each module, public class and public function."""
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("path", SOURCES, ids=in_project)
def test_nothing_happens_at_import(path):
    """Definitions only: no statement but assignments, and calls that register a measure or a product."""
    allowed = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
    for node in ast.parse(path.read_text()).body:
        line = ast.unparse(node)
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_known = line.startswith(
            ("register(", "register_arrays(", "__all__ += [", "if __name__ == '__main__':")
        )
        assert isinstance(node, allowed) or is_docstring or is_known, line


# Lists


def choices(name: str, kind: type[Named] = Params) -> set[str]:
    """What a parameter's Literal allows."""
    return set(kind.model_fields[name].annotation.__args__)


def test_parameters_name_the_models_there_are():
    assert choices("encoder") == ENCODERS.keys()
    assert choices("attention") == set(ATTENTIONS)


def test_every_measure_says_what_it_is():
    """Axis labels and chapters take their words from the registry."""
    assert registry.MEASURES
    for name, measure in registry.MEASURES.items():
        assert measure.column == name
        assert measure.label and measure.direction and measure.source
        assert measure.range[0] < measure.range[1]
        assert name in registry.TABLES[measure.of].columns
    assert set(registry.TABLES) == {m.of for m in registry.MEASURES.values()}
    assert set(registry.TABLES) <= set(products.every_file())
    assert set(correlation.PAIRS) == {n for n, m in registry.MEASURES.items() if m.of == "correlation"}


def registered() -> dict[str, dict]:
    """The corpora of data/registry.yaml; the reader's own are the reader's affair."""
    return {name: e for name, e in corpora().items() if e.get("reader") != "own"}


def of_texts() -> dict[str, dict]:
    """Those that aren't sequences to be copied (chapter 09)."""
    return {name: entry for name, entry in registered().items() if not is_sequences(name)}


def test_every_corpus_can_be_read_and_cited():
    """Each entry has a reader or a maker, and says its terms and whom to cite."""
    assert all(e["title"] and e["terms"] and e["cite"] for e in registered().values())
    tasks = {name: entry["task"] for name, entry in registered().items() if is_sequences(name)}
    assert {name for name, task in tasks.items() if task == "copying"} == set(copying.TASKS)
    assert {name for name, task in tasks.items() if task == "translation"} == choices("corpus", Translating)
    for entry in of_texts().values():
        assert ("made" in entry) != ("reader" in entry)
        if "made" in entry:
            assert entry["made"] in planted.MAKERS
        else:
            assert entry["reader"] in loading.READERS
            assert entry.get("answers") in ("words", "entities") or len(entry["classes"]) >= 2
            if "licensed" in entry:
                assert {"files", "either"} & entry["licensed"].keys()
                assert entry["licensed"]["ask"].startswith("http")
                continue
            for file in entry.get("files", {"": entry.get("file")}).values():
                assert file["url"].startswith("https://") and file["mirror"]
                # Without either the first download's checksum is pinned.
                assert re.fullmatch(r"[0-9a-f]{64}", file.get("sha256", "0" * 64))
                assert re.fullmatch(r"[0-9a-f]{32}", file.get("md5", "0" * 32))
    assert {e["made"] for e in registered().values() if "made" in e} == set(planted.MAKERS)
    assert {e.get("reader", "own") for e in of_texts().values()} == set(loading.READERS)


def test_every_parameter_file_is_of_a_corpus_or_profile():
    """And each can be resolved for each: a wrong name or value in one would raise."""
    assert {p.stem for p in paths.PARAMS.glob("*.yaml")} <= set(corpora())
    for corpus in corpora():
        kind = kind_of(corpus)
        folder = "profiles" if kind is Params else kind.__name__.lower()
        for profile in yaml_files(paths.PARAMS / folder):
            assert resolve({"corpus": corpus, "profile": profile}).corpus == corpus


def test_made_classes_have_words_of_their_own():
    assert tuple(planted.LEXICON) == planted.CLASSES
    highest = next(m.le for m in Params.model_fields["classes"].metadata if hasattr(m, "le"))
    assert highest == len(planted.CLASSES)


def test_every_parameter_has_a_default():
    """Params is their only home, so nothing has to be given."""
    for kind in (Params, *OF_TASK.values()):
        assert kind() == kind(**{name: f.default for name, f in kind.model_fields.items()})
        assert all(not field.is_required() for field in kind.model_fields.values())
