"""The verdict's arithmetic: cells, contrasts, claims, on tables small enough to check by hand."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from heed import verdict
from heed.measures import stats
from heed.params import resolve
from heed.show import committed, figures
from heed.verdict import annex, carried, claims


def rows(corpus="sst", encoder="bilstm", attention="additive", profile="paper", cls="overall", **measures):
    """Summary rows of one model: a measure's means, one a seed."""
    made = [
        {"corpus": corpus, "encoder": encoder, "attention": attention, "profile": profile, "variant": "v",
         "given": "", "seed": seed, "measure": measure, "class": cls, "n": 9, "undefined": 0, "mean": mean,
         "std": 0.1, "significant": 0.5, "low": 0.0, "high": 1.0, "partial": False, "library": "x"}
        for measure, means in measures.items()
        for seed, mean in enumerate(means)
    ]  # fmt: skip
    return pd.DataFrame(made)


def test_a_profile_that_was_edited_counts_once():
    """Rows of two variants, neither with a parameter given: what the YAML says now is the profile."""
    now, before = rows(f1=[0.8, 0.7]), rows(f1=[0.1])
    now["variant"] = resolve({"corpus": "sst", "profile": "paper"}).variant
    both = pd.concat([before, now, rows(encoder="cnn", f1=[0.4]).assign(variant="older")], ignore_index=True)
    assert verdict.plain(both)["mean"].tolist() == [0.8, 0.7, 0.4], "what is there alone stays"
    assert len(verdict.plain(both.assign(given="epochs=2"))) == 0


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=9))
def test_t_interval_is_scipys(values):
    mean, low, high = stats.t_interval(np.array(values))
    if np.ptp(values) == 0:
        assert (mean, low, high) == (np.mean(values),) * 3
    else:
        spread = scipy_stats.sem(values)
        expected = scipy_stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=spread)
        assert (low, high) == pytest.approx(expected, abs=1e-9)
        assert low <= mean <= high


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_t_interval_is_cut_at_the_bounds(values):
    mean, low, high = stats.t_interval(np.array(values))
    assert stats.t_interval(np.array(values), (0, 1)) == (mean, max(low, 0), min(high, 1))


def test_one_seed_has_no_interval():
    assert stats.t_interval(np.array([0.4])) == (0.4, 0.4, 0.4)


@pytest.mark.parametrize(
    ("measure", "difference", "low", "high"),
    [
        ("peaked_still", False, 0, 1),
        ("rho_found", False, -1, 1),
        ("tau_loo", False, -1, 1),
        ("tau_loo", True, -2, 2),
        ("tau_gradient_loo_minus_attention_loo", False, -2, 2),
        ("found", False, 0, np.log(2)),
        ("f1", True, -1, 1),
    ],
)
def test_an_interval_over_seeds_stays_where_its_measure_can_be(measure, difference, low, high):
    few = pd.Series([low, high, high])
    assert stats.t_interval(few.to_numpy())[1] < low and stats.t_interval(few.to_numpy())[2] > high
    assert claims.interval(few, measure, difference) == pytest.approx((few.mean(), low, high))
    near = pd.Series([0.2, 0.21, 0.2])
    assert claims.interval(near, measure, difference) == stats.t_interval(near.to_numpy())


def test_cells_are_within_outside_or_gaps():
    """Table 2, SST, BiLSTM, class 0: τ_g 0.40. A range that rounds to hold it is within; no run is a gap."""
    ours = pd.concat([
        rows(profile="paper2019", cls="0", tau_gradient=[0.396, 0.41], tau_loo=[0.1, 0.2]),
        rows(profile="paper", cls="1", tau_gradient=[0.38]),
    ])  # fmt: skip
    found = verdict.beside(ours, "paper2019", "paper")
    sst = found[(found["corpus"] == "sst") & (found["encoder"] == "bilstm") & (found["statistic"] == "mean")]
    cells = sst.set_index(["measure", "class"])["cell"]
    assert cells["tau_gradient", "0"] == "within"
    assert cells["tau_loo", "0"] == "outside"
    assert cells["tau_gradient", "1"] == "gap"  # only another profile has it
    assert set(found.loc[found["corpus"] == "anemia", "cell"]) == {"gap"}
    assert verdict.beside(carried.empty(), "site", "site")["cell"].eq("gap").all()


