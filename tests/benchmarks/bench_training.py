"""Seconds an epoch on SST for each encoder on one thread, and what they consist of. Not a test.

make benchmarks        (needs SST, 20 Newsgroups, IMDB, bAbI; vectors are drawn: they don't change the time)
"""

import time

import numpy as np
import pytest

from heed.corpora import vectors
from heed.corpora.batches import bucketed
from heed.models import training
from heed.models.attended import forward
from heed.models.build import build
from heed.runs.run import Run

PARTS = ("batch", "forward", "backward", "step")


def epoch(run, model, data, objective, steps, rng) -> dict[str, float]:
    """Seconds of one epoch by part: making batches, forward and loss, backward, optimiser."""
    spent = dict.fromkeys(PARTS, 0.0)
    tokens = 0
    for indices in bucketed(data.lengths, run.params.batch_size, rng):
        t0 = time.perf_counter()
        batch = data.batch(indices)
        steps.zero_grad(set_to_none=True)
        t1 = time.perf_counter()
        loss = objective(model, forward(model, batch), batch)
        t2 = time.perf_counter()
        loss.backward()
        t3 = time.perf_counter()
        steps.step()
        t4 = time.perf_counter()
        for part, seconds in zip(PARTS, (t1 - t0, t2 - t1, t3 - t2, t4 - t3), strict=True):
            spent[part] += seconds
        tokens += int(batch.lengths.sum())
    return spent | {"tokens": tokens}


def processor(*given) -> float:
    """Seconds of processor time of one epoch, the best of three."""
    found = []
    for _ in range(3):
        before = time.process_time()
        epoch(*given)
        found.append(time.process_time() - before)
    return min(found)


@pytest.mark.parametrize("attention", ["additive", "dot"])
@pytest.mark.parametrize("corpus", ["sst", "20news", "imdb", "babi1", "world3"])
def bench_bags(corpus, attention, tmp_path):
    """Average trained on tokens, and on distinct tokens with their counts."""
    run = Run.of(results=str(tmp_path), corpus=corpus, encoder="average", attention=attention,
                 set={"vectors": "random"})  # fmt: skip
    model, data, *rest = start(run)
    data, rng = data.thinned(3000), np.random.default_rng(0)
    bags = data.bags()
    share = sum(map(len, bags.codes)) / data.lengths.sum()
    ratio = processor(run, model, data, *rest, rng) / processor(run, model, bags, *rest, rng)
    print(f"\n{corpus}, {attention}: {share:.0%} of the tokens are distinct in their text; {ratio:.1f} times")


@pytest.mark.parametrize("corpus", ["sst", "20news", "imdb", "planted"])
def bench_distinct(corpus, tmp_path, monkeypatch):
    """A CNN trained on tokens, and on the distinct tokens of each batch."""
    run = Run.of(results=str(tmp_path), corpus=corpus, encoder="cnn", set={"vectors": "random"})
    model, data, *rest = start(run)
    data, rng = data.thinned(1500), np.random.default_rng(0)
    batches = [data.batch(i) for i in bucketed(data.lengths, run.params.batch_size, rng)]
    share = sum(len(b.codes.unique()) for b in batches) / sum(b.codes.numel() for b in batches)
    apart = processor(run, model.train(), data, *rest, rng)
    monkeypatch.setattr("heed.models.attended.apart", lambda model, batch: batch)
    whole = processor(run, model, data, *rest, rng)
    print(f"\n{corpus}: {share:.0%} of the tokens are distinct in their batch; {whole / apart:.1f} times")


def start(run):
    """Model, training split, objective and optimiser of a run that hasn't begun."""
    embeddings, _ = vectors.matrix(run.params, run.corpus.vocabulary)
    model = build(run.params, embeddings, len(run.corpus.classes))
    data = run.data("train")
    objective = training.labels_objective(data.labels, run.params.class_weight, len(run.corpus.classes))
    return model, data, objective, training.optimiser(model, run.params)


@pytest.mark.parametrize("profile", ["paper", "site"])
@pytest.mark.parametrize("encoder", ["bilstm", "average", "cnn"])
def bench_epoch(encoder, profile, tmp_path):
    given = {"corpus": "sst", "encoder": encoder, "profile": profile}
    run = Run.of(results=str(tmp_path), set={"vectors": "random"}, **given)
    model, data, objective, steps = start(run)
    rng = np.random.default_rng(0)
    epoch(run, model, data, objective, steps, rng)  # the first pays for imports and memory
    found = [epoch(run, model, data, objective, steps, rng) for _ in range(3)]
    best = min(found, key=lambda f: sum(f[part] for part in PARTS))
    total = sum(best[part] for part in PARTS)
    shares = ", ".join(f"{part} {best[part] / total:.0%}" for part in PARTS)
    speed = best["tokens"] / total / 1000
    print(f"\n{encoder}, {profile}: {total:.2f} s an epoch, {speed:.0f}k tokens/s ({shares})")
