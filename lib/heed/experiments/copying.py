"""Sequence to sequence, copying: can attention be learnt where words that go together can't be counted?

Source: Snell, Zhong, Klein & Steinhardt (2021), "Approximating How Single Head Attention Learns", copying
experiment; symbols as in their slides: attention a, relevance r. Chapter 09.
Letters: B sequences, S source positions, L target positions, V symbols and the two marks, H hidden.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import torch
from scipy.integrate import solve_ivp
from scipy.stats import binomtest
from torch import Tensor
from torch.nn import functional as F

from heed.errors import HeedError, choose
from heed.measures.registry import Measure, columns_of, register, validate
from heed.models.seq2seq import Copier, descend, relevance
from heed.params import Copying, resolve
from heed.runs.grid import seeds_given, set_given
from heed.runs.products import Made, as_table, product
from heed.runs.run import Run
from heed.runs.summaries import of_all, rows_of

LONGEST = 500  # symbols of a sequence: attention and relevance grow with its square
GOOD, BAD = 0.95, 0.6  # token accuracy above which a model has learnt, below which it hasn't (authors' code)
_FINDS = (0.0, 1.0), "higher finds more of the truth", "Snell et al. (2021), copying experiment", "copied"
register(
    "copied",
    {"step": pa.Column(int, unique=True)},
    Measure("loss", "loss (nats a token)", (0.0, np.inf), "lower is better", *_FINDS[2:]),
    Measure("copied", "token accuracy", *_FINDS),
    Measure("relevant", "relevance: top at the right place", *_FINDS),
    Measure("least", "relevance: lowest at the right place", *_FINDS),
    Measure("pointed", "token accuracy, all attention on the right place", *_FINDS),
    Measure("attended", "attention: top at the right place", *_FINDS),
    Measure("attended_early", "attention: top one place before", *_FINDS),
    Measure("attended_late", "attention: top one place after", *_FINDS),
)


def check(p: Copying) -> None:
    """Raises HeedError for a task that can't be: too few symbols to be all different, or more of them than a
    permutation has, or an over-long one."""
    if p.corpus != "copy-iid" and p.drawn_from < p.length:
        raise HeedError(
            f"copying: {p.drawn_from} symbols can't make a sequence of {p.length} that are all different. "
            f"Give symbols = {p.length} or more, or corpus = 'copy-iid'."
        )
    if p.corpus == "copy-permutations" and p.drawn_from > p.length:
        raise HeedError(
            f"copying: {p.length} of {p.drawn_from} symbols are no permutation, some are missing each time. "
            f"Give symbols = {p.length}, or corpus = 'copy-chosen'."
        )
    if p.heads and p.attention != "bilinear":
        raise HeedError(f"copying: heads = {p.heads} attend, {p.attention} attention doesn't. Give bilinear.")
    if p.length > LONGEST:
        raise HeedError(
            f"copying: a sequence of {p.length} symbols, expected {LONGEST} at most. Give a smaller length."
        )


def draw(p: Copying, count: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """New sequences: source (count, length + 1), ending in the end mark, and what the decoder is given.

    The second is the source one step late behind the start mark: teacher forcing. The target is the source
    itself. Symbols are 0, 1, ..., then come the end mark and the start mark.
    """
    symbols = p.drawn_from
    if p.corpus == "copy-iid":
        codes = rng.integers(symbols, size=(count, p.length))
    else:
        codes = rng.permuted(np.tile(np.arange(symbols), (count, 1)), axis=1)[:, : p.length]
    source = np.pad(codes, ((0, 0), (0, 1)), constant_values=symbols)
    given = np.pad(codes, ((0, 0), (1, 0)), constant_values=symbols + 1)
    return torch.as_tensor(source), torch.as_tensor(given)


def hits(weights: np.ndarray, late: int = 0) -> float:
    """Share of steps whose largest weight lies at their own position, or `late` after it; weights (B, L, S).

    Over the steps that have such a position. Of several largest ones, equal but for rounding, a step counts
    in part: flat weights score 1/S. late = 1 is the state after the symbol's own, which may hold it as well.
    """
    largest = weights.max(2, keepdims=True)
    top = largest - weights <= 100 * np.finfo(weights.dtype).eps * (1 + np.abs(largest))
    return float(np.diagonal(top / top.sum(2, keepdims=True), late, 1, 2).mean())


@torch.no_grad()
def look(model: Copier, source: Tensor, given: Tensor) -> dict[str, float]:
    """How well a model copies under teacher forcing, and where its attention and relevance are.

    `pointed`: how well it would copy if all attention were on the symbol that is to be written. `least`: the
    share of steps at which that symbol's position has the *lowest* relevance: the dictionary turned round.
    """
    log_probs, attention = model(source, given)
    states, start = model.encode(source)
    decoded, r = model.decoder(model.embed(given), start)[0], relevance(model, source, given).numpy()
    pointed = model.log_probs(decoded, states)  # step by step, the position of its own symbol alone
    found = {"loss": F.nll_loss(log_probs.flatten(0, 1), source.flatten()).item()}
    for name, said in (("copied", log_probs), ("pointed", pointed)):
        found[name] = (said.argmax(2) == source).double().mean().item()
    late = {"attended": 0, "attended_early": -1, "attended_late": 1}
    found |= {name: hits(attention.numpy(), by) for name, by in late.items()}
    return found | {"relevant": hits(r), "least": hits(-r)}


def train(p: Copying) -> Iterator[tuple[int, Copier]]:
    """Train, each step on sequences never seen before; yield (steps taken, model) when it is to be looked at.

    Before the first step, then every p.every steps and after the last. Weights and sequences follow the seed.
    """
    check(p)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0 if p.heads else p.seed)  # of several heads all but the heads starts alike
        model = Copier(p).to(getattr(torch, p.precision))
    rng = np.random.default_rng([p.seed, 9])
    adam = torch.optim.Adam(model.parameters(), lr=p.learning_rate, fused=True)
    yield 0, model
    for step in range(1, p.steps + 1):
        source, given = draw(p, p.batch_size, rng)
        loss = F.nll_loss(model(source, given)[0].flatten(0, 1), source.flatten())
        descend(loss, adam, f"copying: the loss of step {step}")
        if step % p.every == 0 or step == p.steps:
            yield step, model


def watch(p: Copying) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Train and look, a row a look, each on new sequences; then one sequence with attention and relevance.

    The second: codes (S,), attention and relevance (L, S) of the finished model.
    """
    rng, rows = np.random.default_rng([p.seed, 10]), []
    for step, model in train(p):
        rows.append({"step": step} | look(model, *draw(p, p.looked_at, rng)))
    source, given = draw(p, 1, rng)
    with torch.no_grad():
        attention = model(source, given)[1]
    shown = {"codes": source, "attention": attention, "relevance": relevance(model, source, given)}
    return validate("copied", pd.DataFrame(rows)), {name: value[0].numpy() for name, value in shown.items()}


