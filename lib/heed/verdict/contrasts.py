"""Many runs in one table: beside what the papers report, in Table 2's layout, one against another."""

from typing import Literal

import numpy as np
import pandas as pd

from heed.measures import stats
from heed.registry import corpora
from heed.verdict.carried import general, marked, of_both_kinds, of_earlier_texts, plain
from heed.verdict.papers import published

CELL = ["corpus", "class", "encoder", "measure"]


def _seeds(counts: pd.Series, by: list[str]) -> pd.Series:
    """Of how many seeds a row's numbers are: a range where its measures have different ones."""
    ends = counts.groupby(by).agg(["min", "max"])
    upto = ("–" + ends["max"].astype(str)).where(ends["min"] < ends["max"], "")
    return (ends["min"].astype(str) + upto).rename("seeds")


def _ours(
    summaries: pd.DataFrame, profile: str, vectors: Literal["general", "plain"] = "general"
) -> pd.DataFrame:
    """The runs that stand beside published numbers: a row a seed, cell and statistic, additive attention.

    Of a corpus that is there whole and in part, the whole alone.
    """
    own = summaries[(summaries["profile"] == profile) & summaries["measure"].isin(published()["measure"])]
    ours = general(own) if vectors == "general" else plain(own)
    ours = ours[ours["attention"] == "additive"]
    part = ours["partial"].astype(bool)
    ours = ours[~part | ~ours["corpus"].isin(ours.loc[~part, "corpus"])]  # never the two together
    of = [*CELL, "seed", "partial"]
    return ours.melt(of, ["mean", "std", "significant"], var_name="statistic", value_name="ours")


def _reported(source: str) -> pd.DataFrame:
    reported = published()
    return reported[(reported["source"] == source) & reported["reported"].notna()]


def beside(
    summaries: pd.DataFrame, profile: str, source: str, vectors: Literal["general", "plain"] = "general"
) -> pd.DataFrame:
    """Each published number beside ours of that profile: mean and range over seeds, additive attention.

    vectors: with general pretrained ones where there are runs with them; or the profile's alone.
    `cell` is within or outside the range of our seeds, both rounded to two places; or `one seed`, whose range
    is a point, or a gap: no run here.
    `partial`: our runs read only a part of the corpus.
    """
    long = _ours(summaries, profile, vectors)
    groups = long.groupby([*CELL, "statistic"])
    groups = groups["ours"].agg(["mean", "min", "max"]).join(groups["seed"].nunique().rename("seeds"))
    found = _reported(source).merge(groups.reset_index(), how="left", on=[*CELL, "statistic"])
    with np.errstate(invalid="ignore"):  # a gap
        inside = found["reported"].between(found["min"].round(2), found["max"].round(2))
    kinds = {"gap": found["mean"].isna(), "one seed": found["seeds"] == 1, "within": inside}
    found["cell"] = np.select(list(kinds.values()), list(kinds), "outside")
    found["partial"] = found["corpus"].isin(long.loc[long["partial"].astype(bool), "corpus"])
    return found.sort_values([*CELL, "statistic"], kind="stable", ignore_index=True)


SOURCES = {"site": "site", "paper2019": "paper"}  # the profile of each set of published numbers


