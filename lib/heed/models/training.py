"""Training: an objective and a way to choose the epoch are arguments, so is what is recorded."""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from heed.corpora.batches import Batch, Encoded, bucketed, within
from heed.errors import HeedError
from heed.models.attended import Attended, Output, device_of, forward
from heed.params import Params
from heed.progress import progress

Objective = Callable[[Attended, Output, Batch], Tensor]


def labels_objective(labels: np.ndarray, weighted: bool, classes: int) -> Objective:
    """Negative log-likelihood of the gold labels, summed over the batch.

    weighted: class c counts n_0/n_c, which for two classes is the authors' positive weight. Raises HeedError
    if a class has no text then.
    """
    counts = np.bincount(labels, minlength=classes)
    if weighted and not counts.all():
        raise HeedError(f"class_weight: class {counts.argmin()} has no text. Give class_weight: false.")
    if weighted:
        class_weights = torch.as_tensor(counts[0] / counts)
    else:
        class_weights = torch.as_tensor(np.ones(classes))

    def loss(model: Attended, output: Output, batch: Batch) -> Tensor:
        log_probs = model.head.log_from_logits(output.logits)
        of_labels = log_probs.gather(1, batch.labels[:, None]).squeeze(1)
        text_weights = class_weights.to(of_labels.device, of_labels.dtype)[batch.labels]
        return -(of_labels * text_weights).sum()

    return loss


def predict(model: nn.Module, data: Encoded, tokens_per_batch: int) -> np.ndarray:
    """Predicted probabilities, shape (instances, C), in the split's order and the model's precision."""
    found = {}
    with torch.no_grad():
        for batch in data.by_budget(tokens_per_batch):
            logits = forward(model, batch.to(device_of(model))).logits
            probs = model.head.from_logits(logits).cpu().numpy()
            found.update(zip(batch.ids, probs, strict=True))
    return np.stack([found[name] for name in data.ids])


def mean_loss(model: nn.Module, data: Encoded, objective: Objective, tokens_per_batch: int) -> float:
    """The objective's mean over a split."""
    losses = []
    with torch.no_grad():
        for batch in data.by_budget(tokens_per_batch):
            batch = batch.to(device_of(model))
            losses.append(objective(model, forward(model, batch), batch).item())
    return sum(losses) / len(data)


def auc(labels: np.ndarray, probs: np.ndarray) -> float:
    """ROC AUC; of more than two classes the mean of one against the rest, over the classes that are there.

    NaN where all texts are of one class: there is nothing to tell apart.
    """
    from sklearn.metrics import roc_auc_score  # takes seconds; a finished run doesn't need it

    there = np.unique(labels)
    if len(there) < 2:
        return np.nan
    if probs.shape[1] == 2:
        return float(roc_auc_score(labels, probs[:, 1]))
    probs = probs.astype(float)
    probs = probs / probs.sum(1, keepdims=True)
    return float(np.mean([roc_auc_score(labels == c, probs[:, c]) for c in there]))


def accuracy(labels: np.ndarray, probs: np.ndarray) -> float:
    """Share of texts whose most probable class is the gold one."""
    return float((probs.argmax(1) == labels).mean())


# What chooses the epoch: a question has many answers, some never the right one.
CHOOSE = {"classification": "auc", "qa": "accuracy", "nli": "accuracy"}


def optimiser(model: nn.Module, p: Params) -> torch.optim.Optimizer:
    """Adam (fused): the attention's weights have their own decay, pretrained ones their own rate."""
    of_attention, others, pretrained = [], [], []
    for name, weight in model.named_parameters():
        if name.startswith("attention."):
            of_attention.append(weight)
        elif name.startswith("encoder.base."):
            pretrained.append(weight)
        else:
            others.append(weight)
    groups = [
        {"params": others, "weight_decay": p.weight_decay},
        {"params": of_attention, "weight_decay": p.attention_weight_decay},
    ]
    if p.finetune and pretrained:
        groups.append({"params": pretrained, "weight_decay": p.weight_decay, "lr": p.finetune_rate})
    return torch.optim.Adam(groups, lr=p.learning_rate, amsgrad=p.amsgrad, fused=True)