# A model that learns to copy by exclusion, in seconds: the profile `small` with steps twice as large.
EXCLUDES = {
    "corpus": "copy-permutations",
    "profile": "small",
    "seed": 6,
    "learning_rate": 0.008,
    "steps": 240,
    "every": 80,
}


OWN, NOTHING, WRONG = "its own", "cut off", "all on one wrong symbol"  # rows of `by_parts`
REMEMBERS, FORGETS = "begins with the reader's last state", "begins with zeros"  # its columns


@dataclass(frozen=True)
class Trained:
    """A model that was trained and looked at on the same new sequences throughout.

    looks: a row a look, as `look` finds it. source, given (B, S): those sequences.
    """

    params: Copying
    model: Copier
    looks: pd.DataFrame
    source: Tensor
    given: Tensor

    @classmethod
    def of(cls, p: Copying, sequences: int = 200) -> "Trained":
        """Train it now."""
        source, given = draw(p, sequences, np.random.default_rng(3))
        rows = []
        for step, model in train(p):
            rows.append({"step": step} | look(model, source, given))
        return cls(p, model, validate("copied", pd.DataFrame(rows)), source, given)

    @property
    @torch.no_grad()
    def shown(self) -> pd.DataFrame:
        """The first sequence with attention and relevance, as `shown.parquet` has it."""
        attention = self.model(self.source, self.given)[1]
        r = relevance(self.model, self.source[:1], self.given[:1])
        found = {"codes": self.source[0], "attention": attention[0], "relevance": r[0]}
        return pd.DataFrame({name: list(value.numpy()) for name, value in found.items()})

    @torch.no_grad()
    def under_other_weights(self) -> dict[str, float]:
        """Token accuracy with the model's own attention, and with four others in its place."""
        model = self.model
        attention = model(self.source, self.given)[1]
        states, start = model.encode(self.source)
        decoded = model.decoder(model.embed(self.given), start)[0]
        size = self.source.shape[1]
        right = torch.eye(size, dtype=states.dtype)
        elsewhere = attention * (1 - right)
        ways = {
            "its own": attention,
            "its own, nothing on the right symbol": elsewhere / elsewhere.sum(2, keepdim=True),
            "that of another sequence": attention.roll(1, 0),
            "even": torch.full_like(attention, 1 / size),
            "all on the right symbol": right.expand(len(attention), -1, -1),
        }
        found = {}
        for way, weights in ways.items():
            said = model.log_probs(decoded, weights @ states).argmax(2)
            found[way] = (said == self.source).double().mean().item()
        return found

    @torch.no_grad()
    def by_parts(self) -> pd.DataFrame:
        """Token accuracy by what attention brings (rows) and by where the writer begins (columns).

        Nothing brought is a context of zeros, as in the control without context. All attention on one wrong
        position: a mean over these positions. A writer that begins with zeros attends for itself.
        """
        model, size = self.model, self.source.shape[1]
        states, start = model.encode(self.source)
        starts = {REMEMBERS: start, FORGETS: tuple(torch.zeros_like(part) for part in start)}
        found = {}
        for begins, first in starts.items():
            decoded = model.decoder(model.embed(self.given), first)[0]
            nothing = torch.zeros_like(decoded)
            wrong = [model.log_probs(decoded, states.roll(-k, 1)) for k in range(1, size)]
            ways = {
                OWN: [model.log_probs(decoded, model.attend(states, decoded) @ states)],
                NOTHING: [model.mixed(decoded, nothing)],
                WRONG: wrong,
            }
            found[begins] = {
                way: np.mean([(each.argmax(2) == self.source).double().mean().item() for each in said])
                for way, said in ways.items()
            }
        return pd.DataFrame(found)


