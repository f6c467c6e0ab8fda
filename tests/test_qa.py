"""Question answering and inference: models from the paper's formulas, the bracket by brute force, runs."""

import json
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import made_up
import scratch
from conftest import SMALL
from heed import evidence
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.errors import HeedError
from heed.evidence import Evidence, Row, collect
from heed.experiments import heatmaps
from heed.experiments.not_not import support
from heed.measures import exact, stats
from heed.measures import scores as measures_scores
from heed.measures.adversarial import adversarial
from heed.measures.divergence import jsd, tvd
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import change, leave_one_out
from heed.measures.search import Search
from heed.models import training
from heed.models.attended import forward
from heed.models.attentions import Additive
from heed.models.build import ASKED, build
from heed.models.encoders import CNN, BiLSTM
from heed.models.head import Head
from heed.params import Params, resolve
from heed.registry import carried
from heed.runs.grid import read_grid, runs_of
from heed.runs.products import files
from heed.show import figures, heatmap
from heed.show.explorer import Explorer
from heed.show.strip import TokenStrip

BUDGET = 40
PAIRS = list(product(ASKED, made_up.LEARNED))


# The model once more, a text at a time, in numpy


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def lstm(weights: dict[str, np.ndarray], x: np.ndarray) -> np.ndarray:
    """States (T, H) of one LSTM over (T, E)."""
    size = weights["weight_hh_l0"].shape[1]
    h, c, found = np.zeros(size), np.zeros(size), []
    for step in x:
        gates = weights["weight_ih_l0"] @ step + weights["weight_hh_l0"] @ h
        i, f, g, o = np.split(gates + weights["bias_ih_l0"] + weights["bias_hh_l0"], 4)
        c = expit(f) * c + expit(i) * np.tanh(g)
        h = expit(o) * np.tanh(c)
        found.append(h)
    return np.array(found)


def weights_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: w.detach().numpy() for name, w in module.state_dict().items()}


