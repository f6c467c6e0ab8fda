"""Training: an objective and a way to choose the epoch are arguments, so is what is recorded."""

import copy
import time
from collections.abc import Callable

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
    weights = torch.as_tensor(counts[0] / counts if weighted else np.ones(classes))

    def loss(model: Attended, output: Output, batch: Batch) -> Tensor:
        log_probs = model.head.log_from_logits(output.logits)
        chosen = log_probs.gather(1, batch.labels[:, None]).squeeze(1)
        return -(chosen * weights.to(chosen.device, chosen.dtype)[batch.labels]).sum()

    return loss


def predict(model: nn.Module, data: Encoded, tokens_per_batch: int) -> np.ndarray:
    """Predicted probabilities, shape (instances, C), in the split's order and the model's precision."""
    where = {name: i for i, name in enumerate(data.ids)}
    rows = [None] * len(data)
    with torch.no_grad():
        for batch in data.by_budget(tokens_per_batch):
            logits = forward(model, batch.to(device_of(model))).logits
            probs = model.head.from_logits(logits).cpu().numpy()
            for name, row in zip(batch.ids, probs, strict=True):
                rows[where[name]] = row
    return np.stack(rows)


def mean_loss(model: nn.Module, data: Encoded, objective: Objective, tokens_per_batch: int) -> float:
    """The objective's mean over a split."""
    with torch.no_grad():
        batches = (batch.to(device_of(model)) for batch in data.by_budget(tokens_per_batch))
        return sum(objective(model, forward(model, b), b).item() for b in batches) / len(data)


def auc(labels: np.ndarray, probs: np.ndarray) -> float:
    """ROC AUC; of more than two classes the mean of one against the rest."""
    from sklearn.metrics import roc_auc_score  # takes seconds; a finished run doesn't need it

    if probs.shape[1] == 2:
        return float(roc_auc_score(labels, probs[:, 1]))
    probs = probs.astype(float)
    return float(roc_auc_score(labels, probs / probs.sum(1, keepdims=True), multi_class="ovr"))


def accuracy(labels: np.ndarray, probs: np.ndarray) -> float:
    """Share of texts whose most probable class is the gold one."""
    return float((probs.argmax(1) == labels).mean())


# What chooses the epoch: a question has many answers, some never the right one.
CHOOSE = {"classification": "auc", "qa": "accuracy", "nli": "accuracy"}


def optimiser(model: nn.Module, p: Params) -> torch.optim.Optimizer:
    """Adam (fused), with a weight decay of its own for the attention's parameters."""
    weights = [(name.startswith("attention."), w) for name, w in model.named_parameters()]
    groups = [
        {"params": [w for own, w in weights if not own], "weight_decay": p.weight_decay},
        {"params": [w for own, w in weights if own], "weight_decay": p.attention_weight_decay},
    ]
    return torch.optim.Adam(groups, lr=p.learning_rate, amsgrad=p.amsgrad, fused=True)


def nothing(model: nn.Module, step: int) -> None:
    """What most trainings show of themselves on the way."""


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
    steps, lengths = optimiser(model, p), data.lengths
    curve, best, chosen, kept, taken = [], -np.inf, None, None, 0
    watch(model, taken)
    halving = torch.optim.lr_scheduler.ReduceLROnPlateau(steps, "max", factor=0.5, patience=0)
    gpu = [torch.cuda.current_device()] if p.device == "cuda" else []
    with torch.random.fork_rng(devices=gpu):
        torch.manual_seed(p.seed)  # of dropout
        for epoch in progress(range(1, p.epochs + 1), "training, epochs"):
            start, total = time.perf_counter(), 0.0
            model.train()
            for indices in bucketed(lengths, p.batch_size, rng):
                steps.zero_grad(set_to_none=True)
                for part in within(indices, lengths, p.tokens_at_once):
                    batch = data.batch(part).to(p.device)
                    loss = objective(model, forward(model, batch), batch)
                    (loss / (len(indices) if p.mean_loss else 1)).backward()
                    total += loss.item()
                if p.clip_norm:
                    nn.utils.clip_grad_norm_(
                        model.parameters(), p.clip_norm * (1 if p.mean_loss else len(indices))
                    )
                steps.step()
                taken += 1
                watch(model, taken)
            seconds = time.perf_counter() - start
            if not np.isfinite(total):
                raise HeedError(f"training: the loss of epoch {epoch} is no number. Lower learning_rate.")
            model.eval()
            score = select(model)
            if score > best and (epoch > 1 or p.first_epoch or p.epochs == 1):
                best, chosen, kept = score, epoch, copy.deepcopy(model.state_dict())
            row = {"epoch": epoch, "loss": total / len(data), "score": score, "seconds": seconds}
            curve.append(row | record(model, epoch))
            if p.plateau:
                halving.step(score)
            patience = patience or p.stop_after
            if patience and chosen and epoch - chosen >= patience:
                break
    if kept is None:
        raise HeedError("training: no epoch has a score that is a number. Lower learning_rate.")
    model.load_state_dict(kept)
    return pd.DataFrame(curve).assign(chosen=lambda c: c["epoch"] == chosen)