def way_down(start: tuple[float, float], times: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gradient flow of log(1 + (n - 1) exp(-D q)): D, and the attention p to the right place; each (times,).

    A theory of local states. D is how much a symbol speaks for itself, x the score of its place among n,
    p = 1 / (1 + (n - 1) exp(-x)), and q = p - (1 - p) / (n - 1). start: D and x at time 0.
    """

    def slope(_, now):
        d, x = now
        p = 1 / (1 + (n - 1) * np.exp(-x))
        q = p - (1 - p) / (n - 1)
        wrong = 1 / (1 + np.exp(d * q) / (n - 1))
        return wrong * q, wrong * d * p * (1 - p) * n / (n - 1)

    d, x = solve_ivp(slope, (0, times[-1]), start, t_eval=times, rtol=1e-8, atol=1e-8).y
    return d, 1 / (1 + (n - 1) * np.exp(-x))


def right_symbol(d: np.ndarray, p: np.ndarray, n: int) -> np.ndarray:
    """The right symbol's probability in that theory, of D and the attention to the right place."""
    odds = np.exp(d * (p - (1 - p) / (n - 1)))
    return odds / (odds + n - 1)


def share_of(succeeded: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Share of the seeds that succeeded, with Wilson's interval; (count,) of truths."""
    found = binomtest(int(np.sum(succeeded)), len(succeeded))
    low, high = found.proportion_ci(level, method="wilson")
    return found.statistic, low, high


@product("copied.parquet", "shown.parquet", kind=Copying)
def copied(run: Run) -> Made:
    """Train and watch: a row a look; one sequence that the finished model copies."""
    looks, shown = watch(run.params)
    shown = pd.DataFrame({name: list(value) for name, value in shown.items()})
    return Made({"copied": as_table(looks), "shown": as_table(shown)})


@product("summary-copied.parquet", kind=Copying)
def summary_copied(run: Run) -> pd.DataFrame:
    """Where the run ended, and whether it is among the successes or the failures."""
    last = run.table("copied").iloc[-1]
    values = last[[*columns_of("copied")]].to_dict()
    values |= {"success": last["copied"] > GOOD, "failure": last["copied"] < BAD}
    top = of_all(run.params.looked_at)
    rows = [top | {"measure": name, "mean": float(value)} for name, value in values.items()]
    return rows_of(run, pd.DataFrame(rows), "copied")


class Copies(Run):
    """One run of copying."""

    kind = Copying

    @classmethod
    def plan(cls, seeds, control_seeds, profile: str, results: str, set: dict) -> list["Copies"]:
        """All runs of the chapter, as `grid.copying_runs` orders them; what can't be raises HeedError."""
        given = {"seeds": seeds, "control_seeds": control_seeds, "profile": profile, "set": set}
        wanted = read_copying(given)
        runs = copying_runs(wanted["seeds"], wanted["control_seeds"], profile=profile, **wanted["set"])
        return [cls.of(results, **run.model_dump(exclude_unset=True)) for run in runs]


def looks(runs: list[Copies]) -> pd.DataFrame:
    """What watching showed of these runs, a row a look: task, encoder, attention, seed, the measures."""
    tables = []
    for run in runs:
        p = run.params
        named = {"task": p.corpus, "encoder": p.encoder, "attention": p.attention, "seed": p.seed}
        tables.append(run.table("copied").assign(**named))
    return pd.concat(tables, ignore_index=True)


def shares(ends: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Share of successes with Wilson's interval, and of failures, by group; `copied` (one row a seed)."""
    rows = []
    for names, own in ends.groupby(by, sort=False, observed=True):
        share, low, high = share_of(own["copied"] > GOOD)
        row = dict(zip(by, names, strict=True)) | {"seeds": len(own), "success": share}
        rows.append(row | {"low": low, "high": high, "failure": np.mean(own["copied"] < BAD)})
    return pd.DataFrame(rows)


# Chapter 09: what is copied, by what, and the controls.
TASKS = {"copy-permutations": "permutations", "copy-chosen": "some of more symbols", "copy-iid": "i.i.d."}
MAIN = ("lstm", "bilinear")
CONTROLS = {
    ("copy-permutations", "bilstm", "bilinear"): "permutations, encoder of two directions",
    ("copy-permutations", "lstm", "uniform"): "permutations, uniform attention",
    ("copy-iid", "lstm", "uniform"): "i.i.d., uniform attention",
    ("copy-permutations", "lstm", "none"): "permutations, no context",
}


def read_copying(given: dict[str, Any]) -> dict[str, Any]:
    """The choices of `make copying`: seeds (20), control_seeds (the first 5 of them), profile, results, set.

    Raises HeedError on an unknown key, and on any run that can't be.
    """
    for key in given:
        choose("choice of copying", key, ("seeds", "control_seeds", "profile", "results", "set"))
    wanted = {"seeds": range(20), "profile": "paper", "results": "results", "set": {}} | given
    seeds = seeds_given(wanted["seeds"])
    if not seeds:
        raise HeedError("seeds: none is given. Give one or more, such as 0,1,2.")
    wanted |= {"seeds": seeds, "control_seeds": seeds_given(given.get("control_seeds", seeds[:5]))}
    wanted["set"] = set_given(wanted["set"])
    for run in copying_runs(seeds, wanted["control_seeds"], profile=wanted["profile"], **wanted["set"]):
        check(run)
    return wanted


def copying_runs(seeds: Iterable[int], control_seeds: Iterable[int], **given) -> list[Copying]:
    """All runs of chapter 09, seed by seed: the three tasks, and of the control seeds the controls."""
    seeds, control_seeds = list(dict.fromkeys(seeds)), list(dict.fromkeys(control_seeds))
    wanted = []
    for seed in dict.fromkeys([*seeds, *control_seeds]):
        wanted += [(corpus, *MAIN, seed) for corpus in TASKS if seed in seeds]
        wanted += [(*control, seed) for control in CONTROLS if seed in control_seeds]
    names = ("corpus", "encoder", "attention", "seed")
    return [resolve(dict(zip(names, one, strict=True)) | given) for one in wanted]
