"""Chapter 14, repairs: what is a repair of which run, the tests beside one another, what can't be."""

import numpy as np
import pandas as pd
import pytest

import small_run
from heed.corpora.batches import Encoded
from heed.experiments import repairs
from heed.measures import exact
from heed.measures.kendall import kendall
from heed.measures.leave_one_out import change
from heed.models import training
from refusals import refused


def test_repairs_are_runs_with_a_parameter_more(small, tmp_path):
    run = small(tmp_path, encoder="bilstm")
    found = repairs.repairs(run)
    given = {name: own.params.given for name, own in found.items()}
    usual = run.params.given
    assert [*found] == [
        *("as it is", "orthogonal", "diversity", "tying", "masked words", "erasure", "sparsemax", "entmax15")
    ]
    assert found["as it is"] is run and found["orthogonal"].params.encoder == "orthogonal"
    assert found["tying"].params.hidden * 2 == run.params.embedding_dim
    assert "conicity_weight=0.5" in given["diversity"] and "conicity_weight" not in usual
    assert len({own.params.path for own in found.values()}) == len(found)
    of_words = repairs.repairs(small(tmp_path, encoder="average"))
    assert not {"orthogonal", "masked words"} & {*of_words} and "tying" in of_words


def fall_of_the_rest(run, row) -> float:
    """p of the decision less p of its words of most attention alone: 1, 5, 10, 20, 50 % of them, a mean."""
    data, model = run.data("test"), run.model()
    (i,) = (k for k, name in enumerate(data.ids) if name == row.id)
    weights = row.attention[row.real].astype(np.float32).astype(float)
    order = sorted(range(len(weights)), key=lambda t: (-weights[t], t))
    falls = []
    for percent in (1, 5, 10, 20, 50):
        top = sorted(order[: -(-len(order) * percent // 100)])
        codes = np.array([data.codes[i][0], *(data.codes[i][1 + t] for t in top), data.codes[i][-1]])
        short = Encoded(["x"], [[data.words[i][t] for t in top]], [codes], data.labels[[i]])
        (said,) = training.predict(model, short, 100)
        falls.append(row.prediction.max() - said[row.prediction.argmax()])
    return float(np.mean(falls))


def test_the_tests_by_hand(finished):
    """A row a text of two words or more; each number is that of its own chapter, or of the plain kernel."""
    table = finished.table("tested").set_index("id")
    loo = change(finished.evidence, finished.arrays("loo"))
    truth, erased = (finished.table(name).set_index("id") for name in ("truth", "erasure"))
    permuted, alike = (finished.table(name).set_index("id") for name in ("permutation", "conicity"))
    for row in finished.evidence:
        if len(row.attention) < 2:
            assert row.id not in table.index
            continue
        own = table.loc[row.id]
        assert own["tau_loo"] == pytest.approx(kendall(row.attention, loo[row.id])[0], nan_ok=True)
        assert own["optimum"] == pytest.approx(exact.optimum(row, finished.params.epsilon).jsd, abs=1e-9)
        assert own["support"] == np.count_nonzero(row.attention)
        assert own["suff_delete_attention"] == pytest.approx(fall_of_the_rest(finished, row), abs=1e-6)
        others = {"auroc_attention": truth, "excess_attention": erased}
        for name, of in (others | {"median_change": permuted, "conicity": alike}).items():
            assert own[name] == pytest.approx(of.loc[row.id, name], nan_ok=True), name


@pytest.mark.parametrize("name", ["sparsemax", "erasure"])
def test_a_repaired_model_goes_through_the_tests(small, tmp_path, name):
    """With weights of exactly 0, too."""
    model = repairs.repairs(small(tmp_path))[name]
    (row,) = repairs.beside({name: model}).to_dict("records")
    assert np.isfinite([row[test] for test in repairs.TESTS]).all()
    model.ensure("summary"), model.ensure("summary_permutation"), model.ensure("summary_erasure")
    measures = model.table("summary_permutation")["measure"]
    assert {"conicity", "support", "support_share"} <= {*measures}


def test_the_tests_from_the_chapters_summaries(finished):
    """The same numbers as beside one another, of a run that went through all chapters."""
    names = [n for n in small_run.products() if n.startswith("summary") and "lies" not in n]
    rows = pd.concat([finished.table(name) for name in names], ignore_index=True)
    (found,) = repairs.of_summaries(rows[rows["given"] == finished.params.given_to(())]).to_dict("records")
    (here,) = repairs.beside({"as it is": finished}).to_dict("records")
    assert found["seeds"] == 1 and found["encoder"] == "average"
    for name in ("accuracy", "f1", "conicity", "support", "median_change", "optimum", "excess_attention"):
        assert found[name] == pytest.approx(here[name], nan_ok=True), name


def test_what_is_repaired_is_not_repaired_again(small, tmp_path):
    for given in ({"tying": 1}, {"attention": "sparsemax"}, {"encoder": "orthogonal"}):
        with refused("is changed already", "Give that."):
            repairs.repairs(small(tmp_path, **given))