def test_contrast_is_by_seed():
    ours = pd.concat([rows(tau_loo=[0.1, 0.2]), rows(encoder="average", tau_loo=[0.5, 0.4, 0.9])])
    found = verdict.contrast(ours, "encoder", "average", "bilstm", ["tau_loo", "found"])
    assert found.to_dict("records") == [
        {"corpus": "sst", "profile": "paper", "attention": "additive", "seeds": "2",
         "tau_loo": "+0.300 [+0.200, +0.400]", "found": "–"}
    ]  # fmt: skip
    ours = pd.concat([ours, rows(found=[0.5]), rows(encoder="average", found=[0.1, 0.2])])
    found = verdict.contrast(ours, "encoder", "average", "bilstm", ["tau_loo", "found"])
    assert found["seeds"].tolist() == ["1–2"] and found["found"].tolist() == ["-0.400 [-0.400, -0.400]"]
    assert verdict.contrast(ours, "encoder", "cnn", "bilstm", ["tau_loo"]).empty


def test_means_and_table_2_say_of_how_many_seeds():
    ours = pd.concat([rows(tau_gradient=[0.1, 0.3], tau_loo=[0.1], f1=[0.8, 0.9, 0.7])])
    (row,) = verdict.means(ours, ["f1", "tau_loo"]).to_dict("records")
    assert (row["seeds"], row["f1"], row["tau_loo"]) == (
        "1–3",
        "0.800 [0.700, 0.900]",
        "0.100 [0.100, 0.100]",
    )
    assert verdict.table2(ours)["seeds"].tolist() == ["1–2"]
    assert verdict.means(rows(f1=[0.8, np.nan]), ["f1"])["seeds"].tolist() == ["1"]


def test_a_part_of_a_corpus_is_never_averaged_with_the_whole():
    part = rows("snli", f1=[0.2], tau_loo=[0.2]).assign(partial=True)
    ours = pd.concat([rows("snli", f1=[0.6, 0.8], tau_loo=[0.4, 0.6]), part.assign(seed=5)])
    assert dict(verdict.means(ours, ["f1"])[["corpus", "f1"]].to_numpy()) == {
        "snli": "0.700 [0.600, 0.800]", "snli (part)": "0.200 [0.200, 0.200]"}  # fmt: skip
    assert verdict.table2(ours)["corpus"].tolist() == ["snli", "snli (part)"]
    assert set(claims.table(ours)["corpus"]) == {"snli", "snli (part)"}
    ours = ours.assign(measure="accuracy")
    found = verdict.beside(ours, "paper", "paper").query("corpus == 'snli' and measure == 'accuracy'").iloc[0]
    assert (found["mean"], found["partial"]) == (pytest.approx(0.6), False)
    found = verdict.beside(part.assign(measure="accuracy"), "paper", "paper").query("corpus == 'snli'")
    assert found["partial"].all()


def test_a_part_of_a_corpus_is_not_known_as_the_whole(monkeypatch, tmp_path):
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "summary.csv")
    run = resolve({"corpus": "snli"})
    held = (
        rows("snli", accuracy=[0.6])
        .assign(partial=True, variant=run.variant)
        .reindex(columns=verdict.COLUMNS)
    )
    held.rename(columns=verdict.HEADINGS).to_csv(carried.SUMMARY, index=False)
    for there, known in ((True, [run.path]), (False, [])):
        monkeypatch.setattr(carried, "partial", lambda name, there=there: there)
        assert list(verdict.known([run], ["01"])) == known


