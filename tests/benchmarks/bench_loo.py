"""Leave-one-out and permutation against their plain twins, each pair in one run, and peak memory. Not a test.

make benchmarks    The BiLSTM must be trained, since its speed is what it forgets: the committed one of the
                   built-in corpus, which is small, or that of a finished run: --run results/imdb/.../seed0.
Times are of the processor, on one thread; texts are the run's test texts, joined and cut to T tokens.
"""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.evidence import collect
from heed.measures import permutation
from heed.measures.leave_one_out import leave_one_out
from heed.models.attended import forward
from heed.models.build import build
from heed.params import Params
from heed.runs.run import Run

FAST = ("bilstm", "cnn", "average")  # leaving out 4,000 tokens of another takes an hour
LENGTHS = (20, 60, 180, 400, 2000)
REMOVALS = 1200  # about as many are timed, of as many texts as that takes
SAMPLE = 48  # of one text of 2,000 tokens, for the plain twin: the rest is as many times longer


@pytest.fixture(scope="module")
def run(request, tmp_path_factory) -> Run:
    """The run whose model and texts are measured."""
    if not (given := request.config.getoption("--run")):
        return Run.of(tmp_path_factory.mktemp("run"))
    folder = Path(given).resolve()
    return Run(Params(**json.loads((folder / "run.json").read_text())["parameters"]), folder.parents[3])


def model_of(encoder: str, run: Run) -> torch.nn.Module:
    """The run's own, or one of the paper's sizes, whose weights don't change its speed."""
    if encoder == run.params.encoder:
        return run.model()
    return drawn_model(encoder, run)


def drawn_model(encoder: str, run: Run) -> torch.nn.Module:
    """A model of the paper's sizes whose weights are drawn."""
    rows = np.random.default_rng(0).standard_normal((len(run.corpus.vocabulary), 300))
    return build(Params(encoder=encoder), rows, 2).double().eval()


