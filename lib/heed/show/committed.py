"""The text-free figures that the project carries (data/results/figures), and the numbers beside them.

By NAME.svg lies NAME.csv: what the tables of finished runs were condensed to (`figures.numbers`). A figure is
drawn from that file alone, so it can be drawn again when its runs are gone.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from heed import paths
from heed.errors import HeedError
from heed.experiments.copying import GOOD, MAIN, TASKS
from heed.experiments.not_not import panels
from heed.models.attentions import ATTENTIONS
from heed.models.encoders import ENCODERS
from heed.registry import corpora
from heed.runs.products import every_file, every_product
from heed.show import heatmaps
from heed.show.figures import adversarial, common, copying, correlation, erasure, not_not, relevance
from heed.show.figures.numbers import Numbers, damaged, read, write
from heed.show.figures.translation import draw_translated, translated_numbers
from heed.show.sentences import counted
from heed.show.style import save, theme
from heed.verdict import carried
from heed.verdict.carried import general, kept_table, plain
from heed.verdict.merging import to_carry
from heed.verdict.papers import reported_points

FIGURES = paths.DATA / "results" / "figures"
EMBLEM = "emblem"  # of the book; of no corpus, and drawn from our own sentences' numbers


@dataclass(frozen=True)
class Kind:
    """A kind of figure of one corpus.

    numbers: what it shows of tables by encoder, and the corpus's classes.
    draw: these numbers, with the corpus's name for what else is known of it.
    """

    numbers: Callable[[dict[str, pd.DataFrame], tuple], Numbers]
    draw: Callable[[Numbers, str], Figure]


def classes_of(corpus: str) -> tuple:
    """The classes that the registry names."""
    return tuple(corpora()[corpus].get("classes", ()))


def first(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table of the first encoder: of figures that have room for one."""
    return next(iter(tables.values()))


# By the end of the figure's name, see `parts_of`: the product whose tables it shows.
KINDS = {
    "correlation": Kind(
        correlation.correlation_numbers,
        lambda numbers, corpus: correlation.draw_correlations(numbers, classes_of(corpus)),
    ),
    "permutation": Kind(
        lambda tables, classes: common.violin_numbers(tables, "median_change", classes),
        lambda numbers, corpus: common.draw_violins(numbers, "median_change", classes_of(corpus), (-0.02, 1)),
    ),
    "adversarial": Kind(
        lambda tables, classes: adversarial.optimum_numbers(tables, classes, len(classes) == 2),
        lambda numbers, corpus: adversarial.draw_optimum_shares(
            numbers, classes_of(corpus), len(classes_of(corpus)) == 2
        ),
    ),
    "points": Kind(
        lambda tables, classes: not_not.opposition_numbers(first(tables)),
        lambda numbers, corpus: not_not.draw_opposition(numbers, reported_points(corpus), top=0.3),
    ),
    "seeds": Kind(
        lambda tables, classes: common.violin_numbers(first(tables), "other_jsd", classes),
        lambda numbers, corpus: common.draw_violins(
            numbers, "other_jsd", classes_of(corpus), (-0.02, 0.72), of_encoders=False
        ),
    ),
    "erasure": Kind(
        lambda tables, classes: erasure.box_numbers(tables, "erased"),
        lambda numbers, corpus: erasure.draw_boxes(numbers, "erased"),
    ),
    "course": Kind(
        lambda tables, classes: relevance.course_numbers(first(tables)),
        lambda numbers, corpus: relevance.draw_course(numbers),
    ),
}
# Chapter 09's, by the beginning of the name, KIND-PROFILE.
DRAWN = {
    "copying": lambda numbers: copying.draw_copies(numbers, TASKS, GOOD),
    "translation": draw_translated,
}


def condense(results: Path) -> list[str]:
    """Write the numbers of the figures of finished runs whose summaries are carried; return their names.

    Of the runs of a profile as it is, and of the same with general word vectors. A figure is of the lowest
    seed that is carried: what a folder of later seeds has stays out, and the figure as it is.
    """
    mine, found = to_carry(results), {}
    first_seeds = {of: own.groupby("encoder")["seed"].min() for of, own in _by_figure(carried.committed())}
    for of, own in _by_figure(mine):
        seeds = own.groupby("encoder")["seed"].min()
        if of in first_seeds and (seeds > first_seeds[of].reindex(seeds.index)).any():
            continue
        corpus, attention = own[["corpus", "attention"]].iloc[0]
        for kind in KINDS:
            tables = tables_of(results, corpus, attention, own, kind)
            if tables:
                found[f"{of}-{kind}"] = KINDS[kind].numbers(tables, classes_of(corpus))
    rows = plain(mine)
    found |= copies(results, rows) | translations(results, rows)
    for name, numbers in found.items():
        write(numbers, FIGURES / f"{name}.csv")
    return list(found)


