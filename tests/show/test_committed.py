"""Committed figures: condensed from finished runs, drawn from their numbers alone."""

import shutil
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.cbook import boxplot_stats

from heed import __main__, paths
from heed.experiments.copying import GOOD, TASKS
from heed.experiments.not_not import panels
from heed.measures.erasure import RANKINGS
from heed.models.encoders import ENCODERS
from heed.runs.products import every_product
from heed.show import committed, figures
from heed.show.figures.common import BINS
from heed.show.figures.numbers import read
from heed.show.figures.relevance import WATCHED
from heed.show.style import save, theme
from refusals import assert_nothing_half_written, refused
from verdict_rows import rows


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A figures folder of the test's own; every figure is closed."""
    every_product()
    monkeypatch.setattr(committed, "FIGURES", tmp_path / "figures")
    committed.FIGURES.mkdir()
    yield committed.FIGURES
    plt.close("all")


@pytest.fixture
def names(finished, monkeypatch) -> list[str]:
    """The names of the figures of the finished run, as if its corpus were carried, with their numbers."""
    p = finished.params
    made = rows(p.corpus, p.encoder, p.attention, p.profile, f1=[0.5]).assign(variant=p.variant)
    monkeypatch.setattr(committed, "to_carry", lambda results: made)
    monkeypatch.setattr(committed, "plain", lambda found: found)
    return committed.condense(finished.folder.parents[3])


def test_runs_with_general_vectors_have_figures_of_their_own(finished, monkeypatch, folder):
    """Called by their vectors; runs with anything else given have none."""
    p = finished.params
    made = rows(p.corpus, p.encoder, p.attention, p.profile, f1=[0.5]).assign(variant=p.variant)
    spacys = made.assign(given="vectors=en_core_web_md", vectors="en_core_web_md")
    other = made.assign(given="epochs=3")
    monkeypatch.setattr(committed, "to_carry", lambda results: pd.concat([spacys, other], ignore_index=True))
    names = committed.condense(finished.folder.parents[3])
    assert names == [f"planted-additive-paper_with_en_core_web_md-{kind}" for kind in committed.KINDS]
    assert {path.stem for path in folder.glob("*.csv")} == {*names}


@pytest.mark.parametrize("first, drawn", [(0, True), (1, True), (None, True), (-1, False)])
def test_a_later_seed_leaves_a_figure_as_it_is(finished, monkeypatch, first, drawn):
    """first: the lowest seed that is carried of the same model; None: another encoder's alone is."""
    p = finished.params
    mine = rows(p.corpus, p.encoder, p.attention, p.profile, f1=[0.5]).assign(variant=p.variant, seed=0)
    theirs = mine.assign(seed=first) if first is not None else mine.assign(encoder="cnn", seed=-1)
    monkeypatch.setattr(committed, "to_carry", lambda results: mine)
    monkeypatch.setattr(committed.carried, "committed", lambda: theirs)
    monkeypatch.setattr(committed, "plain", lambda found: found)
    assert bool(committed.condense(finished.folder.parents[3])) == drawn


@pytest.mark.parametrize("vectors", ["", "en_core_web_md", "fasttext-simple", "glove-840b"])
@pytest.mark.parametrize("corpus", ["sst", "babi3-1k"])
def test_a_name_says_what_the_figure_is_of(corpus, vectors):
    of = f"{corpus}-dot-site" + (f"_with_{vectors}" if vectors else "")
    told = {"corpus": corpus, "attention": "dot", "profile": "site", "vectors": vectors, "kind": "erasure"}
    assert committed.parts_of(f"{of}-erasure") == told
    assert committed.chapter_of("erasure") == "06" and committed.chapter_of("copying") == "09"
    assert committed.parts_of("copying-long") == {"kind": "copying", "profile": "long"}
    for name in (f"{of}-erased", f"{corpus}-erasure", "nothing-dot-site-erasure", "copying", "a b-c"):
        with refused("has the name of no figure"):
            committed.parts_of(name)


def of_tables(run) -> dict:
    """The same figures as a chapter draws them, of tables."""
    tables = {kind: {run.params.encoder: run.table(kind)} for kind in committed.KINDS}
    first = {kind: next(iter(found.values())) for kind, found in tables.items()}
    seeds = panels(first["seeds"], first["adversarial"])
    return {
        "correlation": figures.correlations(tables["correlation"], ()),
        "permutation": figures.violins(tables["permutation"], "median_change", (), (-0.02, 1)),
        "adversarial": figures.optimum_shares(tables["adversarial"], (), exact=False),
        "points": figures.opposition(first["points"], committed.reported_points("planted"), top=0.3),
        "seeds": figures.violins(seeds, "other_jsd", (), (-0.02, 0.72), of_encoders=False),
        "erasure": figures.boxes(tables["erasure"], "erased"),
        "course": figures.course(first["course"]),
    }