def texts(run: Run, length: int) -> Encoded:
    """Test texts, one after the other, cut every so many tokens."""
    words = [word for text in run.corpus.splits["test"].words for word in text]
    count = max(REMOVALS // length, 1)
    words = (words * (count * length // len(words) + 1))[: count * length]
    cuts = [words[i : i + length] for i in range(0, len(words), length)]
    split = Split([str(i) for i in range(count)], cuts, np.zeros(count, dtype=int))
    return Encoded.of(split, run.corpus.vocabulary)


def seconds(work) -> float:
    """Of this process, so that others beside it don't count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def ratios(plain: list[float], fast: list[float]) -> str:
    """How many times as long the plain twin takes, over the repeats."""
    each = np.array(plain) / np.array(fast)
    return f"{np.median(each):6.1f} times ({each.min():.1f} to {each.max():.1f})"


def some_plain(model, data: Encoded, budget: int) -> None:
    """What the plain form does, for a sample of the removals of one text."""
    chosen = np.linspace(1, len(data.codes[0]) - 2, SAMPLE).astype(int)
    codes = [np.delete(data.codes[0], t) for t in chosen]
    split = Encoded(data.ids * SAMPLE, data.words * SAMPLE, codes, np.zeros(SAMPLE, dtype=int))
    with torch.no_grad():
        for batch in split.by_budget(budget):
            forward(model, batch)


@pytest.mark.parametrize("encoder", FAST)
def bench_leave_one_out(encoder, run):
    model, budget, tolerance = model_of(encoder, run), run.params.tokens_per_batch, run.params.loo_tolerance
    sizes = f"states of {model.encoder.size}, embeddings of {model.embedding.weight.shape[1]}"
    print(f"\n{encoder}, {sizes}, attention {type(model.attention).__name__}")
    for length in LENGTHS:
        data, long, tally = texts(run, length), length >= 2000, Counter()
        fast, plain = [], []
        for _ in range(3 if length >= 400 else 5):
            how = ("fast", tolerance, tally)
            fast.append(seconds(lambda data=data, how=how: leave_one_out(model, data, budget, *how)))
            if long:
                plain.append(seconds(lambda data=data: some_plain(model, data, budget)) * length / SAMPLE)
            else:
                plain.append(seconds(lambda data=data: leave_one_out(model, data, budget, "plain")))
        notes = [f"plain from {SAMPLE} removals"] if long else []
        if tally["walks"]:
            notes += [f"{tally['steps'] / tally['walks']:.0f} steps a walk"]
            notes += [f"{tally['forgotten'] / tally['walks']:.0%} forgotten"]
        each = f"{1e6 * min(fast) / len(data) / length:.0f} µs a removal"
        print(f"T = {length:4}: {ratios(plain, fast)}, {each}", *notes, sep=", ")


def bench_permutation(run):
    """100 permutations decoded from values (T, 1), and one by one from states (T, H): Σ a h, plainly.

    Drawing them costs the same either way; the second ratio is with it.
    """
    model = drawn_model("bilstm", run)
    print(f"\npermutation, states of {model.encoder.size}")
    weight, bias = (w.detach().numpy() for w in model.decoder.parameters())
    for length in LENGTHS:
        data = texts(run, length)
        rows, batch = list(collect(model, data, run.params.tokens_per_batch)), data.batch(range(len(data)))
        with torch.no_grad():
            states = model.encode(model.embed(batch), batch)[:, 1:-1].numpy()

        def by_draw(drawn, states=states):
            for attention, h in zip(drawn, states, strict=True):
                for a in attention:
                    1 / (1 + np.exp(-(weight @ (a[:, None] * h).sum(0) + bias)))

        def by_value(drawn, rows=rows):
            for attention, row in zip(drawn, rows, strict=True):
                row.probs(attention)

        times = []
        for _ in range(5):
            drawn = []
            spent = seconds(lambda: drawn.extend(permutation.draws(row, 100, 0) for row in rows))  # noqa: B023
            times.append([spent, *(seconds(lambda: work(drawn)) for work in (by_draw, by_value))])  # noqa: B023
        draws, plain, fast = np.array(times).T
        print(f"T = {length:4}: {ratios(plain, fast)}, with the draws {ratios(plain + draws, fast + draws)}")


STEP = """
import sys
import numpy as np
from heed.corpora.batches import Encoded
from heed.corpora.loading import Split
from heed.corpora.tokens import Vocabulary
from heed.evidence import collect
from heed.measures.conicity import conicity
from heed.measures.gradients import gradients
from heed.measures.leave_one_out import leave_one_out
from heed.models import training
from heed.models.build import build
from heed.params import Params
import torch
torch.set_num_threads(1)

encoder, what = sys.argv[1:]
p, rng = Params(encoder=encoder, epochs=1), np.random.default_rng(0)
vocabulary = Vocabulary.of([[f"w{i}" for i in range(20_000)]])
count = p.batch_size if what == "train" else 3
words = [list(rng.choice(vocabulary.words[4:], 4000)) for _ in range(count)]
labels = np.arange(count) % 2
data = Encoded.of(Split([str(i) for i in range(count)], words, labels), vocabulary)
model = build(p, rng.standard_normal((len(vocabulary), 300)), 2)
if what == "train":
    training.train(model, data, training.labels_objective(labels, False, 2), lambda m: 0.0, p)
elif what != "nothing":
    given = model.double().eval(), data, p.tokens_per_batch
    kinds = {"evidence": collect, "gradient": gradients, "conicity": conicity}
    more = ("fast", p.loo_tolerance) if what == "loo" else ()
    kinds.get(what, leave_one_out)(*given, *more)
# Of this program alone: getrusage also counts what the parent held when it was started.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) / 1024**2)
"""


@pytest.mark.parametrize("encoder", FAST)
def bench_memory(encoder):
    """Each in a process of its own; training is one batch of 32 texts, the rest are three texts."""
    print(f"\n{encoder}, 4,000 tokens a text, the paper's sizes, peak GiB of the whole process:")
    for what in ("nothing", "train", "evidence", "gradient", "conicity", "loo"):
        done = subprocess.run(
            [sys.executable, "-c", STEP, encoder, what], capture_output=True, text=True, check=True
        )
        print(f"{what} {float(done.stdout):.2f}", end=", " if what != "loo" else "\n")