def encode(encoder: torch.nn.Module, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States (T, H) of a text with its markers, (T, E), and its one vector as a query (H,)."""
    if isinstance(encoder, BiLSTM):
        ahead = lstm(weights_of(encoder.forwards), x)
        behind = lstm(weights_of(encoder.backwards), x[::-1])[::-1]
        return np.hstack([ahead, behind]), np.hstack([ahead[-1], behind[0]])
    if isinstance(encoder, CNN):
        columns = []
        for conv in encoder.filters:
            w, b = conv.weight.detach().numpy(), conv.bias.detach().numpy()
            half = w.shape[2] // 2
            wide = np.pad(x, ((half, half), (0, 0)))
            windows = [wide[t : t + 2 * half + 1].T for t in range(len(x))]
            columns.append([np.maximum([(w[k] * v).sum() + b[k] for k in range(len(w))], 0) for v in windows])
        states = np.concatenate(columns, axis=1)
        return states, states[1:-1].max(0)
    w = weights_of(encoder.project)
    states = np.maximum(x @ w["weight"].T + w["bias"], 0)
    return states, states[1:-1].mean(0)


def by_hand(model, codes, query, allowed, attention=None, embedded=None) -> dict[str, np.ndarray]:
    """Attention over the tokens, logits and probabilities of one passage and one query."""
    w = weights_of(model)
    x = w["embedding.weight"][codes] if embedded is None else embedded
    h = encode(model.encoder, x)[0][1:-1]
    q = encode(model.query_encoder, w["query_embedding.weight"][query])[1]
    if isinstance(model.attention, Additive):
        inner = np.tanh(
            h @ w["attention.inner.weight"].T + w["attention.inner.bias"] + w["attention.query.weight"] @ q
        )
        scores = inner @ w["attention.outer.weight"][0]
    else:
        scores = h @ q / np.sqrt(len(q))
    a = softmax(scores) if attention is None else attention
    z = np.tanh(w["of_context.weight"] @ (a @ h) + w["of_query.weight"] @ q + w["of_query.bias"])
    logits = np.where(allowed, w["head.out.weight"] @ z + w["head.out.bias"], -np.inf)
    return {"attention": a, "logits": logits, "probs": softmax(logits)}


def plain(case: made_up.Case, i: int, **given) -> dict[str, np.ndarray]:
    data = case.data
    codes = given.pop("codes", data.codes[i])
    return by_hand(case.model, codes, data.query.codes[i], data.allowed[i], **given)


@pytest.mark.parametrize(("encoder", "attention"), PAIRS)
def test_the_reader_is_the_papers(encoder, attention):
    """Attention, prediction, and what evidence makes of them, as the formulas have it."""
    case = made_up.reader(encoder, attention)
    for i, row in enumerate(collect(case.model, case.data, BUDGET)):
        found = plain(case, i)
        np.testing.assert_allclose(row.attention, found["attention"], rtol=0, atol=1e-13)
        np.testing.assert_allclose(row.prediction, found["probs"], rtol=0, atol=1e-13)
        np.testing.assert_allclose(row.probs(row.attention), found["probs"], rtol=0, atol=1e-13)
        assert row.values.shape == (len(row.units), case.model.encoder.size // 2)
        assert row.shown == found["probs"].argmax()
        assert (row.prediction[~row.allowed] == 0).all()


@pytest.mark.parametrize(("encoder", "attention"), PAIRS)
def test_leave_one_out_deletes_a_word_of_the_passage(encoder, attention):
    """The question and the allowed answers stay, those of words that go included."""
    case = made_up.reader(encoder, attention)
    for how in ("fast", "plain"):
        found = leave_one_out(case.model, case.data, BUDGET, how)
        for i, name in enumerate(case.data.ids):
            if len(case.data.words[i]) == 1:
                continue
            for t, logits in enumerate(found[name]):
                without = plain(case, i, codes=np.delete(case.data.codes[i], t + 1))
                allowed = case.data.allowed[i]  # what it returns are the columns of these
                np.testing.assert_allclose(logits, without["logits"][allowed], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("encoder", "attention"), PAIRS)
def test_the_gradient_is_that_of_the_predicted_answer(encoder, attention):
    """|E[w]·dp/de| by central differences along each word's own vector, attention held fixed."""
    case = made_up.reader(encoder, attention)
    slopes = gradients(case.model, case.data, BUDGET)
    vectors, step = weights_of(case.model)["embedding.weight"], 1e-6
    for i in (0, 4):
        own = plain(case, i)
        answer, x = own["probs"].argmax(), vectors[case.data.codes[i]]
        for t, slope in enumerate(slopes[case.data.ids[i]], start=1):
            ends = []
            for sign in (1, -1):
                moved = x.copy()
                moved[t] *= 1 + sign * step
                ends.append(plain(case, i, attention=own["attention"], embedded=moved)["probs"][answer])
            assert slope == pytest.approx(abs(ends[0] - ends[1]) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("encoder", ASKED)
@pytest.mark.parametrize("how", ["forward", "leave-one-out"])
def test_the_query_is_read_once(encoder, how, monkeypatch):
    """Once a batch, however often scores and shift ask for it."""
    case, calls = made_up.reader(encoder, "additive"), []
    monkeypatch.setattr(
        case.model.query_encoder, "forward", _counted(case.model.query_encoder.forward, calls)
    )
    if how == "forward":
        forward(case.model, case.data.batch([0, 1, 2]))
        assert len(calls) == 1
    else:
        leave_one_out(case.model, case.data, 10_000)
        assert len(calls) == 1


def _counted(function, calls):
    def counted(*given):
        calls.append(1)
        return function(*given)

    return counted


@pytest.mark.parametrize("attention", ["uniform", "last"])
@pytest.mark.parametrize("encoder", ASKED)
def test_baselines_answer_questions_too(encoder, attention):
    case = made_up.reader(encoder, attention)
    for row in collect(case.model, case.data, BUDGET):
        expected = np.full(len(row.units), 1 / len(row.units)) if attention == "uniform" else None
        expected = np.eye(len(row.units))[-1] if expected is None else expected
        np.testing.assert_allclose(row.attention, expected, rtol=0, atol=1e-15)
        assert row.prediction.sum() == pytest.approx(1)


@given(
    order=st.permutations(range(len(made_up.TEXTS))), tokens=st.integers(1, 200), at=st.sampled_from(PAIRS)
)
def test_what_shares_a_batch_changes_nothing(order, tokens, at):
    """Padding of passages and of queries, batch size and order."""
    case = made_up.reader(*at)
    data = case.data
    usual = {row.id: row for row in collect(case.model, data, 10_000)}
    lists = {k: [getattr(data, k)[i] for i in order] for k in ("ids", "words", "codes", "truth")}
    query = Encoded(
        lists["ids"], *([getattr(data.query, k)[i] for i in order] for k in ("words", "codes")), data.labels
    )
    other = Encoded(**lists, labels=data.labels[list(order)], query=query, allowed=data.allowed[list(order)])
    for row in collect(case.model, other, tokens):
        np.testing.assert_allclose(row.attention, usual[row.id].attention, rtol=0, atol=1e-12)
        np.testing.assert_allclose(row.prediction, usual[row.id].prediction, rtol=0, atol=1e-12)


def test_both_texts_start_from_the_same_vectors():
    """And are trained apart: a change of one isn't one of the other."""
    model = made_up.reader("average", "dot").model
    assert torch.equal(model.embedding.weight, model.query_embedding.weight)
    with torch.no_grad():
        model.query_embedding.weight += 1
    assert not torch.equal(model.embedding.weight, model.query_embedding.weight)


def test_encoding_a_split_with_questions():
    split = Split(
        ["a", "b"], [["good"], ["bad", "film"]], np.array([0, 2]), queries=[["why"], ["who", "so"]],
        allowed=[np.array([0]), np.array([2, 1])],
    )  # fmt: skip
    data = Encoded.of(split, made_up.VOCABULARY, 3)
    assert data.query.words == split.queries
    np.testing.assert_array_equal(data.allowed, [[True, False, False], [False, True, True]])
    batch = data.batch([1, 0])
    assert batch.query.codes.shape == (2, 4) and batch.allowed[0].tolist() == [False, True, True]


def test_all_answers_are_allowed_unless_it_is_said():
    split = Split(["a"], [["good"]], np.array([0]), queries=[["why"]])
    assert Encoded.of(split, made_up.VOCABULARY, 3).allowed is None


# Evidence as a stream


@pytest.mark.parametrize("window", [1, 12, 1000])
def test_evidence_streams_to_its_file(window, tmp_path, monkeypatch):
    """A window of texts at a time, in the split's order, the same as at once."""
    case = made_up.reader("bilstm", "additive")
    at_once = collect(case.model, case.data, BUDGET)
    monkeypatch.setattr(evidence, "WINDOW", window)
    streamed = collect(case.model, case.data, BUDGET, path=tmp_path / "evidence.arrow")
    parts = streamed.table["id"].num_chunks
    assert parts == {1: len(case.data), 1000: 1}.get(window, parts) and (window != 12 or 1 < parts < 9)
    again = Evidence.open(tmp_path / "evidence.arrow")
    assert again.ids == streamed.ids == case.data.ids
    for a, b in zip(at_once, again, strict=True):
        for name in ("real", "attention", "values", "shift", "allowed", "label", "prediction", "truth"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=0, atol=1e-12)
        assert (a.id, a.group, a.units) == (b.id, b.group, b.units)
    assert streamed.head.act == "tanh"


def test_streamed_evidence_holds_one_window(tmp_path, monkeypatch):
    """Never more rows at once than a window's."""
    case, most = made_up.reader("average", "additive"), []
    monkeypatch.setattr(evidence, "WINDOW", 15)
    usual = pa.RecordBatch.from_pylist

    class Counting:
        @staticmethod
        def from_pylist(rows, schema):
            most.append(sum(len(row["attention"]) for row in rows))
            return usual(rows, schema=schema)

    monkeypatch.setattr(evidence.pa, "RecordBatch", Counting)
    collect(case.model, case.data, 10_000, path=tmp_path / "evidence.arrow")
    assert len(most) > 2 and max(most) <= 15 + max(map(len, case.data.words))


def test_decisions_are_attention_and_prediction_alone(monkeypatch):
    """What is kept of a training split: no values are held."""
    case = made_up.reader("cnn", "dot")
    monkeypatch.setattr(evidence, "WINDOW", 10)
    table, whole = evidence.decisions(case.model, case.data, BUDGET), collect(case.model, case.data, BUDGET)
    assert table.column_names == ["id", "attention", "prediction"] and table["id"].to_pylist() == whole.ids
    for kept, row in zip(table["attention"].to_pylist(), whole, strict=True):
        np.testing.assert_allclose(kept, row.attention, rtol=0, atol=1e-12)


def test_support_of_an_answer_counts_allowed_ones_only():
    """Signed leave-one-out of the predicted answer, whose column isn't its number where some are left out."""
    case = made_up.reader("average", "additive")
    found, logits = collect(case.model, case.data, BUDGET), leave_one_out(case.model, case.data, BUDGET)
    for i, (row, dropped, relevance) in enumerate(support(found, logits)):
        assert relevance is None
        for t in range(len(row.units) if len(row.units) > 1 else 0):
            without = plain(case, i, codes=np.delete(case.data.codes[i], t + 1))["probs"]
            assert dropped[t] == pytest.approx(row.prediction[row.shown] - without[row.shown], abs=1e-10)


# The bracket


def drawn(seed: int, length: int, answers: int = 3, width: int = 2, scale: float = 2.0) -> Row:
    """One row with a tanh head; some of the answers aren't allowed."""
    rng = np.random.default_rng(seed)
    head = Head("tanh", "softmax", torch.nn.Linear(width, answers, dtype=torch.float64))
    with torch.no_grad():
        for w in head.parameters():
            w.copy_(torch.as_tensor(rng.normal(0, scale, w.shape)))
    head = head.frozen()
    a, u, b = rng.dirichlet(np.ones(length)), rng.normal(0, 1, (length, width)), rng.normal(0, 1, width)
    allowed = np.arange(answers) != answers - 1 if seed % 2 else None
    y = head.probs(a @ u, b, allowed).numpy()
    words = [f"w{t}" for t in range(length)]
    return Row(f"row-{seed}", "", words, np.ones(length, dtype=bool), a, u, b, allowed, 0, y, None, head)


def simplex(steps: int) -> np.ndarray:
    """A grid of attentions on three tokens."""
    grid = [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    return np.array(grid) / steps


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.3])
def test_the_bracket_holds_what_brute_force_finds(seed, epsilon):
    row = drawn(seed, 3)
    bracket = exact.bracket(row, epsilon)
    grid = simplex(160)
    kept = tvd(row.probs(grid), row.prediction) <= epsilon
    best = jsd(grid[kept], row.attention).max() if kept.any() else 0
    assert best <= bracket.upper + 1e-12
    # Here the line search on two tokens misses no feasible interval, so that no grid point beats it.
    edge = kept & (grid == 0).any(1)
    if edge.any():
        assert bracket.lower >= jsd(grid[edge], row.attention).max() - 1e-12
    if bracket.vertex:
        there = bracket.vertex.attention(3)
        assert tvd(row.probs(there), row.prediction) <= epsilon + 1e-9
        assert jsd(there, row.attention) == pytest.approx(bracket.lower, abs=1e-9)
    one = np.eye(3)[jsd(np.eye(3), row.attention).argmax()]
    assert bracket.proved == (
        tvd(row.probs(one), row.prediction) <= epsilon or bracket.upper - bracket.lower <= 1e-9
    )


@given(seed=st.integers(0, 10**6), length=st.integers(1, 12), epsilon=st.sampled_from([0.0, 0.01, 0.05, 0.4]))
def test_the_bracket_is_one(seed, length, epsilon):
    bracket = exact.bracket(drawn(seed, length, answers=4, width=3), epsilon)
    assert 0 <= bracket.lower <= bracket.upper + 1e-12 <= np.log(2) + 1e-9
    row = drawn(seed, length, answers=4, width=3)
    alone = np.eye(length)[tvd(row.probs(np.eye(length)), row.prediction) <= epsilon]
    assert bracket.lower >= max(jsd(alone, row.attention), default=0) - 1e-12


def test_a_long_text_tries_every_word_alone():
    """Beyond the 64 least attended tokens no pair is tried, but every one-hot is."""
    length, width = 80, 1
    head = Head("tanh", "softmax", torch.nn.Linear(width, 2, dtype=torch.float64))
    with torch.no_grad():
        head.out.weight.copy_(torch.tensor([[3.0], [-3.0]]))
        head.out.bias.zero_()
    a = np.linspace(1, 2, length)
    a /= a.sum()
    u = np.full((length, 1), 5.0)
    u[-1] = (a @ u)[0]  # the token with most attention alone keeps the prediction: it is what the others miss
    u[:-1] += 4
    shift = np.array([-(a @ u)[0] + 0.2])
    u[-1] = (a[:-1] @ u[:-1])[0] / (1 - a[-1])
    u[:-1, 0] += np.where(np.arange(length - 1) % 2, 3, 30)
    u[-1] = (a[:-1] @ u[:-1])[0] / (1 - a[-1])
    shift = np.array([0.2]) - a @ u
    y = head.frozen().probs(a @ u, shift).numpy()
    row = Row("long", "", [""] * length, np.ones(length, bool), a, u, shift, None, 0, y, None, head.frozen())
    alone = tvd(row.probs(np.eye(length)), row.prediction)
    assert alone[-1] <= 0.01 and (alone[:-1] > 0.01).all()
    found = exact.bracket(row, 0.01)
    assert found.lower >= jsd(np.eye(length)[-1], a) - 1e-12
    single = exact._lower(row, 0.01, 1)
    assert (single.i, single.j) == (length - 1, length - 1)


@pytest.mark.parametrize("encoder", ASKED)
def test_search_stays_below_the_best_known_and_that_below_the_bound(encoder):
    case = made_up.reader(encoder, "additive")
    table, best = adversarial(collect(case.model, case.data, BUDGET), Search(epsilon=0.05, steps=40), 0.05, 0)
    assert (table["found"] <= table["optimum"] + 1e-12).all()
    assert (table["optimum"] <= table["bound"] + 1e-9).all()
    assert (table["tvd"] <= 0.05 + 1e-9).all()
    assert table["proved"].equals(table["bound"] - table["optimum"] <= 1e-9)
    assert set(best) == set(case.data.ids)


@pytest.mark.parametrize("encoder", ASKED)
def test_what_is_drawn_as_the_best_known_is_it(encoder, monkeypatch):
    """Whether a pair or the search found it: its JSD is `optimum`, its TVD `tvd`."""
    case = made_up.reader(encoder, "additive")
    evidence = collect(case.model, case.data, BUDGET)
    for by in ("pair", "search"):
        table, best = adversarial(evidence, Search(epsilon=0.05, steps=200), 0.05, 0)
        for row, (_, said) in zip(evidence, table.iterrows(), strict=True):
            kinds = heatmaps.attentions(row, said, best[row.id], 3, 0)
            there = list(kinds.values())[3] if len(kinds) > 3 else row.attention
            assert jsd(there, row.attention) == pytest.approx(said["optimum"], abs=1e-9)
            assert tvd(row.probs(there), row.prediction) == pytest.approx(said["tvd"], abs=1e-12)
        assert (table["token_i"] >= 0).any() == (by == "pair") and (table["optimum"] > 0).any()
        monkeypatch.setattr(exact, "_lower", lambda *_: None)  # no pair is known


# Scores, choices, summaries


def test_accuracy_chooses_the_epoch_of_a_question():
    probs = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
    assert training.accuracy(np.array([1, 0, 0]), probs) == pytest.approx(2 / 3)
    assert training.CHOOSE["qa"] == training.CHOOSE["nli"] == "accuracy"


def test_auc_does_not_choose_the_epoch_of_a_question(small, tmp_path):
    with pytest.raises(HeedError, match="select_by: auc is for classification only. Leave it out"):
        small(tmp_path, corpus="world1", encoder="average", select_by="auc").ensure("weights")
    assert not list(tmp_path.rglob("weights.*"))


def test_a_questions_score_is_its_accuracy():
    case = made_up.reader("average", "dot")
    found = collect(case.model, case.data, BUDGET)
    scores = measures_scores.scores(found, "qa")
    assert scores == {"accuracy": float(np.mean(found.predicted == found.labels))}


def test_a_mean_loss_is_the_sum_over_the_batch(monkeypatch):
    """However the batch is cut: the steps are those of the summed loss divided by the batch's size."""
    seen = {}
    for mean, tokens in ((False, 10_000), (True, 10_000), (True, 12)):
        case = made_up.reader("average", "additive")
        p = Params(
            **made_up.SMALL, encoder="average", epochs=1, batch_size=9, mean_loss=mean, tokens_at_once=tokens
        )
        slopes = []
        monkeypatch.setattr(
            torch.optim.Adam, "step",
            lambda own, to=slopes: to.append([w.grad.clone() for g in own.param_groups for w in g["params"]]),
        )  # fmt: skip
        objective = training.labels_objective(case.data.labels, False, 5)
        training.train(case.model, case.data, objective, lambda model: 1.0, p)
        (seen[mean, tokens],) = slopes
    for summed, mean, cut in zip(*seen.values(), strict=True):
        torch.testing.assert_close(summed / 9, mean, rtol=1e-10, atol=1e-14)
        torch.testing.assert_close(cut, mean, rtol=1e-10, atol=1e-14)


def test_a_questions_summary_is_overall_only():
    table = pd.DataFrame({"predicted": [0, 1, 7], "x": [0.1, 0.2, 0.3]})
    assert list(stats.summarise(table, ["x"], 50, 0, 0.05, by_class=False)["class"]) == ["overall"]
    assert list(stats.summarise(table, ["x"], 50, 0, 0.05)["class"]) == ["overall", "0", "1", "7"]


def test_change_counts_allowed_answers_only():
    case = made_up.reader("cnn", "additive")
    found = collect(case.model, case.data, BUDGET)
    moved = change(found, leave_one_out(case.model, case.data, BUDGET))
    assert all(((x >= 0) & (x <= 1)).all() and np.isfinite(x).all() for x in moved.values())


# What is shown


def test_many_answers_are_one_group_in_a_figure():
    figures.theme()
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"predicted": rng.integers(0, 30, 50), "max_attention": rng.random(50)})
    table = table.assign(found=rng.random(50) / 2, optimum=0.6, bound=0.65, tau_gradient=0.1, tau_loo=0.2)
    for classes in ([f"answer {i}" for i in range(30)], ()):
        for figure in (
            figures.correlations({"": table}, classes),
            figures.optimum_histograms({"": table}, classes, exact=False),
            figures.violins({"": table}, "optimum", classes, (0, 0.7), exact=False),
        ):
            texts = [t.get_text() for legend in figure.legends for t in legend.get_texts()]
            assert texts in (["all texts"], [])
            assert not any("exact" in ax.get_xlabel() for ax in figure.axes)
            plt.close(figure)


