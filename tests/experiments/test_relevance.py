"""Chapter 08: relevance, the agreement A, ξ, influence, watching a model in training, the two-text theory."""

import math

import numpy as np
import pandas as pd
import pytest

from heed.errors import HeedError
from heed.experiments import relevance
from heed.measures import registry
from heed.measures import relevance as measures_relevance
from heed.measures.kendall import kendall
from heed.runs.run import Run
from twins import match_by_hand

# Watching


def test_a_model_is_looked_at_on_the_way(small, tmp_path):
    """The watched training is the run's own, step for step, and watching leaves it alone."""
    run = small(tmp_path, encoder="bilstm", epochs=1, watch_every=1)
    run.ensure("evidence")
    watched = run.table("watched")
    steps = math.ceil(60 / run.params.batch_size)
    assert sorted(set(watched["step"])) == list(range(steps + 1))
    last = watched[watched["step"] == steps]
    assert 1 <= len(last) <= 7 and set(last["id"]) <= set(run.evidence.ids)
    ends, ahead = {row.id: row for row in run.evidence}, measures_relevance.relevances(run.evidence)
    for text in last.itertuples():
        row = ends[text.id]
        assert np.allclose(text.attention, row.attention[row.real], atol=1e-6)
        assert np.allclose(text.relevance, ahead[text.id], atol=1e-5)
        assert text.correct == (row.prediction.argmax() == row.label)


def test_what_is_watched_is_trained_on_the_way(small, tmp_path):
    """The same bytes as training alone; once trained, and of some epochs only, weights stay as they are."""
    usual, first = (small(tmp_path / name, watch_every=1) for name in "ab")
    alone = usual.ensure("weights").read_bytes()
    first.ensure("watched")
    assert first.holds("weights") and first.ensure("weights").read_bytes() == alone
    curves = (run.table("curve").drop(columns="seconds", errors="ignore") for run in (usual, first))
    pd.testing.assert_frame_equal(*curves)
    record = usual.info()["products"]["weights"]
    usual.ensure("watched")
    assert usual.info()["products"]["weights"] == record
    pd.testing.assert_frame_equal(usual.table("watched"), first.table("watched"))
    part = small(tmp_path / "c", watch_every=1, watch_epochs=1)
    part.ensure("watched")
    assert not part.holds("weights") and part.ensure("weights").read_bytes() == alone


def test_watching_takes_the_first_epochs_alone(small, tmp_path):
    longer = small(tmp_path / "a", watch_every=1).table("watched")
    shorter = small(tmp_path / "b", watch_every=1, watch_epochs=1).table("watched")
    assert shorter["step"].max() < longer["step"].max()
    both = longer[longer["step"] <= shorter["step"].max()]
    assert all(np.array_equal(*pair) for pair in zip(both["attention"], shorter["attention"], strict=True))


@pytest.mark.parametrize("every", [1, 3, 250])
def test_looks_are_dense_at_the_start(every):
    due = [step for step in range(600) if relevance.due(step, every)]
    assert due == sorted({*relevance.FIRST, *range(0, 600, every)})


# Over training


def looks(agrees, accuracy, model="seed 1"):
    return pd.DataFrame(
        {"model": model, "step": range(len(agrees)), "attention_agrees": agrees, "accuracy": accuracy}
    )


def test_xi_is_the_accuracy_at_the_first_step_that_agrees_more():
    table = pd.concat(
        [
            looks([0.0, 0.5, 0.75, 0.5, 1.0], [0.5, 0.6, 0.7, 0.8, 0.9]),
            looks([0.0, 0.25, 0.5, 0.75, 0.75], [0.5, 0.5, 0.5, 0.7, 0.8], "seed 2"),
            looks([1.0] * 5, [1.0] * 5, "base"),
            looks([1.0] * 5, [1.0] * 5, "uniform"),
        ]
    )
    assert relevance.xi(table, 0.375) == pytest.approx(0.6)  # equal isn't more
    assert relevance.xi(table, 0.625) == pytest.approx(0.85)
    assert relevance.xi(table, -1) == pytest.approx(0.5)
    assert np.isnan(relevance.xi(table, 0.9)) and np.isnan(relevance.xi(table, 2.0))


def test_halfway_is_the_first_step_past_the_middle():
    table = looks([0.1, 0.2, 0.6, 0.3, 1.0], [0.0] * 5).assign(step=[0, 10, 25, 50, 75])
    assert relevance.halfway(table, "attention_agrees").to_dict() == {"seed 1": 25}
    assert relevance.halfway(table, "accuracy").to_dict() == {"seed 1": 0}


