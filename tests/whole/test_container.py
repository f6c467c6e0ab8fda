"""The container's recipe says what Makefile and pyproject say; Binder and dev container take the same one."""

import json
import re
import tomllib

from packaging.specifiers import SpecifierSet

from heed import paths

RECIPE = (paths.ROOT / "Dockerfile").read_text(encoding="utf-8")
MAKEFILE = (paths.ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEVELOPING = json.loads((paths.ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))


def said(instruction: str) -> list[str]:
    """What follows an instruction, line by line, as often as it stands there."""
    return re.findall(rf"^{instruction} (.+)$", RECIPE.replace("\\\n", " "), re.M)


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))


def extras_of_make() -> set[str]:
    return set(re.search(r"^EXTRAS \?= (.+)$", MAKEFILE, re.M)[1].split(","))


def test_its_python_is_the_projects():
    version = re.fullmatch(r"python:(3\.\d+)-slim-\w+", said("FROM")[0])[1]
    assert version in SpecifierSet(PROJECT["requires-python"])
    assert f"python={version}" in (paths.ROOT / "environment.yml").read_text(encoding="utf-8")


def test_its_extras_are_the_projects_without_those_of_tests():
    (extras,) = [line.removeprefix("EXTRAS=") for line in said("ENV") if line.startswith("EXTRAS=")]
    assert set(extras.split(",")) < extras_of_make()
    assert "test" not in extras.split(",")
    assert extras_of_make() == set(PROJECT["optional-dependencies"])
    assert "'.[$(EXTRAS)]'" in MAKEFILE


def test_it_runs_what_make_has():
    (command,) = map(json.loads, said("CMD"))
    assert command[0] == "make" and command[1] in targets()
    assert command[2].startswith("LAB=") and "jupyter lab notebooks $(LAB)" in MAKEFILE
    assert any(line.startswith("make setup") for line in said("RUN")) and "setup" in targets()
    assert any(f"{name}/bin" in line for name in (".venv",) for line in said("ENV"))
    assert "VENV := .venv" in MAKEFILE


def test_no_user_is_root_and_binder_names_it():
    """Binder gives NB_USER and NB_UID, and asks for a user of that number."""
    names = [line.partition("=")[0] for line in said("ARG")]
    assert names == ["NB_USER", "NB_UID"]
    assert said("USER") == ["${NB_USER}"]
    assert DEVELOPING["remoteUser"] == dict(line.split("=") for line in said("ARG"))["NB_USER"]


def test_what_git_ignores_is_not_sent():
    kept = (paths.ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    ignored = (paths.ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    names = {line.strip("/").removeprefix("**/") for line in kept}
    left = {"*.partial", "*.ipynb"}  # of a process that was killed, and what papermill wrote by hand
    assert {line.strip("/") for line in ignored if line} - names <= left


def test_the_dev_container_has_the_tests():
    assert set(DEVELOPING["containerEnv"]["EXTRAS"].split(",")) == extras_of_make()
    assert DEVELOPING["postCreateCommand"] == "make setup"
    assert DEVELOPING["build"] == {"dockerfile": "../Dockerfile", "context": ".."}