def test_heatmaps_show_what_is_asked(tmp_path):
    row = drawn(1, 4)
    kinds, hostile = {"original": row.attention}, "<b>who & what_%\u202e"
    shown = heatmap.to_html(row, ["a", "b", "c"], kinds, "caption", question=hostile, query_name="Hypothesis")
    assert "Hypothesis: <bdi>&lt;b&gt;who &amp; what_%&lt;202e&gt;</bdi>" in shown
    assert "<b>who" not in shown
    assert r"\textbf{Hypothesis} <b>who \& what\_\%<202e>" in heatmap.to_latex(
        row, kinds, hostile, "Hypothesis"
    )
    tex, svg = heatmap.export(row, kinds, tmp_path, question=hostile)
    assert r"\textbf{Question}" in tex.read_text() and svg.stat().st_size > 0
    assert "Question" not in heatmap.to_html(row, ["a", "b", "c"], kinds)


def test_the_strip_shows_a_hypothesis():
    strip = TokenStrip(drawn(3, 4), question="is it so", query_name="Hypothesis")
    assert "Hypothesis: is it so" in strip.to_html()
    assert "Question: why" in TokenStrip(drawn(3, 4), question="why").to_html()


# Bad input


def test_an_unknown_query_word_is_read_as_unknown():
    split = Split(["a"], [["good"]], np.array([0]), queries=[["zebra", "quagga"]])
    data = Encoded.of(split, made_up.VOCABULARY, 5)
    model = made_up.reader("bilstm", "dot").model
    assert np.isfinite(collect(model, data, BUDGET).predictions).all()


