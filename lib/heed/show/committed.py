"""The text-free figures that the project carries (data/results/figures), drawn from finished runs."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from heed import paths
from heed.experiments.copying import GOOD, MAIN, TASKS
from heed.experiments.not_not import panels
from heed.models.encoders import ENCODERS
from heed.registry import corpora
from heed.runs.products import every_file
from heed.show.figures import adversarial, common, copying, correlation, erasure, not_not, relevance
from heed.show.figures.translation import translated
from heed.show.style import save, theme
from heed.verdict.carried import kept_table, plain
from heed.verdict.merging import to_carry
from heed.verdict.papers import reported_points


def draw(results: Path) -> None:
    """Draw the figures of the finished runs whose numbers are carried."""
    rows = plain(to_carry(results))
    for (corpus, profile, attention), own in rows.groupby(["corpus", "profile", "attention"]):
        draw_group(results, corpus, profile, attention, own)
    draw_copies(results, rows)
    draw_translations(results, rows)


def draw_group(results: Path, corpus: str, profile: str, attention: str, rows: pd.DataFrame) -> None:
    """Text-free figures of the chapters that these runs went through, by encoder, of its lowest seed."""
    classes, folder = corpora()[corpus].get("classes", ()), paths.DATA / "results" / "figures"
    theme()
    files = every_file()
    drawn = {
        "correlation": lambda tables: correlation.correlations(tables, classes),
        "permutation": lambda tables: common.violins(tables, "median_change", classes, (-0.02, 1)),
        "adversarial": lambda tables: adversarial.optimum_histograms(tables, classes, len(classes) == 2),
        "points": lambda tables: not_not.opposition([*tables.values()][0], reported_points(corpus), top=0.3),
        "seeds": lambda tables: common.violins(
            [*tables.values()][0], "other_jsd", classes, (-0.02, 0.72), of_encoders=False
        ),
        "erasure": lambda tables: erasure.boxes(tables, "erased"),
        "course": lambda tables: relevance.course(next(iter(tables.values()))),
    }
    for table, draw in drawn.items():
        found = {}
        for encoder in ENCODERS:
            own = rows[rows["encoder"] == encoder].sort_values("seed", kind="stable").head(1)
            for variant, seed in zip(own["variant"], own["seed"], strict=True):
                called = results, corpus, f"{encoder}-{attention}", variant, seed
                searched = kept_table(*called, files["adversarial"])
                for kept in kept_table(*called, files[table]):
                    found[encoder] = panels(kept, *searched) if table == "seeds" else kept
        if found:
            save(draw(found), folder / f"{corpus}-{attention}-{profile}-{table}.svg")
            plt.close("all")


def draw_copies(results: Path, rows: pd.DataFrame) -> None:
    """Chapter 09 at full size, the usual steps and more of them: a line a seed."""
    rows = rows[(rows["encoder"] == MAIN[0]) & (rows["attention"] == MAIN[1])]
    for profile, own in rows[rows["profile"].isin(("paper", "long"))].groupby("profile"):
        found = []
        for corpus, variant, seed in own[["corpus", "variant", "seed"]].drop_duplicates().to_numpy():
            for table in kept_table(results, corpus, "-".join(MAIN), variant, seed, every_file()["copied"]):
                found.append(table.assign(task=corpus, seed=seed))
        if found:
            figure = copying.copies(pd.concat(found), TASKS, GOOD)
            save(figure, paths.DATA / "results" / "figures" / f"copying-{profile}.svg")


def draw_translations(results: Path, rows: pd.DataFrame) -> None:
    """Chapter 09: what agrees with the finished attention over training."""
    rows = rows[(rows["corpus"] == "multi30k") & (rows["measure"] == "bleu")]
    for row in rows.sort_values("seed", ascending=False).itertuples():  # of several seeds, the first
        called = row.corpus, f"{row.encoder}-{row.attention}", row.variant, row.seed
        for table in kept_table(results, *called, every_file()["learning"]):
            to = paths.DATA / "results" / "figures" / f"translation-{row.profile}.svg"
            save(translated(table), to)
