"""Chapter 09's sentences and tables: of every table something true, of none nothing."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.experiments import copying as experiment
from heed.experiments.copying import TASKS, Trained
from heed.params import resolve
from heed.show import copying, figures

SHARE = st.floats(0, 1)


@pytest.fixture(scope="module")
def trained():
    given_ = {"corpus": "copy-permutations", "profile": "small", "length": 4, "hidden": 8, "steps": 4}
    return Trained.of(resolve(given_ | {"every": 2}), 20)


def ends(rows: list[tuple], setting: str = "trained longer") -> pd.DataFrame:
    """Copied, attended; a row a seed of permutations, with all that `carried` has."""
    table = pd.DataFrame(rows, columns=["copied", "attended"])
    same = {
        "setting": setting,
        "what": copying.PERMUTATIONS,
        "profile": "long",
        "n": 50,
        "seed": range(len(table)),
    }
    return table.assign(**same, least=table["copied"], pointed=table["attended"], relevant=table["attended"],
                        attended_early=0.0, attended_late=table["attended"])  # fmt: skip


def test_what_was_trained_longer_by_hand():
    """50 sequences of 40 symbols and an end mark are 2,050 steps; one wrong of them is 99.95 %."""
    on = ends([(1 - 1 / 2050, 0.0), (1.0, 0.0)])
    said = copying.trained_longer(on)
    assert "the other 2 copy 100.0% or more" in said and "in none of the 2,050 writing steps" in said
    assert said.startswith("Trained for 600 steps instead of 200,")
    assert "copy all of the symbols" in copying.trained_longer(ends([(1.0, 0.0)]))
    assert "in at most 41 of the 2,050" in copying.trained_longer(ends([(1.0, 0.02)]))
    assert "1 of the other 2 " in copying.trained_longer(ends([(1.0, 0.0), (0.5, 0.0)]))
    assert "none of the other 1 learns it" in copying.trained_longer(ends([(0.5, 0.0)]))


@given(st.lists(st.tuples(SHARE, SHARE), max_size=4), st.lists(st.tuples(SHARE, SHARE), max_size=4))
def test_no_undefined_number_is_said(first, on):
    known = pd.concat([ends(first, "full size"), ends(on)])
    found = copying.shares(known[known["setting"] == "full size"]) if first else pd.DataFrame(
        columns=["setting", "what", "seeds", "success", "low", "high"]
    )  # fmt: skip
    said = copying.answer(known, found) + [
        copying.apart(known),
        copying.borders(known),
        copying.how_often(found),
        *copying.as_reported(found),
    ]
    if on:
        said += [
            copying.trained_longer(copying.of(known, "trained longer")),
            copying.pointed(copying.of(known, "trained longer")),
        ]
    assert all("nan" not in sentence for sentence in said)


def test_the_carried_runs_are_those_of_the_readme(trained):
    known = copying.carried()
    said = copying.in_short(known, trained)[0]
    assert (
        said.startswith("Yes, in one of two ways. ")
        and "9 learn to copy permutations of 40" in said
        and "26% to 66%" in said
    )
    assert len(copying.of(known, "full size")) == 20 and len(copying.of(known, "trained longer")) == 11
    readme = (copying.paths.ROOT / "README.md").read_text(encoding="utf-8")
    said = copying.trained_longer(copying.of(known, "trained longer"))
    assert "99.9% or more" in said and "in none of the 2,050 writing steps" in said
    assert "copy 99.9 %" in readme and "2,050 steps" in readme


def test_company_by_hand():
    ordered = copying.company(permutations(range(3))).drop(columns="output").to_numpy()
    free = copying.company(product(range(3), repeat=3)).drop(columns="output").to_numpy()
    assert (ordered == 6).all() and free[0, 0] / free[0, 1] == (2 * 3 - 1) / (3 - 1)


def test_lifts_are_what_is_counted():
    table = copying.lifts(resolve({"corpus": "copy-permutations", "profile": "small"}))
    assert np.allclose(table.iloc[:, 1], table.iloc[:, 2], rtol=0.05) and [*table["task"]] == [
        *TASKS.values()
    ]


def test_few_seeds_of_this_run_are_left_out():
    known, own = ends([(1.0, 1.0)] * 2, "small"), ends([(1.0, 1.0)], "")
    assert [*copying.parts(own, known)["setting"].unique()] == ["small"]
    many = pd.concat([own.assign(seed=k) for k in range(3)])
    assert [*copying.parts(many, known)["setting"].unique()] == ["this run", "small"]
    assert copying.parts(own, known.iloc[:0]).empty and not copying.controls(known.iloc[:0])


def test_where_attention_is_by_hand(trained):
    shown = pd.DataFrame(
        {"attention": [np.array([0.2, 0.8]), np.array([0.5, 0.5])], "relevance": [[0.0, -1.0], [0.0, -1.0]]}
    )
    assert copying.where_attention_is(shown) == pytest.approx({"right": 0.35, "before": 0.25, "later": 0.4})
    assert "nan" not in copying.maps(shown, trained.shown) + copying.relevances(shown, trained.shown)
    figures.maps({"one": trained.shown, "another": trained.shown}, "relevance")


def test_other_weights_are_the_models_own(trained):
    found = trained.under_other_weights()
    last = trained.looks.iloc[-1]
    assert found["its own"] == pytest.approx(last["copied"])
    assert found["all on the right symbol"] == pytest.approx(last["pointed"])
    assert len(copying.other_weights(found)) == 5 and "nan" not in copying.excludes(trained)
    assert [*trained.shown] == ["codes", "attention", "relevance"]
    assert np.allclose(np.stack(trained.shown["attention"].to_list()).sum(1), 1)


def test_which_is_first():
    when = pd.DataFrame({"relevance": [20, 40, np.nan], "attention": [40, 40, 20]})
    when = when.assign(task=["a", "b", "c"], seed=0)
    said = copying.which_first(when)
    assert (
        said.startswith("Of 2 small models trained here that came to attend (a and b; seed 0), 1 has")
        and "in 1 both come" in said
    )
    assert copying.which_first(when.iloc[2:]).startswith("No model here")


def test_under_even_attention():
    higher, lower = pd.Series([0.7, 0.8]), pd.Series([0.3, 0.4])
    assert "75% of the steps against 35%, 2 seeds" in copying.under_even_attention(higher, lower)
    assert "as the authors argue" in copying.under_even_attention(higher, lower)
    assert "against the authors' argument" in copying.under_even_attention(higher, higher)


def test_what_the_excluder_is_said_to_do(trained):
    p = resolve({"corpus": "copy-permutations", "profile": "small"})
    assert f"instead of {p.steps}, so that" in copying.larger_steps(trained, p)
    assert "26% right with 12 symbols" in copying.blind(12) and "11% right with 40" in copying.blind(12)
    assert "chosen out of 18, at full size 40 out of 60" in copying.title_of_lifts(p)
    assert "of 20 new sequences" in copying.excludes(trained)
    assert [*copying.over_steps(trained.looks)] == [
        "step",
        *(v for k, v in copying.COLUMNS.items() if k != "relevant"),
    ]


def test_the_ways_down():
    """One starts above the standstill and ends on the symbol, the other is its longer mirror."""
    times, ways = copying.two_ways(6)
    (up, p, short), (down, q, long) = ways.values()
    assert up[-1] > 0 > down[-1] and p[-1] > 0.9 > 1 / 6 > q[-1] and short[-1] > long[-1] > 1 / 6
    assert short[0] == pytest.approx(experiment.right_symbol(0.1, 1 / 6, 6)) == pytest.approx(1 / 6)
    assert "probability" in copying.longer(times, ways) and "100%" in copying.starts(6, 10)
    figures.two_ways(times, ways)
