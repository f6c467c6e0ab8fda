"""Chapter 05: the numbers that heatmaps are chosen by."""

import re

import numpy as np
import pandas as pd
import pytest

import made_up
from heed.errors import HeedError
from heed.evidence import collect
from heed.experiments import heatmaps
from heed.measures import adversarial, exact, permutation
from heed.measures.divergence import jsd, tvd
from heed.measures.search import Search
from heed.models.build import ASKED
from heed.runs.run import Run
from shown import hostile


@pytest.fixture(scope="module")
def drawn(small, tmp_path_factory) -> Run:
    """A small run that has what heatmaps are drawn from."""
    run = small(tmp_path_factory.mktemp("drawn"))
    run.ensure("heatmap")
    return run


def test_the_table_is_what_its_parts_say(drawn):
    table, evidence = drawn.table("heatmap"), drawn.evidence
    searched, adversarial = drawn.arrays("adversary"), drawn.table("adversarial").set_index("id")
    assert sorted(table["id"]) == sorted(evidence.ids)
    for entry in table.itertuples():
        row = evidence[evidence.ids.index(entry.id)]
        assert entry.change_found == pytest.approx(
            tvd(row.probs(searched[row.id]), row.prediction), abs=1e-12
        )
        stops = np.array([not re.search(r"\w", unit) for unit in row.units]) | ~row.real
        assert entry.punctuation == pytest.approx(row.attention[stops].sum(), abs=1e-12)
        assert entry.punctuation_units == pytest.approx(stops.mean())
        assert entry.change_optimum == adversarial.loc[row.id, "tvd"]


def test_each_kind_of_attention_is_what_it_is_called(drawn):
    evidence, p = drawn.evidence, drawn.params
    searched, adversarial = drawn.arrays("adversary"), drawn.table("adversarial").set_index("id")
    for row in list(evidence)[:20]:
        entry = adversarial.loc[row.id]
        kinds = heatmaps.attentions(row, entry, searched[row.id], p.permutations, p.seed)
        assert list(kinds) == ["original", "permuted", "search", "exact"]
        for attention in kinds.values():
            assert (attention >= 0).all() and attention.sum() == pytest.approx(1)
        assert np.array_equal(np.sort(kinds["permuted"]), np.sort(row.attention))
        changes = np.sort(permutation.changes(row, p.permutations, p.seed))
        middle = tvd(row.probs(kinds["permuted"]), row.prediction)
        assert changes[(p.permutations - 1) // 2] == pytest.approx(middle, abs=1e-12)
        assert jsd(kinds["exact"], row.attention) == pytest.approx(entry["optimum"], abs=1e-9)
        assert tvd(row.probs(kinds["exact"]), row.prediction) <= p.epsilon + 1e-9


def test_without_a_known_vertex_the_last_is_left_out():
    row = hostile()
    entry = pd.Series({"token_i": -1, "token_j": -1, "weight_i": 0.0, "optimum": 0.0, "proved": False})
    entry["feasible"] = 0
    kinds = heatmaps.attentions(row, entry, row.attention, 5, 0)
    assert list(kinds) == ["original", "permuted", "search"]


def test_the_order(finished):
    table = finished.table("heatmap")
    for column in ("optimum", "tau_gradient", "length"):
        values = heatmaps.ordered(table, column)[column].dropna().to_numpy()
        assert (np.diff(values) <= 0).all()
    with pytest.raises(HeedError, match="can't be sorted by 'beauty'. Choose one of: .*tau_gradient"):
        heatmaps.ordered(table, "beauty")


def test_the_best_attention_of_a_row_is_the_evidence_s(finished):
    optima = finished.table("adversarial").set_index("id")["optimum"]
    for row in list(finished.evidence)[:20]:
        assert exact.optimum(row, finished.params.epsilon).jsd == pytest.approx(optima[row.id], abs=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
def test_indicator_behaves_as_the_paper_conjectures_of_diabetes(tmp_path, encoder):
    """The positive class, decided by one word: permuting moves it, and no adversary gets far."""
    run = Run.of(results=tmp_path, corpus="indicator", encoder=encoder)
    columns = ["id", "predicted", "median_change"]
    both = run.table("permutation")[columns].merge(
        run.table("adversarial")[["id", "found", "optimum"]], on="id"
    )
    means = both.groupby("predicted")[["median_change", "found", "optimum"]].mean()
    assert means.loc[1, "median_change"] > 0.4 > 0.1 > means.loc[0, "median_change"]
    assert means.loc[1, "optimum"] < 0.6 * means.loc[0, "optimum"]
    assert means.loc[1, "found"] < 0.6 * means.loc[0, "found"]


BUDGET = 40


@pytest.mark.parametrize("encoder", ASKED)
def test_what_is_drawn_as_the_best_known_is_it(encoder, monkeypatch):
    """Whether a pair or the search found it: its JSD is `optimum`, its TVD `tvd`."""
    case = made_up.reader(encoder, "additive")
    evidence = collect(case.model, case.data, BUDGET)
    for by in ("pair", "search"):
        table, best = adversarial.adversarial(evidence, Search(epsilon=0.05, steps=200), 0.05, 0)
        for row, (_, said) in zip(evidence, table.iterrows(), strict=True):
            kinds = heatmaps.attentions(row, said, best[row.id], 3, 0)
            there = list(kinds.values())[3] if len(kinds) > 3 else row.attention
            assert jsd(there, row.attention) == pytest.approx(said["optimum"], abs=1e-9)
            assert tvd(row.probs(there), row.prediction) == pytest.approx(said["tvd"], abs=1e-12)
        assert (table["token_i"] >= 0).any() == (by == "pair") and (table["optimum"] > 0).any()
        monkeypatch.setattr(exact, "_lower", lambda *_: None)  # no pair is known