def test_the_course_is_the_mean_over_texts(finished):
    """Each number anew, by loops, from what was watched."""
    course, base = finished.table("course"), finished.table("watched")
    attention = {row.id: row.attention[row.real] for row in finished.evidence}
    for found in course[course["model"] == "base"].itertuples():
        rows = list(base[base["step"] == found.step].itertuples())
        assert found.accuracy == pytest.approx(sum(r.correct for r in rows) / len(rows))
        for column in ("attention", "relevance"):
            mean = sum(match_by_hand(attention[r.id], getattr(r, column)) for r in rows) / len(rows)
            assert getattr(found, f"{column}_agrees") == pytest.approx(mean)
        assert found.spread == pytest.approx(sum(np.std(r.relevance) for r in rows) / len(rows))
        assert 0 <= found.away <= np.log(2)
        lengths = [len(r.attention) for r in rows]
        assert found.chance == pytest.approx(np.mean([math.ceil(n / 20) / n for n in lengths]))
    uniform = course[course["model"] == "uniform"]
    assert np.allclose(uniform["away"], 0) and np.allclose(uniform["attention_agrees"], 1)
    assert set(course["model"]) == {"base", "uniform", "seed 1", "seed 2"}


def test_the_table_is_the_definitions(finished):
    table = finished.table("relevance").set_index("id")
    uniform = measures_relevance.relevances(finished.like(attention="uniform", seed=3).evidence)
    twin = measures_relevance.relevances(finished.like(attention="uniform").evidence)
    gate, own = finished.arrays("gate"), measures_relevance.relevances(finished.evidence)
    bag = measures_relevance.relevances(finished.like(encoder="none", attention="uniform", seed=4).evidence)
    for row in finished.evidence:
        a, found = row.attention[row.real], table.loc[row.id]
        assert found["length"] == len(a) and found["top_chance"] == math.ceil(0.05 * len(a)) / len(a)
        assert found["top_uniform"] == measures_relevance.agreement(a, uniform[row.id])
        assert found["top_twin"] == measures_relevance.agreement(a, twin[row.id])
        assert found["top_gate"] == measures_relevance.agreement(gate[row.id], uniform[row.id])
        assert found["top_proxy"] == measures_relevance.agreement(bag[row.id], uniform[row.id])
        assert found["top_own"] == measures_relevance.agreement(a, own[row.id])
        tau = kendall(a, own[row.id])[0]
        assert found["tau_own"] == pytest.approx(tau, nan_ok=True)


def test_where_states_are_local(finished):
    """A against r' of another start, and τ with counts of training texts, each by loops."""
    near = finished.like(encoder="average")
    far = finished.like(encoder="average", vectors="random")
    texts = finished.corpus.splits["train"].words
    for found, usual, *models in zip(
        relevance.of_local(finished).itertuples(), finished.evidence, near.evidence, far.evidence, strict=True
    ):
        assert found.id == usual.id and found.predicted == usual.prediction.argmax()
        counts = [sum(word in text for text in texts) for word in usual.units]
        for suffix, row in zip(("", "_local", "_local_random"), (usual, *models), strict=True):
            tau = kendall(row.attention, np.array(counts))[0]
            assert getattr(found, f"common{suffix}") == pytest.approx(tau, nan_ok=True)
    for of, column in ((near, "top_local"), (far, "top_local_random")):
        ahead = measures_relevance.relevances(of.like(attention="uniform", seed=3).evidence)
        expected = [measures_relevance.agreement(row.attention, ahead[row.id]) for row in of.evidence]
        assert relevance.of_local(finished)[column].tolist() == expected


def test_the_summary_has_every_measure(finished):
    summary = finished.table("summary_relevance")
    rows = summary[summary["class"] == "overall"].set_index("measure")
    assert {*rows.index} >= {
        *registry.columns_of("relevance"),
        "top_uniform_seeds",
        *(f"top_{pair}_highest" for pair in ("uniform", "gate", "dropped", "proxy")),
        "half_away",
        "top_local",
        "top_local_random",
        "common",
        "common_local",
        "common_local_random",
    }
    watched, course, table = (finished.table(name) for name in ("watched", "course", "relevance"))
    assert 0 <= rows.loc["top_uniform_seeds", "low"] and rows.loc["top_uniform_seeds", "high"] <= 1
    over_texts = ["top_uniform", "tau_uniform", "top_chance", "top_uniform_seeds"]
    assert (rows.loc[over_texts, "n"] == len(table)).all()
    seen = table[table["id"].isin(set(watched["id"]))]
    assert len(seen) < len(table)
    for pair in relevance.PAIRS:
        row, expected = rows.loc[f"xi_{pair}"], relevance.xi(course, seen[f"top_{pair}"].mean())
        assert row["n"] == len(seen) and row["mean"] == pytest.approx(expected, nan_ok=True)
    steps = course[course["model"] == "uniform"].set_index("step")["relevance_agrees"]
    assert rows.loc["top_uniform_highest", "mean"] == pytest.approx(steps.max())
    assert rows.loc["top_uniform_last", "mean"] == pytest.approx(steps[max(steps.index)])
    for column in ("away", "spread", "attention_agrees", "relevance_agrees"):
        row, seeds = rows.loc[f"half_{column}"], course[course["model"].isin(["seed 1", "seed 2"])]
        assert row["mean"] == pytest.approx(relevance.halfway(seeds, column).mean())
        assert row["n"] == len(seen) and 0 <= row["low"] <= row["mean"] <= row["high"]