def once(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of `beside` without the means over all texts of which the classes stand there, too."""
    of = ["corpus", "encoder", "measure", "statistic"]
    by_class = pd.MultiIndex.from_frame(cells.loc[cells["class"] != "overall", of])
    return cells[(cells["class"] != "overall") | ~pd.MultiIndex.from_frame(cells[of]).isin(by_class)]


def asked() -> list[str]:
    """The corpora of questions and of inference: those that stand beside the paper under profile `paper`."""
    return [name for name, entry in corpora().items() if entry.get("task") in ("qa", "nli")]


def all_beside(summaries: pd.DataFrame) -> pd.DataFrame:
    """All published cells, each counted once: as in `beside`, with the profile that each stands beside.

    A published number of classified texts stands beside the profile that follows its code (SOURCES); one of
    questions and inference beside `paper`, the only profile that they are run under.
    """
    parts = []
    for profile, source in SOURCES.items():
        own = once(beside(summaries, profile, source)).assign(profile=profile)
        parts.append(own[~own["corpus"].isin(asked())] if source == "paper" else own)
    questions = once(beside(summaries, "paper", "paper")).assign(profile="paper")
    parts.append(questions[questions["corpus"].isin(asked())])
    return pd.concat(parts, ignore_index=True)


def counted(cells: pd.DataFrame) -> pd.DataFrame:
    """How many published cells lie where: a row a source and whether our corpus is whole or a part.

    cells: as `all_beside` has them. Columns: source, corpora, published, gap, one seed, within, outside. A
    gap is nobody's part and stands with the whole ones.
    """
    kinds = ["gap", "one seed", "within", "outside"]
    own = cells.assign(corpora=np.where(cells["partial"], "parts of corpora", "whole corpora"))
    table = own.groupby(["source", "corpora"])["cell"].value_counts().unstack()
    table = table.reindex(columns=kinds).fillna(0).astype(int)
    table.insert(0, "published", table.sum(axis=1))
    return table.rename_axis(columns=None).reset_index()


def by_corpus(summaries: pd.DataFrame) -> pd.DataFrame:
    """Published means and scores beside ours, a row a corpus, encoder, measure and source that has a run.

    Columns: corpus (parts marked), encoder, measure, source, reported, ours (mean over seeds), low and high
    (the range of the seeds), seeds. Numbers of several classes are averaged, ours seed by seed.
    """
    key = ["corpus", "encoder", "measure", "source"]
    cells = all_beside(summaries)
    cells = cells[(cells["statistic"] == "mean") & (cells["cell"] != "gap")]
    parts = []
    for profile, own in cells.groupby("profile"):
        ours = _ours(summaries, profile)
        ours = ours[ours["statistic"] == "mean"][[*CELL, "seed", "ours"]]
        both = own.drop(columns="seeds").merge(ours, on=CELL)
        parts.append(both.groupby([*key, "partial", "seed"])[["reported", "ours"]].mean().reset_index())
    seeds = marked(pd.concat(parts, ignore_index=True)) if parts else cells.assign(seed=0, ours=0.0)
    named = {"reported": ("reported", "mean"), "ours": ("ours", "mean"), "low": ("ours", "min")}
    named |= {"high": ("ours", "max"), "seeds": ("seed", "nunique")}
    return seeds.groupby(key).agg(**named).reset_index()


def before_and_after(summaries: pd.DataFrame, of: list[str] | None = None) -> pd.DataFrame:
    """The published cells that have runs with a profile's own vectors, and with general ones.

    A row a cell, each counted once, as in `beside`: `source`, and mean, min, max, seeds and cell twice, with
    `_before` (the profile's vectors) and `_after`; both of the texts as they are read now. of: of these
    alone. Without such cells no rows.
    """
    key = [*CELL, "statistic"]
    summaries = summaries[summaries["measure"].isin(published()["measure"])]
    summaries, parts = of_both_kinds(summaries[~of_earlier_texts(summaries)]), []
    for profile, source in SOURCES.items():
        before, after = (once(beside(summaries, profile, source, how)) for how in ("plain", "general"))
        both = before.merge(after, on=[*key, "reported"], suffixes=("_before", "_after"))
        both = both[(both["cell_before"] != "gap") & (both["cell_after"] != "gap")]
        parts.append(both.assign(source=source))
    cells = pd.concat(parts, ignore_index=True)
    return cells if of is None else cells[cells["corpus"].isin(of)].reset_index(drop=True)


def within(cells: pd.DataFrame) -> pd.DataFrame:
    """How many cells of `before_and_after` lie within the range of our seeds, of two or more each time.

    A row a source, encoder, measure and statistic: `cells`; `before` and `after`, how many are within;
    `off_before` and `off_after`, the median distance of our mean.
    """
    cells = cells[(cells["cell_before"] != "one seed") & (cells["cell_after"] != "one seed")].copy()
    for when in ("before", "after"):
        cells[when] = cells[f"cell_{when}"] == "within"
        cells[f"off_{when}"] = (cells[f"mean_{when}"] - cells["reported"]).abs()
    groups = cells.groupby(["source", "encoder", "measure", "statistic"])
    counted = groups.agg(
        cells=("before", "size"),
        before=("before", "sum"),
        after=("after", "sum"),
        off_before=("off_before", "median"),
        off_after=("off_after", "median"),
    )
    return counted.reset_index()


def table2(summaries: pd.DataFrame) -> pd.DataFrame:
    """Table 2's layout for any runs: a row a corpus, profile, attention, encoder and class, over seeds."""
    chosen = marked(summaries[summaries["measure"].isin(["tau_gradient", "tau_loo"])])
    by = ["corpus", "profile", "given", "attention", "encoder", "class", "measure"]
    over = stats.over_seeds(chosen, by)
    form = "{:.2f} ± {:.2f} [{:.2f}, {:.2f}]".format
    over["text"] = [form(*of) for of in over[["mean", "std", "lowest", "highest"]].to_numpy()]
    wide = over.pivot(index=by[:-1], columns="measure", values=["text", "significant"])
    wide.columns = [f"{m}{' sig.' if kind == 'significant' else ''}" for kind, m in wide.columns]
    order = [c for m in ("tau_gradient", "tau_loo") for c in (m, f"{m} sig.") if c in wide]
    wide = wide[order].astype({c: float for c in order if c.endswith("sig.")})
    wide.insert(0, "seeds", _seeds(over.set_index(by)["seeds"], by[:-1]))
    return wide.reset_index()


def means(summaries: pd.DataFrame, measures: list[str]) -> pd.DataFrame:
    """Overall means of some measures, a row a model: mean over seeds and range, as text."""
    rows = marked(summaries[(summaries["class"] == "overall") & summaries["measure"].isin(measures)])
    return _wide(rows, ["corpus", "profile", "given", "attention", "encoder"], measures, "{:.3f}")


def _wide(rows: pd.DataFrame, by: list[str], measures: list[str], form: str) -> pd.DataFrame:
    """A row a model: of how many seeds it is, and each measure's mean over them and range, as text.

    Of one seed there is no range.
    """
    groups = rows.dropna(subset="mean").groupby([*by, "measure"])
    parts = groups["mean"].agg(["mean", "min", "max", "size"])
    cells = [
        f"{form} [{form}, {form}]".format(mean, low, high) if size > 1 else form.format(mean)
        for mean, low, high, size in parts.to_numpy()
    ]
    table = pd.Series(cells, index=parts.index, dtype=object).unstack()
    table = table.reindex(columns=measures).astype(object).fillna("–")
    table.insert(0, "seeds", _seeds(groups["seed"].nunique(), by))
    return table.rename_axis(columns=None).reset_index()


def contrast(
    summaries: pd.DataFrame, axis: str, first: str, second: str, measures: list[str]
) -> pd.DataFrame:
    """One encoder or attention minus another on the same seed: mean and range over seeds, as text.

    axis: `encoder` or `attention`. Columns: corpus, profile, the other axis, seeds, and the measures.
    """
    by = ["corpus", "profile", "attention" if axis == "encoder" else "encoder"]
    return _wide(gaps(summaries, axis, first, second, measures), by, measures, "{:+.3f}")


def gaps(summaries: pd.DataFrame, axis: str, first: str, second: str, measures: list[str]) -> pd.DataFrame:
    """The difference that `contrast` takes, one row (`mean`) a seed and measure."""
    by = ["corpus", "profile", "attention" if axis == "encoder" else "encoder", "seed", "measure"]
    rows = summaries[(summaries["class"] == "overall") & summaries["measure"].isin(measures)]
    rows = marked(plain(rows))
    wide = rows.pivot_table(index=by, columns=axis, values="mean").reindex(columns=[first, second])
    return (wide[first] - wide[second]).dropna().rename("mean").reset_index()