def nothing(model: nn.Module, step: int) -> None:
    """What most trainings show of themselves on the way."""


@dataclass
class _Best:
    """The best epoch so far, its score, and a copy of the weights that it left; at first none."""

    score: float = -np.inf
    epoch: int | None = None
    weights: dict[str, Tensor] | None = None


def train(
    model: nn.Module,
    data: Encoded,
    objective: Objective,
    select: Callable[[nn.Module], float],
    p: Params,
    record: Callable[[nn.Module, int], dict] = lambda model, epoch: {},
    patience: int | None = None,
    watch: Callable[[nn.Module, int], None] = nothing,
) -> pd.DataFrame:
    """Train in place and leave the best epoch's weights; return the learning curve, a row an epoch.

    select: the score of the model, higher is better, the first of equals wins. record: anything more
    to be written down after an epoch. patience: epochs without a better score that end it. watch: is shown
    the model before the first step (0) and after each, and must not change it. Order, batches and dropout
    follow the run's seed. The objective is a sum over instances, or their mean (`mean_loss`): of a batch that
    is too large to be worked on at once, the gradients of its parts are added.
    """
    rng = np.random.default_rng([p.seed, 0])
    adam, lengths = optimiser(model, p), data.lengths
    halving = torch.optim.lr_scheduler.ReduceLROnPlateau(adam, "max", factor=0.5, patience=0)
    patience = patience or p.stop_after
    best = _Best()
    curve = []
    steps_taken = 0
    watch(model, steps_taken)
    gpu = [torch.cuda.current_device()] if p.device == "cuda" else []
    with torch.random.fork_rng(devices=gpu):
        torch.manual_seed(p.seed)  # of dropout
        for epoch in progress(range(1, p.epochs + 1), "training, epochs"):
            start = time.perf_counter()
            total_loss = 0.0
            model.train()
            for indices in bucketed(lengths, p.batch_size, rng):
                for loss in _step(model, adam, data, indices, lengths, objective, p):
                    total_loss += loss
                steps_taken += 1
                watch(model, steps_taken)
            seconds = time.perf_counter() - start
            if not np.isfinite(total_loss):
                raise HeedError(f"training: the loss of epoch {epoch} is no number. Lower learning_rate.")
            model.eval()
            score = select(model)
            if score > best.score and _may_be_chosen(epoch, p):
                best = _Best(score, epoch, copy.deepcopy(model.state_dict()))
            row = {"epoch": epoch, "loss": total_loss / len(data), "score": score, "seconds": seconds}
            row.update(record(model, epoch))
            curve.append(row)
            if p.plateau:
                halving.step(score)
            if patience and best.epoch is not None and epoch - best.epoch >= patience:
                break
    if best.weights is None:
        raise HeedError("training: no epoch has a score that is a number. Lower learning_rate.")
    model.load_state_dict(best.weights)
    table = pd.DataFrame(curve)
    table["chosen"] = table["epoch"] == best.epoch
    return table


def _may_be_chosen(epoch: int, p: Params) -> bool:
    """Some profiles pass over the first epoch, unless there is no other."""
    return epoch > 1 or p.first_epoch or p.epochs == 1


def _step(
    model: nn.Module,
    adam: torch.optim.Optimizer,
    data: Encoded,
    indices: np.ndarray,
    lengths: np.ndarray,
    objective: Objective,
    p: Params,
) -> list[float]:
    """One step of the optimiser on the texts of these indices; return the loss of each part worked on."""
    losses = []
    adam.zero_grad(set_to_none=True)
    for part in within(indices, lengths, p.tokens_at_once):
        batch = data.batch(part).to(p.device)
        loss = objective(model, forward(model, batch), batch)
        if p.mean_loss:
            (loss / len(indices)).backward()
        else:
            loss.backward()
        losses.append(loss.item())
    if p.clip_norm:
        # clip_norm is of the mean's gradients; those of a sum are as many times larger.
        largest = p.clip_norm if p.mean_loss else p.clip_norm * len(indices)
        nn.utils.clip_grad_norm_(model.parameters(), largest)
    adam.step()
    return losses
