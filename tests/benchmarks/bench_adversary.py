"""The exact optimum, the batched search and 100 permutations on 300 texts, in one run. Not a test.

make benchmarks. The texts are made, in the lengths of SST.
"""

import resource
import time

import numpy as np

from heed.evidence import Evidence
from heed.experiments import audit
from heed.measures import adversarial, exact, permutation
from heed.measures.divergence import jsd
from heed.measures.search import Search
from heed.runs.run import Run

TEXTS = 300


def evidence(tmp_path) -> Evidence:
    """Evidence of 300 test texts of a trained model: planted in SST's lengths."""
    run = Run.of(results=str(tmp_path), set={"made_test": TEXTS, "made_length": 19})
    return run.evidence


def seconds(work, times: int = 3) -> float:
    """The best of a few."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def bench_optimum_against_search(tmp_path):
    rows = evidence(tmp_path)
    exactly = seconds(lambda: adversarial.optima(rows, 0.01))
    searching = seconds(lambda: adversarial.found_by_search(rows, Search(), 0), 1)
    permuting = seconds(lambda: permutation.permutation(rows, 100, 0))
    print(
        f"\n{TEXTS} texts: exact {exactly:.3f} s, search {searching:.2f} s ({searching / exactly:.0f} times)"
    )
    print(f"{TEXTS} texts: 100 permutations and their moments {permuting:.2f} s")


def bench_optimum_of_a_long_document():
    rng = np.random.default_rng(0)
    a, r = rng.dirichlet(np.full(4000, 0.3)), rng.normal(0, 2, 4000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    (best,) = exact.binary(a[None], r[None], np.array([a @ r]), 0.01)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    vertex = exact.Vertex(best[0], int(best[1]), int(best[2]), best[3])
    assert np.isclose(jsd(vertex.attention(4000), a), best[0])
    print(f"\nT = 4000: {took:.1f} s, peak memory up by {(after - before) // 1024} MiB")


def bench_bracket_of_a_transformer(tmp_path, monkeypatch):
    """Every pair of every head, and only those that may still be further, of the committed small one."""
    model = audit.model_of(audit.EXAMPLE)
    _, texts, _ = audit.texts_from(audit.example_texts(tmp_path), model.classes)
    model.read(texts)
    rows = [*model.evidence(texts, tmp_path / "evidence.arrow")]
    asked = seconds(lambda: [exact.bracket(row, 0.01, 12) for row in rows])
    monkeypatch.setattr(exact, "ROUNDING", np.inf)
    whole = seconds(lambda: [exact.bracket(row, 0.01, 12) for row in rows])
    print(f"\n{len(rows)} heads: {asked:.2f} s, of every pair {whole:.2f} s ({whole / asked:.1f} times)")