@pytest.mark.parametrize("encoder", ASKED)
def test_an_empty_query_is_no_crash(encoder):
    """Its vector is what the encoder makes of nothing; the prediction is finite."""
    split = Split(["a", "b"], [["good"], ["bad", "film"]], np.array([0, 1]), queries=[[], ["why"]])
    data = Encoded.of(split, made_up.VOCABULARY, 5)
    found = collect(made_up.reader(encoder, "additive").model, data, BUDGET)
    assert np.isfinite(found.predictions).all()


def test_epsilon_of_a_bracket_must_be_one():
    with pytest.raises(HeedError, match="epsilon"):
        exact.bracket(drawn(0, 3), 1.0)


# Runs


@pytest.fixture(scope="module")
def answered(small, tmp_path_factory):
    """A small run on the built-in world."""
    run = small(tmp_path_factory.mktemp("answered"), corpus="world1", encoder="bilstm")
    for name in files().keys() - {"exact_curve"}:
        run.ensure(name)
    return run


def test_a_run_goes_through_to_its_summaries(answered):
    """Every product but the exact curve, which needs one linear logit; no class stands apart."""
    assert answered.corpus.task == "qa" and set(answered.info()["scores"]["test"]) == {"accuracy"}
    for name in (
        "summary",
        "summary_scores",
        "summary_permutation",
        "summary_adversarial",
        "summary_heatmap",
    ):
        assert set(answered.table(name)["class"]) == {"overall"}
    measured = {m for name in ("summary", "summary_scores") for m in answered.table(name)["measure"]}
    assert {"accuracy", "tau_gradient", "auroc_attention", "auroc_gradient", "auroc_loo"} <= measured
    proved = answered.table("summary_adversarial").set_index("measure").loc["proved", "mean"]
    assert proved == pytest.approx(answered.table("adversarial")["proved"].mean())
    with pytest.raises(HeedError, match="one linear logit"):
        answered.ensure("exact_curve")
    assert not (answered.folder / files()["exact_curve"]).exists()