def test_the_best_known_is_not_called_exact(monkeypatch, tmp_path):
    """Where the head isn't linear: in the committed file, and back again."""
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "SUMMARY")
    made = pd.concat([rows(c, optimum=[0.6], found=[0.5]) for c in ("sst", "snli", "babi1", "agnews4")])
    monkeypatch.setattr(carried, "finished", lambda results: made.reindex(columns=verdict.COLUMNS))
    monkeypatch.setattr(annex, "count_corpora", lambda new: None)
    verdict.commit(tmp_path)
    written = pd.read_csv(tmp_path / "SUMMARY").query("quantity != 'max_jsd_search'")
    best = dict.fromkeys(["agnews4", "babi1", "snli"], "max_jsd_best")
    assert dict(zip(written["corpus"], written["quantity"], strict=True)) == best | {"sst": "max_jsd_exact"}
    assert set(verdict.committed()["measure"]) == {"found", "optimum"}


def test_tables_that_were_deleted_are_not_missed(monkeypatch, tmp_path):
    """Rows are merged without them; figures and tests that would need them stay as they are."""
    named = ["sst", "copy-permutations", "multi30k"]
    made = verdict.committed().query("corpus in @named and given == ''")
    assert set(made["corpus"]) == set(named) and (made["measure"] == "excess_attention").any()
    monkeypatch.setattr(carried, "SUMMARY", tmp_path / "SUMMARY")
    monkeypatch.setattr(annex, "PAIRED", tmp_path / "PAIRED")
    monkeypatch.setattr(carried, "finished", lambda results: made)
    monkeypatch.setattr(annex, "count_corpora", lambda new: None)
    monkeypatch.setattr(committed, "save", lambda *given: pytest.fail("drawn from nothing"))
    committed.draw(tmp_path)
    assert verdict.commit(tmp_path) == len(made.drop_duplicates(verdict.RUN))
    assert [path.name for path in tmp_path.iterdir()] == ["SUMMARY"]


def test_a_model_that_guesses_is_no_evidence(monkeypatch, tmp_path):
    """Not above the most frequent answer's share by two standard errors; of unknown share it stays.

    Nor is one that guesses whose ROC AUC is above .5 by two of those: 0.046 of 200 and 800 texts.
    """
    monkeypatch.setattr(annex, "COUNTS", tmp_path / "corpora.csv")
    pd.DataFrame([{"corpus": "babi2", "profile": "paper", "test_most": 0.2}]).to_csv(annex.COUNTS)
    ours = pd.concat([rows("babi2", accuracy=[0.2, 0.24], tau_loo=[0.1, 0.2]),
                      rows("babi2", "cnn", accuracy=[0.3], tau_loo=[0.1]),
                      rows("babi2", "average", accuracy=[0.2], auc=[0.6], tau_loo=[0.1]),
                      rows("babi2", "average", "dot", accuracy=[0.2], auc=[0.52], tau_loo=[0.1]),
                      rows("babi1", accuracy=[0.1], tau_loo=[0.1])]).assign(n=1000)  # fmt: skip
    dot, found = verdict.guessing(ours).sort_values("encoder").to_dict("records")
    assert (found["corpus"], found["encoder"]) == ("babi2", "bilstm")
    assert (dot["encoder"], dot["attention"], dot["auc"]) == ("average", "dot", 0.52)
    assert (found["accuracy"], found["most"]) == (pytest.approx(0.22), 0.2)
    assert set(claims.table(ours)["corpus"]) == {"babi1"}
    assert verdict.guessing(carried.empty()).empty


def test_imdb_is_counted_before_the_filter(monkeypatch, tmp_path):
    monkeypatch.setattr(annex, "COUNTS", tmp_path / "corpora.csv")
    row = {"corpus": "imdb", "profile": "paper", "train_0": 8000, "dev_0": 2000}
    for more, expected in (({}, 10000), ({"whole_train_0": 12500}, 12500)):
        pd.DataFrame([row | more]).to_csv(annex.COUNTS, index=False)
        assert verdict.table1_beside()["ours"].tolist() == [expected]


def held(table, text):
    """What the only row of a claim says."""
    found = table[table["claim"].str.startswith(text)]
    assert len(found) == 1
    return found.iloc[0]


