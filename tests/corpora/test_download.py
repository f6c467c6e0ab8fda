"""Where files of corpora are looked for."""

from pathlib import Path

from heed import paths
from heed.corpora import download


def test_relative_folders_lie_in_the_project(monkeypatch, tmp_path):
    """Wherever a command or a notebook runs: as HEED_MIRROR's and the results' do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEED_LICENSED", "no/such")
    monkeypatch.setenv("HEED_CACHE", "no/cache")
    monkeypatch.setattr(Path, "is_file", lambda path: "no/such" in str(path) or path.suffix == ".toml")
    found = download.licensed("adr", {"folder": "adr", "files": {"file": "a.csv"}, "ask": "nobody"})
    assert found == {"file": paths.ROOT / "no/such/adr/a.csv"}
    assert paths.cache_folder() == paths.ROOT / "no/cache"
