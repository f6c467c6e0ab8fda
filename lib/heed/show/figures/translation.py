"""Chapter 09: translation."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from heed.show.colours import SERIES
from heed.show.style import LINES, MARKERS


def translated(learning: pd.DataFrame, meant: dict[str, pd.DataFrame] | None = None) -> Figure:
    """What agrees with the finished model's attention, by step; beside it what is on the word that is meant.

    learning: `translation.learning`'s; meant: `translation.meant` of each model by name, or token accuracy.
    """
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.9), sharex=True, sharey=True)
    drawn = {
        ("other seed", "attention"): "attention, another seed",
        ("base", "relevance"): "relevance r, the same model",
        ("uniform", "relevance"): "relevance r', uniform training",
    }
    for k, ((model, kind), label) in enumerate(drawn.items()):
        own = learning[learning["model"] == model].sort_values("step")
        axes[0].plot(own["step"], own[kind], LINES[k], marker=MARKERS[k], color=SERIES[k], label=label)
        table, column = (own, "accuracy") if meant is None else (meant[model], kind)
        axes[1].plot(table["step"], table[column], LINES[k], marker=MARKERS[k], color=SERIES[k])
    steps = sorted(learning["step"].unique())
    ticks = steps[:2]
    for step in steps[2:]:
        if step >= (2 if steps[-1] < 5000 else 4) * ticks[-1]:
            ticks.append(step)
    for ax in axes:
        ax.set_xscale("symlog", linthresh=steps[1], linscale=0.5)
        ax.set_xticks(ticks, [f"{step:,}" for step in ticks])
        ax.minorticks_off()
        ax.set(xlabel="steps of training", ylim=(-0.02, 1.02))
    axes[0].set(ylabel="agreement A with the finished attention")
    axes[1].set(ylabel="token accuracy" if meant is None else "share largest on the word that is meant")
    figure.legend(loc="outside lower center", ncols=3)
    return figure