def test_claims_by_hand():
    ours = pd.concat([
        rows(tau_gradient=[0.30, 0.32, 0.31], median_change=[0.2, 0.3, 0.25], found=[0.6, 0.4, 0.5]),
        rows(f1=[0.8]),
        rows(attention="uniform", f1=[0.7]),
        rows(encoder="average", tau_gradient=[0.6, 0.2, 0.4]),
    ])  # fmt: skip
    table = claims.table(ours)
    assert held(table, "τ_g is modest")["holds"] == "yes"
    assert held(table, "τ_g: Average")["holds"] == "open"
    assert held(table, "Permuting")["holds"] == "no"
    assert held(table, "The ε-max JSD")["holds"] == "open"
    better = held(table, "Attention improves BiLSTM's F1 over uniform")
    assert (better["holds"], better["ours"], better["seeds"]) == ("one seed", "+0.10", 1)
    counts = claims.tally(table)
    assert counts.loc["τ_g is modest for the BiLSTM (below 0.5)"].tolist() == [1, 0, 0, 0, 0]
    assert len(counts) == len(claims._all())
    assert counts.to_numpy().sum() == len(table)


def test_one_seed_s_interval_is_over_texts():
    ours = rows(tau_gradient=[0.3], peaked_still=[0.9]).assign(
        low=0.2, high=[0.6, 0.95], undefined=0, n=[9, 29]
    )
    found = held(claims.table(ours), "τ_g is modest")
    assert (found["ours"], found["over"], found["holds"]) == ("+0.30 [+0.20, +0.60]", "texts", "one seed")
    few = ours.assign(low=0.6)
    assert held(claims.table(few), "More than half")["holds"] == "too few"
    assert held(claims.table(few.assign(n=40, undefined=[0, 10])), "More than half")["holds"] == "one seed"
    two = rows(peaked_still=[0.9, 0.91]).assign(n=40, undefined=[9, 10])
    assert held(claims.table(two), "More than half")["holds"] == "yes"
    assert held(claims.table(two.assign(undefined=11)), "More than half")["holds"] == "too few"
    assert held(claims.table(few.assign(low=np.nan)), "τ_g is modest")["holds"] == "one seed"


def test_diabetes_alone_has_the_claim_about_diabetes():
    both = [rows(corpus=c, cls=k, median_change=[0.1 * int(k)]) for c in ("sst", "diabetes") for k in "01"]
    found = claims.table(pd.concat(both))
    assert found["corpus"].tolist() == ["diabetes"]
    assert found["ours"].tolist() == ["+0.10"]


def test_no_runs_no_claims():
    assert claims.table(carried.empty()).empty
    assert not claims.tally(claims.table(carried.empty())).to_numpy().any()


def test_a_figure_over_corpora_shows_every_mean():
    table = pd.concat([rows(f1=[0.7, 0.9]), rows("imdb", f1=[0.8])]).assign(model="BiLSTM")
    ax = figures.by_corpus(table, {"f1": "F1"}, {"f1": 0.5}).axes[0]
    points = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert [tuple(p) for p in points] == [(0.8, 0), (pytest.approx(0.8), 1)]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["imdb", "sst"]
    plt.close("all")


def test_models_with_and_without_context_are_paired_over_the_same_units(tmp_path, monkeypatch):
    """A hierarchical model's units are sentences: its shares say nothing beside those of words."""
    monkeypatch.setattr(annex, "PAIRED", tmp_path / "pairs.csv")
    columns = ["delta_js_attention", "erased_random_mean", "erased_attention", "erased_optimal"]
    table = pd.DataFrame(np.random.default_rng(0).random((9, 4)), columns=columns).assign(id=range(9))
    rows = []
    for encoder in ("gru", "han", "none"):
        folder = tmp_path / "made" / f"{encoder}-additive" / "serrano-0" / "seed0"
        folder.mkdir(parents=True)
        table.to_parquet(folder / "erasure.parquet")
        rows.append(("made", encoder, "additive", "serrano", "serrano-0", 0, "excess_attention"))
    named = ["corpus", "encoder", "attention", "profile", "variant", "seed", "measure"]
    annex.pair_encoders(tmp_path, pd.DataFrame(rows, columns=named))
    found = verdict.without_context()
    assert set(zip(found["encoder"], found["without"], strict=True)) == {("gru", "none")}