@pytest.mark.thorough
def test_a_figure_of_its_numbers_is_the_one_of_the_tables(names, finished, folder, tmp_path):
    """Byte by byte, and without the run."""
    assert names == [f"planted-additive-paper-{kind}" for kind in committed.KINDS]
    theme()
    expected = {kind: save(figure, tmp_path / kind) for kind, figure in of_tables(finished).items()}
    committed.draw(names)
    for kind, path in expected.items():
        assert (folder / f"planted-additive-paper-{kind}.svg").read_bytes() == path.read_bytes(), kind
    assert_nothing_half_written(folder)


def test_what_is_drawn_is_what_the_tables_say(names, finished):
    """Heights of bars, boxes and lines, against another way to them."""
    drawn = {
        kind: one.draw(read(committed.FIGURES / f"planted-additive-paper-{kind}.csv"), "planted")
        for kind, one in committed.KINDS.items()
    }
    table, edges = finished.table("correlation"), np.linspace(-1, 1, 31)
    for ax, column in zip(drawn["correlation"].axes, ("tau_gradient", "tau_loo"), strict=True):
        values = table[column].dropna()
        heights, places, _ = ax.patches[-1].get_data()
        expected = [*np.histogram(values, edges)[0] / len(values)]
        assert [*heights] == pytest.approx(expected) and [*places] == pytest.approx([*edges])
    table, edges = finished.table("adversarial"), np.append(np.linspace(0, 0.7, 41)[:-1], np.log(2))
    for ax, column in zip(drawn["adversarial"].axes, ("found", "optimum", "bound"), strict=True):
        places, shares = ax.lines[0].get_data()
        expected = [*[(table[column] >= edge).mean() for edge in edges[:-1]], 0]
        assert [*shares] == pytest.approx(expected) and [*places] == pytest.approx([*edges])
    table = finished.table("erasure")
    boxes = drawn["erasure"].axes[0]
    for k, ranking in enumerate(RANKINGS):
        values = table[f"erased_{ranking}"].dropna()
        if len(values):
            [box] = boxplot_stats(values)
            edges = boxes.patches[k].get_path().get_extents()
            assert (edges.x0, edges.x1) == pytest.approx((box["q1"], box["q3"]), rel=1e-3)
    change = finished.table("permutation")["median_change"]
    middle = [line for line in drawn["permutation"].axes[0].lines if line.get_linestyle() == "--"]
    peaked = figures.peak_bin(finished.table("permutation")["max_attention"])
    assert sorted(line.get_xdata()[0] for line in middle) == pytest.approx(
        sorted(change.groupby(peaked, observed=True).median()), rel=1e-3
    )


def test_the_files_have_no_text_and_no_id(names, finished, folder):
    """What stands in them is known beforehand: encoders, classes, rankings, measures; and numbers."""
    known = {"", "overall", "all", "others", "base", "uniform", *ENCODERS, *RANKINGS, *figures.RIVALS}
    known |= {*panels(finished.table("seeds"), finished.table("adversarial"))}
    quantities = {
        "tau_gradient",
        "tau_loo",
        "found",
        "optimum",
        "bound",
        "jsd",
        "change",
        "kl_weight",
        "chance",
    }
    quantities |= {"texts", "box", "mean", "outliers", "step"}.union(*WATCHED.values())
    quantities |= {f"{name} of peak {bin}" for name in ("median_change", "other_jsd") for bin in BINS}
    files = [*folder.glob("*.csv")]
    assert len(files) == len(names)
    for path in files:
        for panel, group, quantity in read(path):
            assert panel in known and group in known and quantity in quantities, path.name
    ids = {str(name) for name in finished.evidence.ids}
    assert not ids & (known | quantities)


def test_chapter_09_is_drawn_of_its_numbers(folder, monkeypatch, tmp_path):
    looks = pd.DataFrame({"step": [0, 100], "copied": [0.1, 0.99], "attended": 0.2, "least": [0.3, 0.123456]})
    learnt = {"step": [0, 50, 500], "attention": [0, 0.4, 0.3], "relevance": 0.2, "accuracy": 0.6}
    learnt = pd.concat(
        [pd.DataFrame(learnt).assign(model=name) for name in ("base", "other seed", "uniform")]
    )
    runs = [rows(task, "lstm", "bilinear", copied=[0.9, 0.9]) for task in TASKS] + [
        rows("multi30k", bleu=[30])
    ]
    monkeypatch.setattr(committed, "MAIN", ("lstm", "bilinear"))
    monkeypatch.setattr(committed, "to_carry", lambda results: pd.concat(runs))
    monkeypatch.setattr(committed, "plain", lambda found: found)
    kept = {"copied.parquet": looks, "learning.parquet": learnt}
    monkeypatch.setattr(
        committed, "kept_table", lambda *called: [kept[called[-1]]] if called[-1] in kept else []
    )
    names = committed.condense(tmp_path)
    assert names == ["copying-paper", "translation-paper"]
    committed.draw(names)
    of_seeds = [looks.assign(task=task, seed=seed) for task in TASKS for seed in (0, 1)]
    for name, figure in (
        ("copying-paper", figures.copies(pd.concat(of_seeds), TASKS, GOOD)),
        ("translation-paper", figures.translated(learnt)),
    ):
        again = save(figure, tmp_path / "again.svg")
        assert (folder / f"{name}.svg").read_bytes() == again.read_bytes()


