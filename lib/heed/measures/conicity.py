"""How alike a text's states are. Only the model can tell: evidence holds no states."""

import torch

from heed.corpora.batches import Encoded
from heed.models.attended import Attended, counted, device_of
from heed.models.repairs import conicity as of_states


def conicity(model: Attended, data: Encoded, tokens_per_batch: int) -> dict[str, float]:
    """Mean |cosine| of a text's states with their mean, in [0, 1]: instance id to one number.

    Near 1 all states lie along one line.
    Source: Mohankumar et al. (2020).
    """
    found = {}
    with torch.no_grad():
        for batch in data.by_budget(tokens_per_batch):
            batch = batch.to(device_of(model))
            states = model.encode(model.embed(batch), batch)
            each = of_states(states, counted(model, batch))
            found |= dict(zip(batch.ids, each.cpu().tolist(), strict=True))
    return {name: found[name] for name in data.ids}
