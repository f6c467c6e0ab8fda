"""Chapter 01, train: the weights, what the model's attention decides on the test split, and its scores."""

import numpy as np
import pandas as pd
from safetensors.torch import save_file

from heed.corpora import vectors
from heed.corpora.rationales import Marks
from heed.corpora.reading import Reading
from heed.corpora.tokens import SPECIAL
from heed.errors import HeedError
from heed.evidence import collect, decisions
from heed.measures.scores import scores
from heed.models import trained_adversary, training
from heed.models.build import of_bags
from heed.models.lying import lying, marked
from heed.models.repairs import repaired
from heed.runs.products import Made, as_table, product
from heed.runs.summaries import summarised


def bases_decisions(run) -> None:
    """What a run that learns from another one is trained on."""
    if run.params.rationale:
        run.ensure("cut")
    elif run.params.lie_weight:
        words_to_hide(run)
    elif run.params.base:
        for split in run.corpus.splits:
            run.base.decisions(split)


@product("weights.safetensors", "curve.parquet", before=bases_decisions)
def weights(run) -> Made:
    """Train; the weights are those of the chosen epoch, `curve` has a row an epoch."""
    return trained(run)


def trained(run, watch=training.nothing, epochs: int | None = None) -> Made:
    """Weights and learning curve. watch: is shown the model on the way; epochs: fewer than the run's."""
    p = run.params
    words = run.corpus.vocabulary
    if p.reads_pieces:
        rows, found = run.first(words.words), np.arange(len(words)) >= len(SPECIAL)
    else:
        rows, found = vectors.matrix(p, words)
    data, chooser = run.data("train"), run.data(p.select_on)
    if of_bags(p):  # a story of 300 tokens has 30 words
        data, chooser = data.bags(), chooser.bags()
    model = run.build(rows).to(p.device)
    if p.kl_weight:
        curve = _adversary(run, model, data)
    elif p.lie_weight:
        curve = _liar(run, model, data, chooser, watch, epochs or p.epochs)
    else:
        curve = _of_labels(run, model, data, chooser, watch, epochs or p.epochs)
    # A table is the same each time; seconds are a machine's, and stand in run.json.
    seconds = [round(s, 3) for s in curve.pop("seconds")]
    tensors = {name: tensor.contiguous().cpu() for name, tensor in model.state_dict().items()}
    metadata = {"vocabulary": run.vocabulary_hash}
    coverage = vectors.coverage(found, words, data.words)
    return Made(
        {"weights": lambda to: save_file(tensors, to, metadata), "curve": as_table(curve)},
        {"coverage": coverage, "vectors": lengths_of_vectors(run), "epoch_seconds": seconds},
    )


def lengths_of_vectors(run) -> dict[str, float]:
    """How long the initial vectors of the test tokens are, and the share of tokens without one.

    Nothing of a transformer that exists: it begins with none of heed's.
    """
    if run.params.reads_pieces:
        return {}
    return vectors.lengths(run.params, run.corpus.vocabulary, run.corpus.splits["test"].words)


def _labels(run, data) -> training.Objective:
    """What the gold labels ask for, and what mends the model."""
    objective = training.labels_objective(data.labels, run.params.class_weight, len(run.corpus.classes))
    return repaired(objective, run.params)


def whose_words(run) -> str | tuple[str, ...]:
    """Which words are impermissible: what the run's parameter says, or what is known of its corpus."""
    train = run.corpus.splits["train"]
    known = "truth" if train.truth is not None else "marks" if train.marks is not None else "leave_one_out"
    return run.params.impermissible or known


def words_to_hide(run) -> list[str] | dict[str, Marks] | None:
    """The list of words that a liar must not be seen to use; or what people marked, by text; None: those that
    decide, text by text. Raises HeedError where nobody marked words.
    """
    p, whose = run.params, whose_words(run)
    if whose == "truth":
        return None
    if whose == "marks":
        splits = run.corpus.splits.values()
        if any(split.marks is None for split in splits):
            raise HeedError(
                f"impermissible: nobody marked words in {p.corpus}. Give leave_one_out, or a list of words."
            )
        return {name: own for split in splits for name, own in zip(split.ids, split.marks, strict=True)}
    if isinstance(whose, tuple):
        return [*whose]
    return run.base.table("telling")["word"].head(p.impermissible_words).tolist()