# The command


def run_of(monkeypatch, capsys, *given: str) -> tuple[int, str]:
    """Exit code of a command, and what it says."""
    monkeypatch.setattr(sys, "argv", ["heed", *given])
    code = __main__.main()
    said = capsys.readouterr()
    return code, said.out + said.err


def test_the_command_draws_what_has_numbers_and_leaves_the_others(names, folder, monkeypatch, capsys):
    for name in names[1:]:
        (folder / f"{name}.csv").unlink()
    old = folder / "sst-additive-paper-correlation.svg"
    old.write_text("as it was")
    code, said = run_of(monkeypatch, capsys, "figures")
    assert code == 0 and said.startswith("1 figure drawn from the numbers beside them, and the emblem")
    assert "; 1 have no numbers yet" in said
    assert old.read_text() == "as it was"
    assert {path.name for path in folder.glob("*.svg")} == {old.name, f"{names[0]}.svg", "emblem.svg"}
    before = (folder / f"{names[0]}.svg").read_bytes()
    (folder / f"{names[0]}.svg").unlink()
    assert run_of(monkeypatch, capsys, "figures")[0] == 0
    assert (folder / f"{names[0]}.svg").read_bytes() == before


def test_summary_writes_numbers_and_draws(names, finished, folder, monkeypatch, capsys):
    for path in folder.glob("*.csv"):
        path.unlink()
    monkeypatch.setattr(__main__, "commit", lambda results: 3)
    code, said = run_of(monkeypatch, capsys, "summary", str(finished.folder.parents[3]))
    assert (code, said) == (0, "data/results/summary.csv holds 3 runs.\n")
    assert {path.stem for path in folder.glob("*.csv")} == {path.stem for path in folder.glob("*.svg")}


@pytest.mark.parametrize(
    "kind, old, new, part",
    [
        ("correlation", "tau_loo", "tau_of", "tau_of"),
        ("correlation", "tau_loo,0 ", "tau_loo,", "has 29 values instead of 30"),
        ("correlation", "tau_loo,0 ", "tau_loo,-1 ", "should be of counts"),
        ("correlation", "tau_loo,0 ", "tau_loo,nan ", "should be of counts"),
        ("correlation", "average,", "averaged,", "averaged"),
        ("permutation", "of peak 0 – 0.25,", "of peak 0 – 0.25,9 ", "values instead of 41"),
        ("erasure", "attention,box,", "attention,box,7 ", "values instead of 5"),
        ("seeds", "overall,texts,", "overall,texts,9 ", "has 5 values instead of 4"),
        ("seeds", "overall,texts,30 ", "overall,texts,0 ", "has 41 values instead of 0"),
        ("erasure", ",mean,", ",middle,", "is missing"),
        ("course", ",all,chance", ",all,luck", "the line , all, chance is missing"),
        ("course", ",base,step,0 ", ",base,step,", "values instead of"),
        ("points", ",seed,jsd,", ",seed,jsd,0 ", "has 2 values instead of 3"),
    ],
)
def test_damaged_numbers_are_a_sentence(names, folder, kind, old, new, part):
    path = folder / f"planted-additive-paper-{kind}.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with refused(str(path), part, f"git checkout {path}", "make summary"):
        committed.draw([path.stem])
    assert not path.with_suffix(".svg").exists()


def test_the_command_stops_at_damaged_numbers(names, folder, monkeypatch, capsys):
    path = folder / "planted-additive-paper-correlation.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("tau_loo", "tau_of"), encoding="utf-8")
    code, said = run_of(monkeypatch, capsys, "figures")
    assert code == 2 and str(path) in said


@pytest.mark.parametrize("name", ["x", "nocorpus-additive-paper-correlation", "sst-additive-paper-heights"])
def test_a_file_of_no_figure_is_a_sentence(folder, name):
    shutil.copy(__file__, folder / f"{name}.csv")
    with refused(f"{name}.csv", "CORPUS-ATTENTION-PROFILE-KIND", "correlation"):
        committed.redraw()


def test_the_emblem_is_drawn_with_the_others(folder):
    """From the numbers of our own sentences: what is committed is what they give, with what it shows."""
    assert "the emblem from our sentences'" in committed.redraw()
    drawn = (folder / "emblem.svg").read_text(encoding="utf-8")
    assert drawn == (paths.DATA / "results" / "figures" / "emblem.svg").read_text(encoding="utf-8")
    assert 'aria-label="One text, two heatmaps, one prediction: negative' in drawn
    assert "<text" not in drawn, "letters are outlines, as wide everywhere as their boxes"
