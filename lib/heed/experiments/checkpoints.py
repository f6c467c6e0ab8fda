"""The project's committed checkpoints: which models they are, and how well each does on its test split.

`python -m heed checkpoint` trains them anew and writes their scores beside them; data/checkpoints/README.md
is the models' card.
"""

import pandas as pd

from heed import paths
from heed.experiments import correlation, lies, not_not, relevance, word_lengths
from heed.experiments.transformers import Classifiers
from heed.measures.scores import scores
from heed.models.training import auc
from heed.runs.run import Run

FOLDER = paths.DATA / "checkpoints"
SCORES = FOLDER / "scores.csv"
DIGITS = 4


def of_the_library(results: str) -> dict[str, Run]:
    """The runs of heed's own models that have a checkpoint, by what each is for; each run once."""
    bilstm, average, cnn = (Run.of(results=results, encoder=name) for name in ("bilstm", "average", "cnn"))
    found = {"where most chapters start": bilstm, "another encoder": average, "another encoder, too": cnn}
    others = {f"chapter 07, {name}": run for name, run in not_not.seeds(bilstm).items()}
    for weight, run in not_not.adversaries(bilstm).items():
        others[f"chapter 07, trained to attend elsewhere (λ {weight:g})"] = run
    others["chapter 08, uniform attention and another start"] = relevance.models(bilstm)["uniform"]
    for run in word_lengths.models(bilstm):
        others[f"chapter 02, word vectors {run.params.vectors_scale:g} times as long"] = run
    for weight, run in lies.liars(bilstm).items():
        others[f"chapter 14, trained to hide the deciding words (λ {weight:g})"] = run
    for seed in correlation.SEEDS:
        others[f"chapter 02, seed {seed}"] = bilstm.like(seed=seed)
    known = {run.params.path for run in found.values()}
    for what, run in others.items():
        if run.params.path not in known:
            known.add(run.params.path)
            found[what] = run
    return found


def transformer(results: str) -> Classifiers:
    """The run of the small transformer that chapters 13 and 15 take by themselves."""
    return Classifiers.of(results=results, encoder="transformer-cls")


def table(results: str) -> pd.DataFrame:
    """A row a checkpoint: what it is for, its folder, and its scores on the test split of `planted`.

    Accuracy, F1 of the class positive and ROC AUC, each in [0, 1], higher predicts better, to four digits.
    """
    from sklearn.metrics import f1_score

    rows = []
    for what, run in of_the_library(results).items():
        rows.append(_row(what, run, len(run.evidence), scores(run.evidence)))
    run = transformer(results)
    said = run.table("predictions")
    probabilities, labels = said.filter(like="p_").to_numpy(), said["label"].to_numpy()
    predicted = probabilities.argmax(1)
    found = {
        "accuracy": float((predicted == labels).mean()),
        "f1": float(f1_score(labels, predicted)),
        "auc": auc(labels, probabilities),
    }
    rows.append(_row("chapters 13 and 15, a transformer trained from nothing", run, len(said), found))
    return pd.DataFrame(rows)


def _row(what: str, run: Run, texts: int, found: dict[str, float]) -> dict:
    """One checkpoint's line of the table."""
    rounded = {name: round(value, DIGITS) for name, value in found.items()}
    return {"what": what, "folder": run.committed.relative_to(FOLDER).as_posix(), "texts": texts} | rounded
