"""The strip of a transformer's head: what a page is told of what follows the last attention."""

import base64
import json
import re

import nbformat
import numpy as np
import pytest
import torch
from scipy.special import erf, expit, softmax

import heed
from heed.evidence import Row
from heed.models.pretrained import LAYOUTS
from heed.models.steps import followed
from heed.own_models import evidence_from_hf
from heed.show import weights
from heed.show.beside import Beside
from heed.show.export_html import page as exported
from heed.show.strip import TokenStrip, parts, what_if
from refusals import refused
from shown import HOSTILE, seen
from small_transformers import build

TEXT = "The film is not bad at all, but unaffable!"
# Each architecture with its own activation; those that a configuration may name else, on one.
KINDS = {kind: (kind, {}) for kind in LAYOUTS}
KINDS |= {act: ("bert", {"hidden_act": act}) for act in ("gelu_new", "relu", "silu", "tanh")}
CURVES = {
    "gelu": lambda x: x * (1 + erf(x / np.sqrt(2))) / 2,
    "gelu_new": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x * expit(x),
    "tanh": np.tanh,
}


@pytest.fixture(scope="session", params=list(KINDS))
def tail_row(request, tmp_path_factory) -> Row:
    """A text as one head of a small classifier reads it."""
    kind, more = KINDS[request.param]
    return evidence_from_hf(build(kind, tmp_path_factory.mktemp("tail"), **more), [TEXT]).of("head 1")[0]


@pytest.fixture(scope="session")
def two_rows(tmp_path_factory) -> list[Row]:
    """Two texts, one of them hostile, by different heads of one model."""
    folder = build("distilbert", tmp_path_factory.mktemp("two"), max_position_embeddings=64)
    found = evidence_from_hf(folder, [TEXT, " ".join(HOSTILE)])
    return [found.of("head 2")[0], found.of("head 0")[1]]


def told(page: str) -> tuple[list[dict], dict[str, np.ndarray]]:
    """The states of a page's strips, and its weights by their checksums."""
    states = re.findall(r'data-heed="state"[^>]*>(\{.*?)</script>', page, re.S)
    element = r'<script data-heed="weights" data-of="(\w+)" type="text/plain">([^<]*)</script>'
    held = re.findall(element, page)
    assert len({checksum for checksum, _ in held}) == len(held)
    blocks = {of: np.frombuffer(base64.b64decode(text), "<f4").astype(float) for of, text in held}
    return [json.loads(state) for state in states], blocks


def by_hand(state: dict, held: dict[str, np.ndarray], attention: np.ndarray) -> np.ndarray:
    """A prediction by what a page says, and nothing else."""
    head = state["head"]
    block = held[head["checksum"]]

    def taken(at, *shape):
        return block[at : at + int(np.prod(shape))].reshape(shape)

    lift, values = head["lift"], np.array(state["values"]).reshape(len(state["tokens"]), -1)
    z = taken(lift["weight"], lift["rows"], lift["columns"]) @ (attention @ values) + state["shift"]
    states = [z]
    for step in head["steps"]:
        x = states[-1]
        if step["do"] == "linear":
            x = taken(step["weight"], step["rows"], step["columns"]) @ x + taken(step["bias"], step["rows"])
        elif step["do"] == "norm":
            x = (x - x.mean()) / np.sqrt(x.var() + step["epsilon"])
            x = x * taken(step["weight"], step["size"]) + taken(step["bias"], step["size"])
        elif step["do"] == "act":
            x = CURVES[step["name"]](x)
        else:
            x = x + states[step["of"]]
        states.append(x)
    return softmax(states[-1])


def test_a_page_is_told_what_the_model_computes(tail_row):
    strip = TokenStrip(tail_row)
    (state,), held = told(strip.to_html())
    assert len(held[state["head"]["checksum"]]) == state["head"]["size"]
    for seed in range(5):
        a = np.random.default_rng(seed).dirichlet(np.full(len(tail_row.units), 0.2))
        np.testing.assert_allclose(by_hand(state, held, a), tail_row.probs(a), atol=1e-6)
    assert strip.classes == ["bad", "so so", "good"] and strip.real[0] is strip.real[-1] is False
    assert "head 2 of 3 of the last layer (layer 2 of 2); the others stay" in state["head"]["moves"]
    z = torch.randn(3, 12, dtype=torch.float64)
    source = tail_row.head.source
    np.testing.assert_allclose(followed(source.steps, z), source.tail(z), atol=1e-12)


def test_parts_are_the_integral_of_the_gradient(tail_row):
    row, c = tail_row, int(tail_row.prediction.argmax())
    values = torch.from_numpy(row.values)
    for seed in range(3):
        a = np.random.default_rng(seed).dirichlet(np.full(len(row.units), 0.2))
        found = parts(row, a)
        ends = row.head.logits(np.stack([row.attention, a]) @ row.values, row.shift)[:, c]
        assert found.sum() == pytest.approx(float(ends[1] - ends[0]), abs=1e-9)
        middles = torch.from_numpy((np.arange(400)[:, None] + 0.5) / 400)  # plain midpoints
        at = (torch.from_numpy(row.attention) + middles * (a - row.attention)).requires_grad_()
        slopes = torch.autograd.grad(row.head.logits(at @ values, row.shift)[:, c].sum(), at)[0]
        integral = slopes.mean(0).numpy()
        np.testing.assert_allclose(found, (a - row.attention) * integral, atol=2e-3)
    assert (parts(row, row.attention) == 0).all()


