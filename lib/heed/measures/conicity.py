"""How alike a text's states are. Only the model can tell: evidence holds no states."""

import torch

from heed.corpora.batches import Encoded
from heed.models.attended import Attended, counted, device_of


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
            real = counted(model, batch)[:, :, None].to(states)
            mean = (states * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)
            cosine = torch.nn.functional.cosine_similarity(states, mean, dim=2, eps=1e-12).abs()
            each = (cosine * real[:, :, 0]).sum(1) / real.sum((1, 2))
            found |= dict(zip(batch.ids, each.cpu().tolist(), strict=True))
    return {name: found[name] for name in data.ids}