def test_of_one_other_seed_there_is_no_interval(small, tmp_path):
    rows = small(tmp_path, other_seeds=[1]).table("summary_relevance").set_index(["measure", "class"])
    for column in ("away", "spread", "attention_agrees", "relevance_agrees"):
        row = rows.loc[(f"half_{column}", "overall")]
        assert row["mean"] >= 0 and row[["low", "high"]].isna().all()


def test_over_training(finished):
    """By a plain loop over the watched texts."""
    found, evidence = relevance.over_training(finished), finished.evidence
    uniform, bag = (
        relevance.models(finished)["uniform"],
        measures_relevance.relevances(relevance.bag(finished).evidence),
    )
    gate, own = finished.arrays("gate"), {row.id: row for row in evidence}
    seen = uniform.table("watched")
    assert [*found] == ["uniform", "gate", "dropped", "proxy"]
    assert [*found.index] == sorted(seen["step"].unique())
    for step, texts in seen.groupby("step"):
        tops = {"uniform": [], "gate": [], "proxy": []}
        for name, r in zip(texts["id"], texts["relevance"], strict=True):
            tops["uniform"].append(measures_relevance.agreement(own[name].attention, r))
            tops["gate"].append(measures_relevance.agreement(gate[name], r[own[name].real]))
            tops["proxy"].append(measures_relevance.agreement(bag[name], r))
        for pair, values in tops.items():
            assert found.loc[step, pair] == pytest.approx(np.mean(values))


def test_uniform_training_starts_elsewhere(finished, small, tmp_path):
    """With first weights that none of the others has; the twin's are the run's own."""
    uniform, *others = relevance.models(finished).values()
    compared = [finished, *others, uniform, relevance.bag(finished)]
    assert len({run.params.seed for run in compared}) == len(compared)
    given = {"other_seeds": [2, 4]}
    assert relevance.unused(small(tmp_path, seed=1, **given)) == [3, 5]
    firsts = [relevance.unused(small(tmp_path, seed=seed, **given))[0] for seed in range(8)]
    assert len({*firsts}) == 8 and not {*firsts} & {2, 4}, "uniform training of two runs is one and the same"
    assert relevance.twin(finished).params.seed == finished.params.seed
    assert relevance.twin(finished).params.attention == uniform.params.attention == "uniform"


def test_markers_that_are_attended_to_are_compared(small, tmp_path):
    """By everything but the gate and leave-one-out, which are of real tokens alone."""
    run = small(tmp_path, attend_markers=True, watch_every=250)
    table = run.table("relevance").set_index("id")
    uniform = measures_relevance.relevances(relevance.models(run)["uniform"].evidence)
    gate, other = run.arrays("gate"), relevance.models(run)["seed 1"].evidence
    assert any(row.attention.argmax() in (0, len(row.attention) - 1) for row in run.evidence)
    for row, theirs in zip(run.evidence, other, strict=True):
        found, inner = table.loc[row.id], uniform[row.id][1:-1]
        assert found["length"] == len(gate[row.id]) + 2 == len(row.attention)
        assert found["top_chance"] == measures_relevance.chance(found["length"])
        assert found["top_uniform"] == match_by_hand(row.attention, uniform[row.id])
        assert found["top_other"] == match_by_hand(row.attention, measures_relevance.relevance(theirs))
        assert found["top_gate"] == match_by_hand(gate[row.id], inner)
    watched = run.table("watched")
    assert sorted(set(watched["step"])) == [0, 8]  # the first and the last of two epochs of 4
    assert len(watched["attention"].iloc[0]) == table.loc[watched["id"].iloc[0], "length"]


def test_the_bag_of_words_has_no_context(finished):
    """A word is as relevant in one text as in another, but for its sign."""
    seen = {}
    for row in relevance.bag(finished).evidence:
        for word, value in zip(row.units, measures_relevance.relevance(row), strict=True):
            sign = 1 if row.label == 1 else -1
            assert np.isclose(seen.setdefault(word, sign * value), sign * value)


@pytest.mark.parametrize(
    ("name", "value"), [("watched_texts", 0), ("watch_every", 0), ("watch_epochs", 0), ("watch_every", 1.5)]
)
def test_settings_that_cannot_be(tmp_path, name, value):
    with pytest.raises(HeedError, match=name):
        Run.of(str(tmp_path), set={name: value})


def test_new_settings_rename_no_run():
    """They only say how a run is watched."""
    from heed.params import resolve

    given = {"watched_texts": 3, "watch_every": 7, "watch_epochs": 2}
    assert resolve({"corpus": "planted"} | given).path == resolve({"corpus": "planted"}).path