def test_a_run_knows_its_questions(answered):
    split = answered.corpus.splits["test"]
    name = split.ids[3]
    assert answered.asked(name) == {"question": " ".join(split.queries[3]), "query_name": "Question"}
    shown = Explorer(answered)
    shown.show(name)
    assert shown.strip.question == " ".join(split.queries[3])


def test_a_classification_asks_nothing(finished):
    assert finished.questions == {} and finished.asked(finished.evidence.ids[0]) == {}


def test_the_same_run_gives_the_same_bytes(answered, small, tmp_path):
    again = small(tmp_path, corpus="world1", encoder="bilstm")
    for name in ("evidence", "loo", "adversarial"):
        assert again.ensure(name).read_bytes() == answered.ensure(name).read_bytes()


def test_the_grid_of_question_answering():
    grid = read_grid({"grid": "qa"})
    assert {"babi1", "babi2", "world3", "snli"} <= set(grid["corpora"])
    runs = runs_of(grid)
    assert {run.epsilon for run in runs} == {0.05} and all(run.mean_loss for run in runs)
    assert {run.attention_weight_decay for run in runs} == {1e-5}
    assert carried("world3") and carried("babi1") and not carried("planted") and not carried("world1")


@pytest.mark.slow
def test_chapters_on_the_world(tmp_path):
    """Every chapter that a question goes through, small, from the corpus to the verdict."""
    copy = scratch.copy(tmp_path)
    given = SMALL | {"made_train": 80, "made_dev": 30, "made_test": 30, "texts_shown": 1}
    chapters = "01_train 02_correlation 03_permutation 04_adversarial 05_heatmaps 10_perturb 12_verdict"
    for name in chapters.split():
        out = copy / f"{name}.out.ipynb"
        told = ["-p", "corpus", "world1", "-y", json.dumps({"set": given})] * (name != "12_verdict")
        how = {"cwd": copy, "env": scratch.environment(copy)}
        found = scratch.papermill(f"notebooks/{name}.ipynb", str(out), *told, **how)
        assert found.returncode == 0, found.stderr[-3000:]
        said = out.read_text()
        if name in ("05_heatmaps", "10_perturb"):
            assert "Question: " in said
    assert "world1" in said


@pytest.mark.parametrize(
    "given", [{"dropout": 0.5}, {"xavier": True}, {"attention_square": True}, {"profile": "serrano"}]
)
def test_what_would_change_nothing_is_refused(given):
    """A reader has no dropout and draws its weights in one way: such a run would be called what it isn't."""
    with pytest.raises(HeedError, match="what answers questions hasn't got it"):
        build(resolve({"corpus": "world1"} | given), np.zeros((9, 300)), 5, "qa")