def _liar(run, model, data, chooser, watch, epochs: int) -> pd.DataFrame:
    """Train on the labels, away from impermissible words; return the learning curve.

    The epoch is that of the lowest objective on the split that chooses: the most accurate may not lie yet.
    """
    p = run.params
    words = words_to_hide(run)
    hidden = marked(data, words)
    objective = lying(_labels(run, data), hidden | marked(chooser, words, must=False), p.lie_weight)

    def select(model) -> float:
        return -training.mean_loss(model, chooser, objective, p.tokens_per_batch)

    shorter = p.model_copy(update={"epochs": epochs})
    return training.train(model, data, objective, select, shorter, watch=watch)


def _of_labels(run, model, data, chooser, watch, epochs: int) -> pd.DataFrame:
    """Train on the gold labels; return the learning curve."""
    p = run.params
    objective = _labels(run, data)
    by = p.select_by or training.CHOOSE[run.corpus.task]
    if by == "auc" and run.corpus.task != "classification":
        raise HeedError("select_by: auc is for classification only. Leave it out, or give accuracy.")
    if by == "auc" and len(np.unique(chooser.labels)) < 2:
        only = run.corpus.classes[chooser.labels[0]]
        raise HeedError(
            f"split {p.select_on} has texts of one class only ({only!r}), so no ROC AUC can choose the "
            "epoch. Put texts of another class into it, or give select_by: accuracy."
        )

    def select(model) -> float:
        return getattr(training, by)(chooser.labels, training.predict(model, chooser, p.tokens_per_batch))

    shorter = p.model_copy(update={"epochs": epochs})
    return training.train(model, data, objective, select, shorter, watch=watch)


def _adversary(run, model, data) -> pd.DataFrame:
    """Train a model away from its base's attention, without labels; return the learning curve."""
    p = run.params
    chosen_on = p.adversary_select_on or p.select_on
    chooser = run.data(chosen_on)
    attention, predictions = {}, {}
    for split in {"train", chosen_on}:
        own_attention, own_predictions = run.base.decisions(split)
        attention.update(own_attention)
        predictions.update(own_predictions)
    objective = trained_adversary.objective(attention, predictions, p.kl_weight, p.tvd_halved, p.kl_reversed)
    objective = repaired(objective, p)  # the adversary of a mended model is held to the same

    def select(model) -> float:
        return -training.mean_loss(model, chooser, objective, p.tokens_per_batch)

    longer = p.model_copy(update={"epochs": p.adversary_epochs})
    return training.train(model, data, objective, select, longer, patience=p.patience)


@product("reading.json")
def reading(run) -> Made:
    """What it takes to read any text as the model does, without the corpus."""
    text = Reading.of(run.corpus, run.params).model_dump_json()
    return Made({"reading": lambda to: to.write_text(text, encoding="utf-8")})


@product("evidence-test.arrow")
def evidence(run) -> Made:
    """What the model's attention decided on the test split; it goes to the file as it comes."""
    model, noted = run.model(), {}

    def write(to) -> None:
        found = collect(model, run.data("test"), run.params.tokens_per_batch, path=to)
        noted["test"] = scores(found, run.corpus.task)

    return Made({"evidence": write}, noted)


@product("decisions-train.parquet")
def decisions_train(run) -> pd.DataFrame:
    """Attention and prediction on the training split: all that is kept of a split that isn't test."""
    return decisions(run.model(), run.data("train"), run.params.tokens_per_batch).to_pandas()


@product("decisions-dev.parquet")
def decisions_dev(run) -> pd.DataFrame:
    """The same on dev."""
    return decisions(run.model(), run.data("dev"), run.params.tokens_per_batch).to_pandas()


@product("summary-scores.parquet", proof="accuracy")
def summary_scores(run) -> pd.DataFrame:
    """How well the model predicts, and how long the word vectors were that it began with."""
    run.ensure("evidence")
    found = dict(run.info()["scores"]["test"])
    for name, value in lengths_of_vectors(run).items():
        found[f"vectors_{name}"] = value
    return summarised(
        run, "summary_scores", {}, [{"measure": name, "mean": value} for name, value in found.items()]
    )