def test_two_strips_of_one_model_share_their_weights(two_rows, tmp_path):
    first, second = map(TokenStrip, two_rows)
    assert first.weights is second.weights
    assert first.get_state("weights")["weights"].startswith("IPY_MODEL_")
    page = f"{first.still()}{second.still()}{first.alive(second)}"
    states, held = told(page)
    assert len(held) == 1 and [state["head"]["checksum"] for state in states] == [*held] * 2
    for row, state in zip(two_rows, states, strict=True):
        a = np.random.default_rng(1).dirichlet(np.ones(len(row.units)))
        np.testing.assert_allclose(by_hand(state, held, a), row.probs(a), atol=1e-6)
    assert len(told(Beside(*two_rows).to_html())[1]) == 1
    # Of hidden size 12: a head's own values, four a token, and not the twelve that they add to the state.
    assert len(states[0]["values"]) == 4 * len(two_rows[0].units)
    other = Row.of(["a", "b"], [0.5, 0.5], [1, -1], heed.Head("identity", "sigmoid"))
    assert told(TokenStrip(other).to_html())[1] == {} and TokenStrip(other).weights is None
    first.show(other)
    assert first.weights is None and told(first.to_html())[1] == {}


def test_a_page_of_a_notebook_has_them_once(two_rows, tmp_path):
    book = nbformat.v4.new_notebook()
    for row in two_rows:
        output = nbformat.v4.new_output("display_data", {"text/html": TokenStrip(row).to_html()})
        book.cells.append(nbformat.v4.new_code_cell("strip", outputs=[output]))
    nbformat.write(book, tmp_path / "book.ipynb")
    states, held = told(exported(tmp_path / "book.ipynb").read_text(encoding="utf-8"))
    assert len(states) == 2 and len(held) == 1


def test_one_cell_of_a_notebook_carries_them(two_rows, monkeypatch):
    """Anew in the same cell, too; where no cell has a name, in the first that shows the model."""

    class Shell:
        execution_count, parent_header = 1, None

    shell = Shell()
    monkeypatch.setattr(weights, "get_ipython", lambda: shell)
    monkeypatch.setattr(weights, "_carried", {})
    first, second = map(TokenStrip, two_rows)

    def carries(strip, count, **header) -> bool:
        shell.execution_count, shell.parent_header = count, header
        data, _ = strip._repr_mimebundle_()
        return bool(told(data["text/html"])[1])

    assert carries(first, 1, metadata={"cellId": "a"}) and not carries(second, 2, metadata={"cellId": "b"})
    assert carries(first, 3, metadata={"cellId": "a"}) and told(second.to_html())[1]
    weights._carried.clear()
    assert carries(first, 1) and carries(second, 1) and not carries(second, 2)


def test_hostile_pieces_are_inert(two_rows):
    strip = TokenStrip(two_rows[1], classes=["<b>no</b>", "</script>", "good"])
    assert "<script>" in "".join(strip.tokens).replace(" ", "").replace("##", "")
    found = seen(strip.to_html())
    assert found.tags.count("script") == 3  # the state, the weights, the module
    assert set(found.tags) <= set("div script style p b i table thead tbody tr th td bdi sub span".split())


def test_what_no_page_can_compute(tmp_path, two_rows):
    row = evidence_from_hf(build("bert", tmp_path / "m", hidden_act="mish"), [TEXT]).of("head 0")[0]
    with refused("a page doesn't know the step MishActivation() of this model"):
        TokenStrip(row)
    assert what_if(row, row.attention)["tvd"] == pytest.approx(0, abs=1e-12)
    assert np.isfinite(parts(row, np.eye(len(row.units))[1])).all()
    own = np.array([[1.0, 2, 3, 4], [0, 1, 0, -1]])
    known = two_rows[0].head
    with refused("values: they aren't what head 2"):
        TokenStrip(["a", "b"], [0.5, 0.5], np.eye(2, 12), known)
    strip = TokenStrip(["a", "b"], [0.5, 0.5], known.lift(own), known, shift=two_rows[0].shift)
    np.testing.assert_allclose(strip.values, own, atol=1e-9)


def test_a_decoder_of_ones_own_is_refused(tmp_path):
    layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))

    class Pooled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weigh, self.values, self.decide = torch.nn.Softmax(1), torch.nn.Identity(), layers

        def forward(self, x):
            return self.decide((self.weigh(x[..., :1]) * self.values(x)).sum(1))

    how = {"attention": "weigh", "values": "values", "decoder": "decide"}
    row = heed.evidence_from(Pooled(), [torch.randn(1, 4, 3)], [list("abcd")], **how)[0]
    for ask in (lambda: TokenStrip(row), lambda: parts(row, row.attention)):
        with refused("a function of your own, which no page can compute"):
            ask()