def _by_figure(summaries: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """How the files of figures begin, and the rows of their runs: of profiles as they are, and `general`."""
    rows = plain(summaries)
    near = general(summaries)
    near = summaries.loc[near.index.difference(rows.index)]
    for which in (rows.assign(vectors=""), near):
        for (corpus, profile, attention, vectors), own in which.groupby(
            ["corpus", "profile", "attention", "vectors"]
        ):
            yield f"{corpus}-{attention}-{profile}" + (f"_with_{vectors}" if vectors else ""), own


def tables_of(results: Path, corpus: str, attention: str, rows: pd.DataFrame, kind: str) -> dict:
    """By encoder, what a kind of figure shows of the run of the lowest seed, of those that have it."""
    files, found = every_file(), {}
    for encoder in ENCODERS:
        own = rows[rows["encoder"] == encoder].sort_values("seed", kind="stable").head(1)
        for variant, seed in zip(own["variant"], own["seed"], strict=True):
            called = results, corpus, f"{encoder}-{attention}", variant, seed
            searched = kept_table(*called, files["adversarial"])
            for kept in kept_table(*called, files[kind]):
                found[encoder] = panels(kept, *searched) if kind == "seeds" else kept
    return found


def copies(results: Path, rows: pd.DataFrame) -> dict[str, Numbers]:
    """Chapter 09 at full size, the usual steps and more of them: a line a seed."""
    rows, found = rows[(rows["encoder"] == MAIN[0]) & (rows["attention"] == MAIN[1])], {}
    for profile, own in rows[rows["profile"].isin(("paper", "long"))].groupby("profile"):
        looks = []
        for corpus, variant, seed in own[["corpus", "variant", "seed"]].drop_duplicates().to_numpy():
            for table in kept_table(results, corpus, "-".join(MAIN), variant, seed, every_file()["copied"]):
                looks.append(table.assign(task=corpus, seed=seed))
        if looks:
            found[f"copying-{profile}"] = copying.copies_numbers(pd.concat(looks))
    return found


def translations(results: Path, rows: pd.DataFrame) -> dict[str, Numbers]:
    """Chapter 09: what agrees with the finished attention over training."""
    own, found = rows[rows["corpus"] == "multi30k"], {}
    chances = own[own["measure"] == "chance"].groupby("profile")["mean"].first()
    own = own[own["measure"] == "bleu"]
    for row in own.sort_values("seed", ascending=False).itertuples():  # of several seeds, the first
        called = row.corpus, f"{row.encoder}-{row.attention}", row.variant, row.seed
        for table in kept_table(results, *called, every_file()["learning"]):
            numbers = translated_numbers(table, chance=chances.get(row.profile))
            found[f"translation-{row.profile}"] = numbers
    return found


def draw(names: list[str]) -> None:
    """Draw figures of these names from the numbers that lie in their place.

    Raises HeedError if a file is damaged, or has the name of no figure; those before it are drawn.
    """
    every_file()  # every chapter has registered its measures, whose labels the figures bear
    theme()
    for name in names:
        path = FIGURES / f"{name}.csv"
        kind, corpus = (parts_of(name).get(part) for part in ("kind", "corpus"))
        numbers = read(path)
        try:
            figure = KINDS[kind].draw(numbers, corpus) if corpus else DRAWN[kind](numbers)
        except (HeedError, ValueError, KeyError, IndexError) as error:
            raise damaged(path, error) from error
        save(figure, FIGURES / f"{name}.svg")
        plt.close("all")


def parts_of(name: str) -> dict[str, str]:
    """What a figure's name says: its kind and profile; of one corpus, corpus, attention and vectors, too.

    vectors: nothing for the profile's own. Raises HeedError if it is the name of no figure.
    """
    of_corpus = re.fullmatch(
        rf"(?P<corpus>.+)-(?P<attention>{'|'.join(ATTENTIONS)})-(?P<profile>\w+?)"
        rf"(?:_with_(?P<vectors>[\w-]+))?-(?P<kind>{'|'.join(KINDS)})",
        name,
    )
    if of_corpus and of_corpus["corpus"] in corpora():
        return of_corpus.groupdict(default="")
    of_several = re.fullmatch(rf"(?P<kind>{'|'.join(DRAWN)})-(?P<profile>\w+)", name)
    if of_several:
        return of_several.groupdict()
    raise HeedError(
        f"{FIGURES / name}.csv has the name of no figure: expected is CORPUS-ATTENTION-PROFILE-KIND, of a "
        f"corpus that heed knows and {', '.join(KINDS)}, the profile with _with_VECTORS behind it or not, or "
        f"KIND-PROFILE of {' and '.join(DRAWN)}. Rename it or take it away."
    )


def chapter_of(kind: str) -> str:
    """The chapter of a kind of figure."""
    return every_product()[kind].chapter if kind in KINDS else "09"


def draw_emblem() -> Path:
    """Draw the emblem of the book, its letters as outlines: a word is as wide everywhere as its box."""
    theme()
    with plt.rc_context({"svg.fonttype": "path"}):
        path = save(heatmaps.emblem(), FIGURES / f"{EMBLEM}.svg", heatmaps.emblem_says())
    plt.close("all")
    return path


def redraw() -> str:
    """Draw every figure that has numbers, from these alone, and the emblem; return a sentence on all."""
    numbers, drawings = (sorted(path.stem for path in FIGURES.glob(f"*.{end}")) for end in ("csv", "svg"))
    draw(numbers)
    draw_emblem()
    without = len({*drawings} - {*numbers, EMBLEM})
    return (
        f"{counted(len(numbers), 'figure')} drawn from the numbers beside them, and the emblem from our "
        f"sentences'; {without} have no numbers yet and stay as they are, until `make summary` finds their "
        "runs."
    )
