"""Chapter 07: what other models and other attention come to, in sentences and tables."""

import numpy as np
import pandas as pd

from heed import verdict
from heed.corpora.planted import INTENSIFIERS, LEXICON, NEGATORS
from heed.evidence import Row
from heed.experiments import heatmaps
from heed.experiments.not_not import FAR, best
from heed.measures import stats
from heed.measures.divergence import jsd, tvd
from heed.measures.permutation import permuted
from heed.params import resolve
from heed.show.correlation import agrees, how_far
from heed.show.figures.common import percent
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, model_named, number, signed, with_range
from heed.show.words import text_for

# What `guides` are called, in the order of the figure.
MODELS = {
    "base": "base",
    "uniform": "base, uniform attention",
    "adversary": "the adversary itself",
    "mlp_uniform": "token-wise, uniform",
    "mlp_trained": "token-wise, learnt",
    "mlp_base": "token-wise, the base's",
    "mlp_adversary": "token-wise, the adversary's",
}
# What a token-wise model is given, and instead of what: each difference between two of them.
DIFFERENCES = {
    ("mlp_trained", "mlp_uniform"): ("its own, learnt", "uniform"),
    ("mlp_base", "mlp_trained"): ("the base's", "its own, learnt"),
    ("mlp_base", "mlp_uniform"): ("the base's", "uniform"),
    ("mlp_adversary", "mlp_uniform"): ("the adversary's", "uniform"),
    ("mlp_adversary", "mlp_trained"): ("the adversary's", "its own, learnt"),
    ("mlp_base", "mlp_adversary"): ("the base's", "the adversary's"),
}
SUPPORT = {"loo": "signed leave-one-out", "relevance": "relevance"}  # by what `deception` asks for
CORPORA = {"sst": "SST", "imdb": "IMDB"}  # real ones of which trained adversaries are carried
ALIKE = 0.05  # difference of two mean τ up to which they hardly differ
NEAR, LOOSE = 0.1, 0.5  # a mean τ this near 0 tells next to nothing; one below this, little
LITTLE = 0.1  # nats: an adversary that attends less far away merely imitates its base
ENOUGH = 5  # base models from which on the caution that they are few is left out
BADLY = 0.01  # a fall of TVD from a λ to the next by more says that the adversary before it is badly trained
USUAL = 0.05  # nats: on a text a model is as far from its base as usual within this of its mean over texts
SHORT = 16  # units of a text that fits into one line of the strips
HOLDS = {"agnews": "news", "20news": "messages", "ade": "medical sentences"}  # real corpora beside them
NAMES = CORPORA | {"20news": "20 Newsgroups", "agnews": "AG News", "ade": "ADE"}  # of real corpora
AS_WELL = 0.01  # F1: equal weights guide as well as a base's attention that gains no more over them
# Why the paper's λ doesn't do here what it did there.
WHY = (
    "Why ours and theirs differ isn't known; "
    "[our protocol](#appendix-how-the-adversaries-were-trained) is another one"
)
UNLIKE = {"JSD": 0.1, "TVD": 0.05, "F1": 0.05}  # ours is far from what is reported beyond this


# What the project carries


def carried(corpus: str) -> pd.DataFrame:
    """The rows of a real corpus: BiLSTM, additive attention, profile `paper`, all texts.

    Of runs as the profile has them and of others; `given` says what they were given.
    """
    rows = verdict.committed()
    kept = (rows["encoder"] == "bilstm") & (rows["attention"] == "additive") & (rows["class"] == "overall")
    rows = rows[kept & (rows["corpus"] == corpus) & (rows["profile"] == "paper")]
    return rows.assign(given=rows["given"].fillna(""))


def bases(corpus: str) -> pd.DataFrame:
    """The means of the base models of which trained adversaries are carried: a row a measure, a column a
    seed.
    """
    rows = verdict.plain(carried(corpus))
    pushed = rows.loc[rows["measure"] == "trained_jsd", "seed"]
    return rows[rows["seed"].isin(pushed)].pivot_table("mean", "measure", "seed")


def by_lambda(each: pd.DataFrame, kind: str) -> pd.DataFrame:
    """A number of the trained adversaries, a row a λ, a column a base. kind: `jsd`, `change` or `f1`."""
    of = each[each.index.str.startswith(f"{kind} lambda=")]
    return of.set_axis(of.index.str.split("=").str[1].astype(float)).sort_index()


def of_other_seeds(each: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The same of the other seeds, a row each."""
    of = each[each.index.str.startswith(f"{kind} seed ")]
    return of.set_axis(of.index.str.removeprefix(f"{kind} "))


def of_uniform(each: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The same of the model with uniform attention, one row."""
    return each[each.index == f"{kind} uniform"].set_axis(["uniform"])


def elsewhere() -> pd.DataFrame:
    """Trained adversaries, other seeds and uniform attention on real corpora, a row a model held against a
    base.

    Columns: corpus, base, kind (`adversary`, `seed`, `uniform`), name, best (whether it is), jsd, change, f1,
    f1_base.
    """
    found = []
    for corpus in CORPORA:
        each = bases(corpus)
        for base in each.columns:
            for kind, of in (("adversary", by_lambda), ("seed", of_other_seeds), ("uniform", of_uniform)):
                far, change, f1 = (of(each, number)[base].dropna() for number in ("jsd", "change", "f1"))
                for name in far.index:
                    is_best = kind == "adversary" and name == each.loc["best_lambda", base]
                    row = (corpus, base, kind, name, is_best, far[name], change[name], f1[name])
                    found.append((*row, each.loc["f1_base", base]))
    columns = ["corpus", "base", "kind", "name", "best", "jsd", "change", "f1", "f1_base"]
    return pd.DataFrame(found, columns=columns)


def by_base(models: pd.DataFrame) -> pd.DataFrame:
    """Of each base: its F1, its best adversary, JSD and change of other seeds on average, JSD of uniform
    attention (NaN where there is none).

    seed_low, seed_high: the interval of the seeds' mean change (NaN of one seed). imitation: the change of
    the adversary with the least λ, where it attends less than LITTLE away: it looks where the base looks, and
    so merely imitates. NaN where it doesn't.
    """
    keys = ["corpus", "base"]
    own = models[models["best"]].set_index(keys)[["jsd", "change", "f1", "f1_base"]]
    of_seeds = models[models["kind"] == "seed"].groupby(keys)
    seeds = of_seeds[["jsd", "change"]].mean().add_suffix("_seed")
    ends = [ends_of_mean(changes) for _, changes in of_seeds["change"]]
    seeds[["seed_low", "seed_high"]] = np.reshape(ends, (-1, 2))
    uniform = models[models["kind"] == "uniform"].set_index(keys)["jsd"].rename("jsd_uniform")
    least = least_pushed(models)
    imitation = least["change"].where(least["jsd"] < LITTLE).rename("imitation")
    return own.join(seeds, how="inner").join(uniform).join(imitation).reset_index()


def ends_of_mean(changes: pd.Series) -> tuple[float, float]:
    """Student's 95 % interval of the mean change of seeds; of one seed nothing is sure: NaN."""
    return stats.t_interval(changes.to_numpy(), (0, 1))[1:] if len(changes) > 1 else (np.nan, np.nan)


def least_pushed(models: pd.DataFrame) -> pd.DataFrame:
    """JSD and change of each base's adversary with the least λ. models: `elsewhere`'s."""
    adversaries = models[models["kind"] == "adversary"]
    adversaries = adversaries.sort_values("name", key=lambda name: name.astype(float))
    return adversaries.groupby(["corpus", "base"])[["jsd", "change"]].first()


def with_imitation(models: pd.DataFrame) -> pd.DataFrame:
    """The same rows with `by_base`'s imitation, seed_low and seed_high, and whether an adversary has the
    paper's λ, doubled (papers). models: `elsewhere`'s.
    """
    keys = ["corpus", "base"]
    papers = {corpus: papers_lambda(corpus) for corpus in models["corpus"].unique()}
    own = (models["kind"] == "adversary") & (models["name"] == models["corpus"].map(papers))
    of = by_base(models)[[*keys, "imitation", "seed_low", "seed_high"]]
    return models.assign(papers=own).merge(of, how="left", on=keys)


def papers_lambda(corpus: str) -> float:
    """The λ of the paper's best adversary of a real corpus, doubled as its TVD is."""
    return 2 * _told(corpus).loc[("best", "adversary"), "kl_weight"]


def between(values: pd.Series, form: str = "z.2f") -> str:
    """From the lowest to the highest, `0.02 to 0.04`; where both read alike, that alone."""
    low, high = (signed(end, form) for end in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def beyond_imitation(of: pd.DataFrame) -> tuple[str, str]:
    """What the best adversaries cost beyond imitation, in TVD, and of which base models that is known; both
    empty where no base can tell. of: `by_base`'s rows.
    """
    known = of.dropna(subset="imitation")
    if known.empty:
        return "", ""
    n, more = counted(len(of), "base model"), known["change"] - known["imitation"]
    return between(more), f"{len(known)} of {n}" if len(known) < len(of) else n


def free_of_cost(of: pd.DataFrame) -> tuple[int, int]:
    """How many best adversaries cost nothing beyond imitation, and of how many that is known. of: `by_base`'s
    rows.
    """
    more = (of["change"] - of["imitation"]).dropna()
    return int((more.round(2) <= 0).sum()), len(more)


def price(of: pd.DataFrame) -> str:
    """What that comes to as a sentence without its stop; empty where no base can tell."""
    more, whose = beyond_imitation(of)
    costs = "In these trainings attending elsewhere costs"
    return more and f"{costs} {more} TVD more than imitation alone ({whose})"


def badly_trained_of(models: pd.DataFrame) -> dict[tuple[str, int], list[float]]:
    """The λ of the adversaries that are badly trained, by corpus and base; of those with any.

    models: `elsewhere`'s.
    """
    found = {}
    for key, own in models[models["kind"] == "adversary"].groupby(["corpus", "base"], sort=False):
        changes = own.assign(name=own["name"].astype(float)).set_index("name")["change"].sort_index()
        found[key] = fallen(changes)
    return {key: badly for key, badly in found.items() if badly}


# In short


def in_short(run, models: pd.DataFrame, gained: pd.DataFrame, guided: pd.DataFrame) -> list[str]:
    """The chapter's answer, and that to each of its questions.

    models: `elsewhere`'s; gained: `with_and_without`'s; guided: `guides_beside`'s.
    """
    every, clear, said = by_base(models), clearly_nearer(best_beside_seeds(models)), {}
    if len(gained):
        said["A. Needed?"] = needed_in_short(gained)
    said["B. By chance?"] = chance_in_short(every)
    said["C. Elsewhere?"] = elsewhere_in_short(every, clear)
    said["D. A guide?"] = guide_in_short(guided)
    answered = [f"**{question}** {answer}" for question, answer in said.items() if answer]
    return [*([in_a_word(every)] if len(every) else []), *answered]


def which_bases(run, models: pd.DataFrame, gained: pd.DataFrame) -> str:
    """Which models and corpora the chapter speaks of, and how many seeds of each.

    models: `elsewhere`'s; gained: `with_and_without`'s.
    """
    parts = []
    for corpus, own in models.groupby("corpus", sort=False):
        others = own[own["kind"] == "seed"].groupby("base").size()
        seeds = " or ".join(str(n) for n in sorted({*others}))
        n = own["base"].nunique()
        beside = f", {'each ' if n > 1 else ''}beside {seeds} other seeds" if len(others) else ""
        parts.append(f"{CORPORA[corpus]} ({counted(n, 'base')}{beside})")
    here = (
        f"A model of {model_named(run)} is trained while this page runs: it is the example, and B and C tell "
        "of it."
    )
    if not parts:
        return here
    more = [
        f"{NAMES[name]} ({HOLDS[name]})"
        for name in HOLDS
        if (gained["corpus"].str.split().str[0] == name).any()
    ]
    added = f"; A adds {listed(more)}" if more else ""
    return (
        "*Which models?* [BiLSTMs with additive attention](glossary.md#encoder), of film reviews: "
        f"{listed(parts)}{added}. {here}"
    )


def needed_in_short(gained: pd.DataFrame) -> str:
    """Where learning attention adds something beyond chance; of one corpus at least."""
    several, above = beyond_seeds(gained)
    f1 = "[F1](glossary.md#f1)"
    if not several:
        corpora = counted(len(gained), "real corpus", "real corpora")
        gain = f"{between(gained['gain'], 'z.3f')} {f1}"
        return f"One can't tell. Learnt attention gains {gain} on {corpora}, from one seed each."
    lead, on = "It depends: learnt" if above else "Learnt", counted(several, "real corpus", "real corpora")
    return (
        f"{lead} attention gains {f1} [beyond chance](glossary.md#interval) on "
        f"{len(above) or 'none'} of {on} with several seeds."
    )


def beyond_seeds(gained: pd.DataFrame) -> tuple[int, list[str]]:
    """How many corpora have an interval over seeds, and those where it lies above 0."""
    return int(gained["low"].notna().sum()), gained.loc[gained["low"] > 0, "label"].tolist()


def chance_in_short(every: pd.DataFrame) -> str:
    """How far other seeds go beside equal weights, on real text; empty where that isn't known.

    every: `by_base`'s rows.
    """
    shares = (every["jsd_seed"] / every["jsd_uniform"]).dropna()
    if shares.empty:
        return ""
    far = f"{between(shares, '.0%')} as far away as equal weights"
    nearer = ", nearer than by chance" if (shares < 1).all() else ""
    return f"Other [seeds](glossary.md#seed) attend on average {far}{nearer}."


def no_nearer(run) -> tuple[int, int]:
    """How many of this run's other seeds lie as far from it as equal weights, or further, and of how many;
    of none where that isn't known.
    """
    rows, uniform = run.table("points"), uniform_of(run)
    seeds = rows.loc[rows["kind"] == "seed", "jsd"]
    if np.isnan(uniform):
        return 0, 0
    return int((seeds.round(2) >= round(uniform, 2)).sum()), len(seeds)


def guide_in_short(guided: pd.DataFrame) -> str:
    """What the base's attention is worth to a token-wise model; empty where that isn't stored.

    guided: `guides_beside`'s.
    """
    own, theirs = (helped(guided, less) for less in ("mlp_trained", "mlp_adversary"))
    if not own:
        return ""
    beaten = f"the adversary's for {theirs}" if theirs else f"the model's own for {own}"
    said = f"To a model reading single words the base's attention is better than {beaten}."
    return " ".join([said, *over_equal_in_short(guided)])


def over_equal(guided: pd.DataFrame) -> pd.DataFrame:
    """What the base's attention gains over equal weights as a guide, a row a base that tells; kind: `none`
    (at most AS_WELL), `noise` (no more than trainings with equal weights differ by), else `gain`.

    guided: `guides_beside`'s.
    """
    of = guided.drop_duplicates(["corpus", "base"]).dropna(subset=["over_equal"])
    return of.assign(kind=_kinds(of["over_equal"], of["noise"]))


def _kinds(gain: pd.Series, noise: pd.Series) -> np.ndarray:
    """`over_equal`'s kinds; where the noise isn't known (NaN) it hides nothing."""
    within = gain.round(3) <= noise.round(3)
    return np.select([gain <= AS_WELL, within], ["none", "noise"], "gain")


def over_equal_in_short(guided: pd.DataFrame) -> list[str]:
    """Which bases suggest that their attention guides better than equal weights; [] where none tells."""
    of = over_equal(guided)
    gains = of[of["kind"] == "gain"]
    if of.empty:
        return []
    if gains.empty:
        return ["Over equal weights none shows a sure gain."]
    only = "only " * (len(gains) < len(of))
    suggest, each = ("suggests", "") if len(gains) == 1 else ("suggest", " each")
    return [f"Over equal weights {only}{listed(_guided(gains))} {suggest} a gain (one training{each})."]


def beside_equal(guided: pd.DataFrame) -> str:
    """What the base's attention gains over equal weights, base by base; empty where none tells.

    guided: `guides_beside`'s.
    """
    of = over_equal(guided)
    none, noise, gains = (of[of["kind"] == kind] for kind in ("none", "noise", "gain"))
    said = []
    if len(none):
        on = listed(_guided(none))
        said.append(f"Against equal weights the base's shows no gain on {on} (at most {AS_WELL:g} F1).")
    if len(noise):
        by = between(noise["over_equal"], "z.3f")
        gains_over = f"it gains {by} F1" if said else f"the base's gains {by} F1 over equal weights"
        no_more = "no more than trainings with equal weights lie apart"
        said.append(f"On {listed(_guided(noise))} {gains_over}, {no_more}.")
    if len(gains):
        only, suggest = "Only " * bool(said), "suggests" if len(gains) == 1 else "suggest"
        over, trainings = "" if said else " over equal weights", "one training" + " each" * (len(gains) > 1)
        by = between(gains["over_equal"])
        said.append(f"{only}{listed(_guided(gains))} {suggest} a gain{over}: {by} F1, from {trainings}.")
    return " ".join(said)


def beside_own(guided: pd.DataFrame) -> str:
    """What the base's attention gains over the one that the token-wise model learns itself, by whether the
    interval lies above 0, holds it or lies below; empty where that isn't stored. guided: `guides_beside`'s.
    """
    of = guided[guided["less"] == "mlp_trained"]
    above, below = of["low"] > 0, of["high"] < 0
    parts = []
    kinds = {"clearly better": above, "clearly worse": below, "not clearly better": ~(above | below)}
    for kind, rows in kinds.items():
        if rows.any():
            by = between(of.loc[rows, "gain"], "+z.3f").replace("-", "−")
            parts.append(f"{kind} on {listed(_guided(of[rows]))} ({by} F1)")
    said = "Beside the attention that the token-wise model learns itself the base's guides"
    return f"{said} {', '.join(parts)}." if parts else ""


def easy_rival(guided: pd.DataFrame) -> str:
    """Whether the adversary's attention, where it guides clearly worse than the base's, guides worse than
    equal weights, too; empty where there is no such base, or that isn't stored.

    guided: `guides_beside`'s.
    """
    beaten = guided[(guided["less"] == "mlp_adversary") & (guided["low"] > 0)]
    beaten = beaten.dropna(subset=["theirs_over_equal"])
    worse, n = beaten[beaten["theirs_over_equal"] < 0], len(beaten)
    if worse.empty:
        return ""
    where = f"{len(worse)} of the {n} bases" if len(worse) < n else f"each of the {n} bases"
    where = "the one base" if n == 1 else where
    return (
        "An adversary is an easy rival: it is rewarded for avoiding the base's words. On "
        f"{where} whose attention guides clearly better, the adversary's is worse even than equal weights, "
        f"by {between(worse['theirs_over_equal'].abs())} F1."
    )


def _guided(of: pd.DataFrame) -> list[str]:
    """`SST base 0`, of each row of `guides_beside`."""
    return [f"{row.corpus} base {row.base}" for row in of.itertuples()]


def elsewhere_in_short(every: pd.DataFrame, clear: pd.Series) -> str:
    """Whether adversaries of real text attend elsewhere, and how like the base they predict; empty where none
    is stored.

    every: `by_base`'s rows; clear: `clearly_nearer`'s.
    """
    if every.empty:
        return ""
    far, n = (every["jsd"] > FAR).sum(), len(every)
    if far < n:
        return f"On {far or 'none'} of {counted(n, 'base')}."
    whose = f"each of {n} bases" if n > 1 else "the one base"
    away = f"{between(every['jsd'])} nats away ([JSD](glossary.md#jsd))"
    more = int((at_the_papers_lambda()["jsd"] <= FAR).sum())
    reward = f", {more} with more reward than the paper's" if more else ""
    said = [f"Yes: {whose} has an adversary {away}{reward}."]
    if no_more_than_seeds(every):
        said.append(
            f"It predicts nearer to its base than the average seed (clearly on {clear.sum() or 'none'})."
        )
    if cost := beyond_imitation(every)[0]:
        known = counted(every["imitation"].count(), "base")
        said.append(
            f"But probabilities move by {cost} more ([TVD](glossary.md#tvd)) than by mere imitation "
            f"({known})."
        )
    return " ".join(said)


def no_more_than_seeds(every: pd.DataFrame) -> bool:
    """Whether each best adversary's predictions differ from its base's no more than other seeds' on average.

    every: `by_base`'s rows.
    """
    return bool((every["change"] <= every["change_seed"]).all())


def tells_less(who: str) -> str:
    """Whether the adversary's heatmap tells less than the base's of what a model uses, corpus by corpus.

    By leave-one-out with its sign; empty where nothing is carried.
    """
    parts = []
    for corpus, row in _taus().iterrows():
        base, adversary = round(row.base_loo, 2), round(row.adversary_loo, 2)
        if max(abs(base), abs(adversary)) <= NEAR:
            parts.append(f"neither tells much on {corpus}")
        elif adversary < base:
            even = "even " if base < LOOSE else ""
            parts.append(f"{who} tells {even}less than the base's on {corpus}")
        else:
            parts.append(f"{who} tells no less than the base's on {corpus}")
    return listed(parts)


def in_a_word(every: pd.DataFrame) -> str:
    """The title's question, answered for film reviews. every: `by_base`'s rows, of one at least."""
    if not (every["jsd"] > FAR).any():
        return "It may be: for no model of film reviews was another found that attends far elsewhere."
    if agree(every) and no_more_than_seeds(every):
        return (
            "**On film reviews attention isn't arbitrary:** other seeds come nearer to it than equal "
            "weights. **But it isn't the only one:** another can predict about as seeds do, yet attend "
            "elsewhere."
        )
    return "Not the only one: a model of film reviews can be trained to attend far elsewhere."


def agree(every: pd.DataFrame) -> bool:
    """Whether other seeds attend on average nearer to the base than uniform attention, on each base.

    every: columns jsd_seed and jsd_uniform.
    """
    return bool((every["jsd_seed"] < every["jsd_uniform"]).all())


def _taus() -> pd.DataFrame:
    """Mean τ over the bases of a corpus, a row a corpus: of the base's attention with leave-one-out without
    its sign, with its sign, and relevance, and of the adversary's with the last two.
    """
    names = ["tau_loo", *(f"{who}_{kind}" for who in ("base", "adversary") for kind in SUPPORT)]
    found = {label: bases(corpus).reindex(names).mean(axis=1) for corpus, label in CORPORA.items()}
    return pd.DataFrame(found, index=names).T.dropna()


def lowest_tau() -> float:
    """The lowest mean τ, by base, of an adversary's attention with what it uses; NaN if none is stored."""
    each = [bases(corpus).reindex([f"adversary_{kind}" for kind in SUPPORT]) for corpus in CORPORA]
    return pd.concat(each, axis=1).min().min()


def scores_beside(run, own: pd.Series) -> str:
    """The best adversary's F1 beside the base's and other seeds', after a semicolon; empty where there is
    none.
    """
    of_base, of_seeds = f1_of(run), seeds_of(run.table("points"))["f1"]
    if np.isnan([of_base, own["f1"]]).any():
        return ""
    others = "" if np.isnan(of_seeds) else f", other seeds {of_seeds:.2f}"
    return f"; its F1 is {own['f1']:.2f} (base {of_base:.2f}{others})"


def f1_of(run) -> float:
    """F1 of a run on test; NaN where it has none."""
    return run.info()["scores"]["test"].get("f1", np.nan)


def looked_elsewhere(models: pd.DataFrame) -> str:
    """The finding of section C's figure; empty without rows."""
    of = by_base(models)
    if of.empty:
        return ""
    if not (of["jsd"] > FAR).all():
        return f"The best adversary (ringed) attends {between(of['jsd'])} nats away"
    said = "Adversaries attend elsewhere"
    if not no_more_than_seeds(of):
        return said
    free, known = free_of_cost(of)
    but = ", but further off than imitation" if known and not free else ""
    clearly = how_clearly(clearly_nearer(best_beside_seeds(models)))
    return f"{said} and predict nearer than the average seed ({clearly}){but}"


def best_beside_seeds(models: pd.DataFrame) -> pd.DataFrame:
    """The best adversary of each base beside other seeds, a row a base: what section C says of its figure.

    Columns: corpus, base, jsd, change, low, high (of the best adversary's change: its interval over texts),
    change_seed (of other seeds on average), seed_low, seed_high (the interval of that mean). models:
    `elsewhere`'s.
    """
    of, found = by_base(models), []
    for row in of.itertuples():
        rows = verdict.plain(carried(row.corpus))
        rows = rows[(rows["measure"] == "trained_change") & (rows["seed"] == row.base)]
        found.append(rows[["low", "high"]].iloc[0] if len(rows) else (np.nan, np.nan))
    ends = pd.DataFrame(found, columns=["low", "high"]).set_index(of.index)
    return of[["corpus", "base", "jsd", "change", "change_seed", "seed_low", "seed_high"]].join(ends)


def clearly_nearer(table: pd.DataFrame) -> pd.Series:
    """Whether each base's best adversary surely predicts nearer to it than the average seed: the two
    intervals don't meet. table: `best_beside_seeds`'.
    """
    return table["high"] < table["seed_low"]


def how_clearly(clear: pd.Series) -> str:
    """`clearly on 2 of 4 bases`. clear: `clearly_nearer`'s."""
    many, n = int(clear.sum()), len(clear)
    of = "all" if many == n > 1 else f"{many or 'none'} of"
    return f"clearly on {of} {counted(n, 'base')}"


def beside_seeds(table: pd.DataFrame) -> str:
    """How far the best adversaries go, and how much they move predictions, beside other seeds; empty without
    either. table: `best_beside_seeds`'.
    """
    if table.empty:
        return ""
    own = zip(bases_named(table), table["change"], table["change_seed"], strict=True)
    pairs = listed([f"{change:.3f} ({seeds:.3f}) on {name}" for name, change, seeds in own])
    said = (
        f"The best adversaries attend {between(table['jsd'])} nats away. Their probabilities lie this far "
        f"from the base's (in brackets: those of other seeds on average): {pairs}."
    )
    more, n = int((table["change"] > table["change_seed"]).sum()), counted(len(table), "base")
    if more:
        return f"{said} On {more} of {n} the adversary is further away than the average seed."
    clear = clearly_nearer(table)
    every = f"each of the {len(table)} bases" if len(table) > 1 else "the one base"
    said += f" On {every} the adversary predicts nearer to it than the average seed"
    if not clear.any():
        return f"{said}, but these seeds can't settle whether that is chance."
    said += f": clearly on {listed(bases_named(table[clear]))} (the 95% intervals don't meet)"
    if clear.all():
        return f"{said}."
    return f"{said}; on {listed(bases_named(table[~clear]))} these seeds can't settle it."


def here_beside_seeds(run) -> str:
    """Whether this run's best adversary, whose heatmap the chapter shows first, predicts nearer to its base
    than the average seed; empty without either, and of a corpus of which bases are carried.
    """
    own, seeds = best_point(run)["change"], seeds_of(run.table("points"))["change"]
    if run.params.corpus in CORPORA or np.isnan([own, seeds]).any():
        return ""
    nearer, name = "nearer" if own < seeds else "no nearer", inert(run.params.corpus)
    return (
        f"The example at the top isn't from these but from {name}. There, over all texts, the best "
        f"adversary's probabilities lie {own:.3f} from the base's, those of other seeds on average "
        f"{seeds:.3f}: it predicts {nearer} than the average seed."
    )


def bases_named(of: pd.DataFrame) -> list[str]:
    """`SST base 1`, of each row."""
    return [f"{CORPORA[row.corpus]} base {row.base}" for row in of.itertuples()]


def beside_imitation(models: pd.DataFrame) -> str:
    """The fair bar: how far a model that merely imitates lies from its base, and what attending elsewhere
    costs beyond that; empty where no base can tell. models: `elsewhere`'s.
    """
    of = by_base(models)
    known = of["imitation"].dropna()
    more, _ = beyond_imitation(of)
    if not more:
        return ""
    pushed = of[of["imitation"].isna()]
    away = least_pushed(models)["jsd"].reindex(pd.MultiIndex.from_frame(pushed[["corpus", "base"]]))
    why = f"even the least rewarded adversary already attends {between(away)} nats away"
    unknown = f" Of {listed(bases_named(pushed))} this is unknown: {why}." if len(pushed) else ""
    costs = "" if free_of_cost(of)[0] else " attending elsewhere costs something"
    alone = f"imitation alone moves probabilities by {between(known)}"
    return f"By the fair bar{costs}: {alone}, looking elsewhere by {more} more.{unknown}"


def how_to_read(models: pd.DataFrame) -> str:
    """How section C's figure is read; empty without rows. models: `elsewhere`'s."""
    of = by_base(models)
    if of.empty:
        return ""
    least = listed(least) if (least := least_is_the_papers(models)) else ""
    least = f" (on {least} also the least, so the same dot)" if least else ""
    said = [
        "*How to read it.* A panel is a base, which lies at 0. A dot is an adversary, a cross another seed: "
        f"means over test texts. Shaded: more than {FAR:g} nats away. Dashed: imitation alone, the dot with "
        "the least reward. From there a bar leads to the best adversary (ringed), and its length is written "
        "below. Dotted: the mean of the other seeds, in a band, its [interval](glossary.md#interval). The "
        f"adversaries' intervals, over the texts, aren't drawn. Diamond: the reward of the paper{least}."
    ]
    for corpus, own in least_pushed(models).groupby("corpus"):
        for base in own.index.unique("base"):
            if longer := trained_longer(corpus, own.xs(base, level="base", drop_level=False)):
                said.append(
                    f"[{CORPORA[corpus]} base {base}](#appendix-sst-base-by-base) looks unlike the "
                    f"others{longer}."
                )
    return " ".join(said)


def least_is_the_papers(models: pd.DataFrame) -> list[str]:
    """The corpora where no adversary was rewarded less than with the paper's λ. models: `elsewhere`'s."""
    adversaries = models[models["kind"] == "adversary"]
    least = adversaries["name"].astype(float).groupby(adversaries["corpus"], sort=False).min()
    return [CORPORA[corpus] for corpus, weight in least.items() if weight == papers_lambda(corpus)]


def scores_of_best(models: pd.DataFrame) -> str:
    """F1 of the best adversaries beside the bases'; empty without rows. models: `elsewhere`'s."""
    of = by_base(models).dropna(subset=["f1", "f1_base"])
    if of.empty:
        return ""
    f1, f1_base = between(of["f1"]), between(of["f1_base"])
    return (
        f"The adversaries classify nearly as well as their bases: F1 {f1} against {f1_base}."
        if (of["f1_base"] - of["f1"]).max() <= UNLIKE["F1"]
        else f"The adversaries classify with F1 {f1}, their bases with {f1_base}."
    )


def texts_of(corpus: str) -> float:
    """On how many texts the trained adversaries of a real corpus are measured."""
    rows = carried(corpus)
    return rows.loc[rows["measure"] == "trained_jsd", "n"].max()


def costs(models: pd.DataFrame) -> str:
    """The finding of the figure of every base on real text; empty without rows."""
    of = by_base(models)
    if of.empty:
        return ""
    return price(of) or f"The best adversaries attend {between(of['jsd'])} nats away"


def about_costs(models: pd.DataFrame) -> str:
    """How the figure of every base is read; empty without rows."""
    if by_base(models).empty:
        return ""
    return (
        "*A panel is a base, named by its seed; the line joins adversaries, from left to right with more "
        "reward λ. Dashed: the adversary with the least λ, where it merely imitates (attends less than "
        f"{LITTLE:g} nats away). Grey: adversaries as reported, read off Wiegreffe & Pinter's slides.*"
    )


# A. Is attention needed?


def with_and_without() -> pd.DataFrame:
    """F1 on real corpora with trained and with uniform attention, of the seeds that have both.

    Columns: corpus, label, seeds, trained, uniform (each a list over seeds), gain, low, high (Student's
    interval over seeds; of one seed NaN), reported_trained, reported_uniform (Wiegreffe & Pinter's).
    """
    rows = verdict.committed().query(
        "encoder == 'bilstm' and profile == 'paper' and measure == 'f1' and `class` == 'overall'"
    )
    both = verdict.marked(verdict.plain(rows)).pivot_table("mean", ["corpus", "seed"], "attention")
    both = both.reindex(columns=["additive", "uniform"]).dropna()
    found = []
    for name, of in both.groupby("corpus"):
        theirs = verdict.wiegreffe_pinter(name.removesuffix(" (part)")).query("experiment == 'uniform'")
        theirs = theirs.set_index("model")["f1"].reindex(["base", "uniform"])
        gain, low, high = stats.t_interval((of["additive"] - of["uniform"]).to_numpy(), (-1, 1))
        ends = (low, high) if len(of) > 1 else (np.nan, np.nan)
        each = (of["additive"].tolist(), of["uniform"].tolist())
        plain = name.removesuffix(" (part)")
        label = name.replace(plain, NAMES.get(plain, plain))
        found.append((name, label, len(of), *each, gain, *ends, *theirs))
    columns = "corpus label seeds trained uniform gain low high reported_trained reported_uniform".split()
    return pd.DataFrame(found, columns=columns).sort_values("gain", ignore_index=True)


def gains_by_training(gained: pd.DataFrame) -> str:
    """The finding of the figure of both; of one corpus at least."""
    said = f"Learnt attention gains {between(gained['gain'], 'z.3f')} F1"
    several, above = beyond_seeds(gained)
    if not several:
        return f"{said} over equal weights"
    return f"{said}, beyond chance on {len(above) or 'none'} of the {several} corpora with several seeds"


def needed_on_real_text(gained: pd.DataFrame) -> str:
    """On which corpora attention is shown to be of use, and on which not; of one corpus at least."""
    several, above = beyond_seeds(gained)
    if not several:
        one = "has one seed" if len(gained) == 1 else "have one seed each"
        return f"{listed(gained['label'].tolist())} {one}, which says nothing of another."
    if above:
        return f"The gain's interval over seeds lies above 0 on {listed(above)}."
    most = gained.loc[gained["high"].idxmax()]
    return (
        "So these models don't show that a task needs attention. Nor do so few seeds rule it out: on "
        f"{most['label']} the interval reaches {signed(most['high'], '+z.2f')}. If a task can be done "
        "without attention, where attention points needn't say anything about the task."
    )


def about_gains(gained: pd.DataFrame) -> str:
    """How the figure of these is read; of one corpus at least."""
    part = gained["label"].str.contains("(part)", regex=False).any()
    said = "(part): only a part of the corpus was read. " if part else ""
    untold = gained.loc[gained["reported_trained"].isna() | gained["reported_uniform"].isna(), "label"]
    if len(untold) == len(gained):
        return f"*{said.strip()}*" if said else ""
    none = f" (none for {listed(untold.tolist())})" if len(untold) else ""
    return f"*{said}Reported: read off Wiegreffe & Pinter's slides{none}.*"


def scored(f1: pd.DataFrame, name: str, form: str = ".2f") -> str:
    """A model's F1 with its interval over texts. f1: the table `guides`, by model."""
    value, low, high = f1.loc[name, ["f1", "low", "high"]]
    if np.isnan([low, high]).any():
        return number(value, form)
    return f"{value:{form}} ({low:{form}} to {high:{form}})"


def check_uniform(evidence) -> None:
    """Raises AssertionError unless each word of a text has the same weight."""
    assert all(np.allclose(row.attention, 1 / len(row.attention)) for row in evidence)


def whose(run) -> str:
    """Which model the chapter calls the base where it doesn't speak of stored runs."""
    return f"Where no real corpus is named, the base is this run's model: {model_named(run)}."


def needed(f1: pd.DataFrame, what: str) -> list[str]:
    """Whether attention is needed: F1 of the base, of uniform attention, and their difference.

    what: what F1 is of, as `f1_called` says it.
    """
    said = [
        f"With trained attention the {what} is {scored(f1, 'base')}, with uniform attention "
        f"{scored(f1, 'uniform')}: a difference of {scored(f1, 'base_minus_uniform', '+.3f')}."
    ]
    low, high = f1.loc["base_minus_uniform", ["low", "high"]]
    if np.isnan([low, high]).any():
        return said
    if low > 0:
        return [
            *said,
            "This model predicts better with its attention than without. Other seeds may differ.",
        ]
    if high < 0:
        return [
            *said,
            "This model predicts worse with its attention than without. Other seeds may differ.",
        ]
    return [*said, "The interval includes 0, so these texts don't show whether attention is needed."]


# B. How far does attention move by chance?


def against_the_base(run, table: pd.DataFrame, others: dict, f1: str) -> pd.DataFrame:
    """A row a model: mean JSD and TVD to the base, and its F1, which is called f1.

    table: `seeds`, of texts of two units or more. Raises AssertionError if a JSD is above ln 2.
    """
    assert table["other_jsd"].max() <= np.log(2)
    means = table.groupby("model", sort=False)[["other_jsd", "other_change"]].mean().reset_index()
    means[f1] = [f1_of(others[name]) for name in means["model"]]
    means.loc[len(means)] = ["the base itself", 0, 0, f1_of(run)]
    return means.rename(columns={"other_jsd": "mean JSD (nats)", "other_change": "mean TVD"})


def beyond_chance(panels: dict[str, pd.DataFrame], named: dict[str, str]) -> str:
    """How far the search and other seeds go on average: the finding of the figure of all three.

    panels: `experiments.not_not.panels`' three; named: `median_called`'s.
    """
    median, searches, _ = (table["other_jsd"].mean() for table in panels.values())
    (others,) = named.values()
    return f"On average the search moves attention by {searches:.2f} nats ({others}: {median:.2f})"


def which_case(table: pd.DataFrame, panels: dict[str, pd.DataFrame]) -> str:
    """Section B's question answered for this run: does the search go where other seeds go?

    table: `seeds`; panels: `experiments.not_not.panels`' three.
    """
    median, searches, _ = panels.values()
    trained = table[table["model"] != "uniform"]
    most = trained.groupby("id")["other_jsd"].max().loc[median["id"]].to_numpy()
    further = (searches["other_jsd"].to_numpy() > most).mean()
    seeds = trained["model"].nunique()
    whom = "the other seed" if seeds == 1 else f"each of the {seeds} other seeds"
    said = f"In {further:.0%} of the texts the search goes further than {whom}"
    share = median["other_jsd"].mean() / searches["other_jsd"].mean()
    if np.isnan(share):
        return f"{said}."
    part = f"other seeds go {share:.0%} of its way on average"
    if share < 0.5:
        training = f"training on the labels, from {counted(seeds, 'other seed')},"
        return f"{said}; {part}. So {training} didn't lead as far as the search."
    if share < 0.9:
        return f"{said}; {part}. So here it goes further than training does, but not far further."
    return f"{said}; {part}. So here the search found nothing remarkable."


def median_called(table: pd.DataFrame) -> dict[str, str]:
    """What the median of other seeds is called in a legend: of two it is their mean. table: `seeds`."""
    n = table.loc[table["model"] != "uniform", "model"].nunique()
    named = {1: "another seed", 2: "mean of 2 other seeds"}.get(n, f"median of {n} other seeds")
    return {"other seeds, median": named}


def reported_seeds(reported: pd.DataFrame) -> str:
    """What the paper's eight seeds are reported to do; empty if it doesn't say. reported: of one corpus."""
    theirs = reported[reported["experiment"] == "seeds"].set_index("model")
    if theirs.empty:
        return ""
    ends = theirs.assign(tvd=2 * theirs["tvd"]).loc[["lowest", "highest"]]
    said = [f"{n.upper()} {ends[n].iloc[0]:.2f} to {ends[n].iloc[1]:.2f}" for n in ("jsd", "tvd")]
    return (
        f"The paper's eight seeds ({theirs['source'].iloc[0]}; TVD doubled, see the appendix): mean "
        f"{listed(said)}."
    )


def chance_on_real_text() -> pd.DataFrame:
    """How far other seeds and uniform attention lie from real bases.

    Columns: corpus, base, texts, kind (of `figures.RIVALS`), jsd.
    """
    found = []
    for corpus, label in CORPORA.items():
        each, texts = bases(corpus), texts_of(corpus)
        for base in each.columns:
            far = of_other_seeds(each, "jsd")[base].dropna()
            found += [(label, base, texts, "seed", jsd_) for jsd_ in far]
            if "jsd uniform" in each.index:
                found.append((label, base, texts, "uniform", each.loc["jsd uniform", base]))
    return pd.DataFrame(found, columns=["corpus", "base", "texts", "kind", "jsd"])


def chance_here(run) -> pd.DataFrame:
    """The same of this run."""
    rows, n = run.table("points"), run.table("seeds")["id"].nunique()
    rows = rows[rows["kind"].isin(["seed", "uniform"])][["kind", "jsd"]]
    return rows.assign(corpus=run.params.corpus, base=run.params.seed, texts=n)


def shuffled(run) -> float:
    """How far a run's attention lies on average from itself once its weights are shuffled within each text:
    mean JSD over the texts of the table `seeds` and `permutations` orders of each.

    Equal weights, the mean of all orders, lie no further away: the JSD is convex.
    """
    p, far, asked = run.params, [], {*run.table("seeds")["id"]}
    for row in run.evidence:
        if row.id in asked:
            orders = permuted(row.attention, p.permutations, p.seed, row.id)
            far.append(jsd(orders, row.attention).mean())
    return float(np.mean(far))


def by_kind(table: pd.DataFrame) -> pd.DataFrame:
    """Mean and largest JSD of each kind, a row a base. table: `chance_on_real_text`'s."""
    kinds = ["seed", "uniform"]
    wide = table.groupby(["corpus", "base", "kind"], sort=False)["jsd"].agg(["mean", "max"]).unstack()
    return wide.reindex(columns=pd.MultiIndex.from_product([["mean", "max"], kinds]))


def beyond_on_real_text(table: pd.DataFrame, run=None) -> str:
    """How far other seeds go on real text, and of a run, beside equal weights: a figure's finding. table: of
    one row at least.
    """
    of, (as_far, n) = by_kind(table), (0, 0) if run is None else no_nearer(run)
    if (of["max", "seed"] < of["mean", "uniform"]).all():
        isn_t = "isn't" if as_far == 1 else "aren't"
        but = f"; on {text_for(run.params.corpus, 'figure')} {as_far} of {n} {isn_t}" if as_far else ""
        return f"Other seeds are nearer to the base than equal weights{but}"
    seeds, even = (between(of["mean", kind]) for kind in ("seed", "uniform"))
    return f"On film reviews other seeds attend {seeds} nats from the base on average, equal weights {even}"


def about_chance(stored: pd.DataFrame, here: pd.DataFrame) -> str:
    """How the figure of these is read. stored, here: `chance_on_real_text`'s and `chance_here`'s rows."""
    texts = [
        f"{n:,.0f} ({corpus})"
        for corpus, n in pd.concat([stored, here]).groupby("corpus", sort=False)["texts"].max().items()
    ]
    return (
        "*How to read it.* A row is a base model, named by its seed; a cross is another seed, at its mean "
        f"over the texts: {inert(listed(texts))}. Crosses stand high or low only to keep them apart. "
        "Compare within a row: the distance depends on how unevenly the base attends."
    )


def seeds_beside(table: pd.DataFrame) -> str:
    """How far other seeds go beside equal weights, by base; empty where that isn't known.

    table: `chance_on_real_text`'s.
    """
    of = by_kind(table)
    even = of["mean", "uniform"]
    if of.empty or even.isna().any():
        return ""
    shares = (of["mean", "seed"] / even).sort_values()
    single = (of["max", "seed"] / even).max()
    ends = [f"{share:.0%} ({corpus}, base {base})" for (corpus, base), share in shares.iloc[[0, -1]].items()]
    ends = " to ".join(ends if len(shares) > 1 else ends[:1])
    return (
        f"Other seeds of a film-review model lie on average {ends} as far away as equal weights; the "
        f"furthest single one, {single:.0%}."
    )


def beside_shuffled(run) -> str:
    """Where some of this run's seeds lie no nearer than equal weights: whether the furthest one lies nearer
    than the base's own weights, shuffled; empty where all are nearer.
    """
    if not no_nearer(run)[0]:
        return ""
    far, even, by_chance = furthest(run), uniform_of(run), shuffled(run)
    said = (
        f"On {inert(run.params.corpus)} the furthest seed ({far:.2f}) is no nearer to the base than equal "
        f"weights ({even:.2f})."
    )
    own = f"the base's own weights, shuffled, lie {by_chance:.2f} away"
    return f"{said} {'Yet it is' if far < by_chance else 'Nor is it'} nearer than chance: {own}."


def furthest(run) -> float:
    """JSD of the one of this run's other seeds that lies furthest from it; NaN of none."""
    points = run.table("points")
    return points.loc[points["kind"] == "seed", "jsd"].max()


def moved_by_chance(median: pd.DataFrame, epsilon: float) -> str:
    """In how many texts another seed moves the prediction by more than ε: the finding of its figure."""
    more = (median["other_change"] > epsilon).mean()
    least = f"ε\u00a0=\u00a0{epsilon:g}"
    return f"In {more:.0%} of the texts other seeds move the prediction by more than {least} on average"


# D. Is attention worth anything to another model?


def check_guides(guides: dict, evidence) -> None:
    """Raises AssertionError unless the given weights are the base's, and nothing in the model could learn
    them.
    """
    guided = guides["mlp_base"]
    assert np.allclose(guided.evidence[0].attention, evidence[0].attention)
    assert not [name for name, _ in guided.model().named_parameters() if name.startswith("attention")]


def worth(f1: pd.DataFrame) -> str:
    """What the base's attention is worth to a token-wise model: the finding of the figure of all models."""
    own, given, fooled = (f1.loc[name, "f1"] for name in ("mlp_trained", "mlp_base", "mlp_adversary"))
    if np.isnan([own, given, fooled]).any():
        return "The scores of the token-wise models are undefined"
    return (
        f"A token-wise model reaches F1 {given:.2f} with the base's attention, {fooled:.2f} with the "
        f"adversary's, {own:.2f} with its own"
    )


def differences(f1: pd.DataFrame) -> pd.DataFrame:
    """What a token-wise model gains from one attention instead of another, a row a difference.

    f1: the table `guides`, by model. Where it has no difference of two, that of their F1 has no interval.
    """
    found = []
    for (name, less), both in DIFFERENCES.items():
        label = f"{name}_minus_{less}"
        plain = signed(f1.loc[name, "f1"] - f1.loc[less, "f1"], "+z.2f")
        gained = f"{plain} (interval not stored)"
        if label in f1.index:
            gained = scored(f1, label, "+.2f").replace("-", "−")
        found.append((*both, gained))
    return pd.DataFrame(found, columns=["attention", "instead of", "F1 gained (95 %)"])


def use(f1: pd.DataFrame, own: pd.Series) -> str:
    """Section D's question answered for this run. own: the best adversary's point."""
    gain, of_other = f1.loc["mlp_base_minus_mlp_trained"], f1.loc["mlp_adversary_minus_mlp_uniform"]
    if gain[["f1", "low", "high"]].isna().any():
        return ""
    more = (
        "helps it more than its own does" if gain["low"] > 0 else "isn't shown to help it more than its own"
    )
    said = f"So the base's attention {more}."
    if gain["low"] > 0 and of_other["low"] > 0:
        worse = f1.loc["mlp_base_minus_mlp_adversary"]
        beside = "a worse guide, but" if worse["low"] > 0 else "not shown to be a worse guide:"
        said += (
            f" The adversary's, {own['jsd']:.2f} nats from it, is {beside} it helps, too: F1 "
            f"{f1.loc['mlp_adversary', 'f1']:.2f} against {f1.loc['mlp_uniform', 'f1']:.2f} with uniform "
            "weights. So being of use doesn't show that a heatmap is the base's."
        )
    return said


def looked_up(reported: pd.DataFrame) -> pd.DataFrame:
    """The published numbers that could be looked up; those quoted from memory are left out."""
    return reported[~reported["source"].astype(str).str.contains("unverified")]


def guides_on_real_text() -> pd.DataFrame:
    """F1 of `guides` on real text, a row a model and base: corpus, model, base, f1."""
    found = []
    for corpus, label in CORPORA.items():
        each = bases(corpus)
        for name in MODELS:
            if f"f1_{name}" in each.index:
                found += [(label, name, base, each.loc[f"f1_{name}", base]) for base in each.columns]
    return pd.DataFrame(found, columns=["corpus", "model", "base", "f1"])


def guides_beside() -> pd.DataFrame:
    """What the base's attention gains a token-wise model on real text, a row a base and what it is instead
    of.

    Columns: corpus, base, less (`mlp_trained`, its own, or `mlp_adversary`), gain (F1), low, high (over
    texts), over_equal and theirs_over_equal (what it and the adversary's gain over equal weights, NaN where
    that isn't stored), noise (`apart`, of the corpus's trainings with equal weights).
    """
    found = []
    for corpus, label in CORPORA.items():
        rows, each = verdict.plain(carried(corpus)), bases(corpus)
        seeds, f1 = (
            each.columns,
            each.reindex([f"f1_mlp_{name}" for name in ("base", "adversary", "uniform")]),
        )
        over, noise = f1 - f1.loc["f1_mlp_uniform"], apart(f1.loc["f1_mlp_uniform"])
        for less in ("mlp_trained", "mlp_adversary"):
            of = rows[(rows["measure"] == f"f1_mlp_base_minus_{less}") & rows["seed"].isin(seeds)]
            found += [
                (label, row.seed, less, row.mean, row.low, row.high, *over[row.seed].iloc[:2], noise)
                for row in of.itertuples()
            ]
    columns = ["corpus", "base", "less", "gain", "low", "high", "over_equal", "theirs_over_equal", "noise"]
    return pd.DataFrame(found, columns=columns)


def apart(f1: pd.Series) -> float:
    """How far the F1 of trainings lie apart at most; NaN of fewer than two."""
    f1 = f1.dropna()
    return f1.max() - f1.min() if len(f1) > 1 else np.nan


def helped(guided: pd.DataFrame, less: str) -> str:
    """For how many bases the interval over texts of the gain lies above 0: `1 of 4 bases`; empty if none is
    stored. guided: `guides_beside`'s.
    """
    of = guided[guided["less"] == less]
    above = int((of["low"] > 0).sum())
    return f"{above or 'none'} of {counted(len(of), 'base')}" if len(of) else ""


def worth_on_real_text(guided: pd.DataFrame) -> str:
    """The finding of the figure of these; of one row at least."""
    own, theirs = (helped(guided, less) for less in ("mlp_trained", "mlp_adversary"))
    rival = f"the adversary's for {theirs}" if theirs else f"the token-wise model's own for {own}"
    said = f"The base's attention guides clearly better than {rival}"
    return "; ".join([said, *(f"o{end[1:-1]}" for end in over_equal_in_short(guided))])


def serves_as_well(guided: pd.DataFrame) -> str:
    """On which bases an adversary's attention guides about as well as the base's, and whether either surely
    gains on equal weights; empty without one that reads better than they do. guided: `guides_beside`'s.
    """
    alike = (guided["less"] == "mlp_adversary") & (guided["low"] <= 0) & (guided["gain"] <= AS_WELL)
    own = guided[alike & (guided["theirs_over_equal"] > AS_WELL)]
    if own.empty:
        return ""
    said = (
        f"On {listed(_guided(own))} the adversary's guides about as well as the base's. That speaks for Jain "
        "& Wallace: two unlike heatmaps serve alike."
    )
    gains = own[["over_equal", "theirs_over_equal"]].apply(lambda gain: _kinds(gain, own["noise"]) == "gain")
    return said if gains.any(axis=None) else f"{said} But neither surely serves better than equal weights."


def guides_counted(table: pd.DataFrame) -> str:
    """How the figure of guides is read, and what its intervals don't cover.

    table: `guides_on_real_text`'s.
    """
    said = (
        "*How to read it.* A mark is the F1 with the base's attention less that with another. Line: its 95% "
        "interval (none is stored beside equal weights). *Clearly*: the interval lies above 0. It covers the "
        "choice of texts, not another training."
    )
    even = table[table["model"] == "mlp_uniform"].groupby("corpus", sort=False)["f1"]
    far = even.agg(apart).dropna()
    if far.empty:
        return said
    corpus, n = far.idxmax(), even.size()[far.idxmax()]
    return (
        f"{said} And trainings differ: with equal weights the {n} of {corpus}, each with its base's seed, "
        f"lie up to {far.max():.3f} F1 apart."
    )


def key_argument(guided: pd.DataFrame) -> str:
    """Whether the paper reports that the base's attention is the better guide; empty where ours isn't stored.

    guided: `guides_beside`'s.
    """
    own, theirs = (helped(guided, less) for less in ("mlp_trained", "mlp_adversary"))
    told = guides_reported()
    if not own or not theirs or not told:
        return ""
    where = "[appendix](#appendix-f1-beside-the-papers-and-what-is-far-from-it)"
    return (
        f"Wiegreffe & Pinter report that the base's is the best guide, on {listed(told)}; we couldn't check "
        f"all of their numbers ({where})."
    )


def guides_reported() -> list[str]:
    """On which corpora the base's attention is reported to guide better than both others."""
    found = []
    for corpus, label in CORPORA.items():
        told = verdict.wiegreffe_pinter(corpus).query("experiment == 'guide'").set_index("model")["f1"]
        others = [told.get(f"mlp_{name}", np.nan) for name in ("trained", "adversary")]
        if all(told.get("mlp_base", np.nan) > other for other in others):
            found.append(label)
    return found


def beside_the_adversarys(gains: pd.DataFrame) -> pd.DataFrame:
    """The rows of the base's attention instead of the adversary's. gains: `gains_by_attention`'s."""
    return gains[(gains["name"] == "mlp_base") & (gains["less"] == "mlp_adversary")]


def lower(gain: float) -> str:
    """By how much something is lower than what it is held against, which gains so much on it."""
    return f"{abs(gain):.2f} {'lower' if gain >= 0 else 'higher'}"


def worse_guide(gains: pd.DataFrame) -> str:
    """By how much the adversary's attention is a worse guide than the base's; empty where that isn't stored.

    gains: `gains_by_attention`'s.
    """
    parts = []
    for row in beside_the_adversarys(gains).itertuples():
        many = f"{row.above:.0f} of {counted(row.bases, 'base')}"
        sure = "" if np.isnan(row.above) else f" (interval over texts below 0 for {many})"
        parts.append(f"{lower(row.mean)} on {row.corpus}{sure}")
    if not parts:
        return ""
    return f"With the adversary's attention instead of the base's its F1 is {listed(parts)}."


def which_adversary(run) -> str:
    """That this run's best adversary isn't one of the badly trained, or is; nothing where none is."""
    badly = [f"{weight:g}" for weight in badly_trained(run)]
    if not badly:
        return ""
    own, others = f"λ = {best(run):g}", f"λ = {listed(badly)}"
    if best(run) in badly_trained(run):
        return f"This adversary, the best one ({own}), is badly trained (next appendix)."
    another = "is another" if len(badly) == 1 else "are others"
    return f"This adversary is the best one, {own}. Badly trained {another}, {others} (next appendix)."


def gained_by_adversary(table: pd.DataFrame) -> pd.Series:
    """F1 that the adversary's attention gains a token-wise model instead of uniform attention, by corpus:
    means over base models. table: `guides_on_real_text`'s.
    """
    means = table.groupby(["corpus", "model"], sort=False)["f1"].mean().unstack()
    return means["mlp_adversary"] - means["mlp_uniform"]


def may_help(run, f1: pd.DataFrame, table: pd.DataFrame) -> str:
    """Whether weights that were trained to lie elsewhere help a token-wise model, here and on real text.

    f1: the table `guides`, by model; table: `guides_on_real_text`'s.
    """
    gains = {inert(run.params.corpus): f1.loc["mlp_adversary_minus_mlp_uniform", "f1"]}
    gains |= gained_by_adversary(table).to_dict() if len(table) else {}
    gains = {corpus: gain for corpus, gain in gains.items() if not np.isnan(gain)}
    if not gains:
        return ""
    helps, harms = (
        [f"{corpus} ({signed(gain, '+z.2f')})" for corpus, gain in gains.items() if (gain > 0) == wanted]
        for wanted in (True, False)
    )
    said = [f"it does on {listed(helps)}"] if helps else []
    said += [f"it doesn't on {listed(harms)}"] if harms else []
    return (
        "Does even the adversary's attention help it more than uniform attention? By mean F1 "
        f"{', '.join(said)}."
    )


def gains_by_attention() -> pd.DataFrame:
    """F1 of a token-wise model on real text with one attention less that with another.

    Columns: corpus, name, less, mean, lowest, highest (over base models), bases, above and below (of how many
    the interval over texts lies there; NaN where none is stored).
    """
    found = []
    for corpus, label in CORPORA.items():
        rows, each = verdict.plain(carried(corpus)), bases(corpus)
        for name, less in DIFFERENCES:
            if {f"f1_{name}", f"f1_{less}"} <= {*each.index}:
                gains = (each.loc[f"f1_{name}"] - each.loc[f"f1_{less}"]).dropna()
                of = rows[(rows["measure"] == f"f1_{name}_minus_{less}") & rows["seed"].isin(gains.index)]
                sure = ((of["low"] > 0).sum(), (of["high"] < 0).sum()) if len(of) else (np.nan, np.nan)
                numbers = (gains.mean(), gains.min(), gains.max(), len(gains), *sure)
                found.append((label, name, less, *numbers))
    columns = "corpus name less mean lowest highest bases above below".split()
    return pd.DataFrame(found, columns=columns)


def gains_on_real_text(gains: pd.DataFrame) -> pd.DataFrame:
    """The same for readers, a row a difference, a column a corpus. gains: `gains_by_attention`'s."""
    found = {}
    for row in gains.itertuples():
        attention, instead = DIFFERENCES[row.name, row.less]
        said = signed(row.mean, "+z.3f")
        if row.bases > 1:
            said += f" ({signed(row.lowest, '+z.3f')} to {signed(row.highest, '+z.3f')})"
        if not np.isnan(row.above):
            said += f"; above 0: {row.above:.0f} of {row.bases}"
            said += f", below: {row.below:.0f}" if row.below else ""
        found.setdefault((attention, instead), {})[row.corpus] = said
    table = pd.DataFrame.from_dict(found, orient="index").fillna("–")
    return table.rename_axis(["attention", "instead of"]).reset_index()


# D. Can a model be made to look elsewhere?


def adversaries_of(points: pd.DataFrame) -> pd.DataFrame:
    """The rows of the trained adversaries, by λ."""
    return points[points["kind"] == "adversary"].sort_values("kl_weight", ignore_index=True)


def seeds_of(points: pd.DataFrame) -> pd.Series:
    """JSD, change and F1 of another seed on average."""
    return points.loc[points["kind"] == "seed", ["jsd", "change", "f1"]].mean()


def best_point(run) -> pd.Series:
    """The point of the best adversary."""
    return adversaries_of(run.table("points")).set_index("kl_weight").loc[best(run)]


def opposed(run) -> str:
    """How far the best adversary gets: the finding of Figure 5."""
    own, chance = best_point(run), seeds_of(run.table("points"))
    return (
        f"The best adversary attends {own['jsd']:.2f} nats away (another seed {chance['jsd']:.2f}) and moves "
        f"predictions by {own['change']:.2f} ({chance['change']:.2f})"
    )


def imitates(run) -> bool:
    """Whether this run's adversary with the least λ attends so near to the base that it merely imitates."""
    return bool(adversaries_of(run.table("points")).iloc[0]["jsd"] < LITTLE)


def badly_trained(run) -> list[float]:
    """The λ of this run's adversaries that are: TVD falls where λ grows. There may be more."""
    return fallen(adversaries_of(run.table("points")).set_index("kl_weight")["change"])


def at_least(run) -> str:
    """`at least 1 of 3 adversaries is`, of those that are badly trained."""
    badly, every = len(badly_trained(run)), len(adversaries_of(run.table("points")))
    return f"at least {badly} of {every} adversaries {'is' if badly == 1 else 'are'}"


def imitation_here(run) -> str:
    """What imitation alone costs this run's adversaries, or that none of them merely imitates."""
    least = adversaries_of(run.table("points")).iloc[0]
    if imitates(run):
        return f"Imitation alone costs {least['change']:.2f} TVD here."
    return (
        "None of this run's adversaries merely imitates: with the least λ it already attends "
        f"{least['jsd']:.2f} nats away. So here the price of looking elsewhere can't be told apart from that "
        "of imitating."
    )


def top(points: pd.DataFrame) -> float:
    """Where the y axis of Figure 5 ends: above all but the optimum."""
    return max(1.15 * points.loc[points["kind"] != "optimum", "change"].max(), 0.12)


def reported_best(reported: pd.DataFrame) -> list[str]:
    """What the paper reports of its best adversary, if it does. reported: of one corpus."""
    return [
        f"The paper ({b.source}): λ = {2 * b.kl_weight:g}, F1 {b.f1:.2f}, TVD {2 * b.tvd:.3f}, JSD "
        f"{b.jsd:.2f}."
        for b in reported[reported["experiment"] == "best"].itertuples()
    ]


UNSURE = "*"  # behind a published number that is quoted from memory
DRAWN = 0.005  # a point on the slides this near has the same JSD and TVD


def table4(corpus: str) -> pd.DataFrame:
    """Mean JSD and TVD on a real corpus of what a base is held against, here and as reported."""
    each, told = bases(corpus), _told(corpus)
    if each.empty:
        return pd.DataFrame()
    far, change = (of_other_seeds(each, kind).stack().dropna() for kind in ("jsd", "change"))
    most = f"at most {resolve({'corpus': corpus}).epsilon:g}"
    ours = {
        "best adversary": (ranged(each.loc["trained_jsd"]), ranged(each.loc["trained_change"])),
        "another seed": (ranged(far), ranged(change)),
        "uniform attention": tuple(ranged(each.loc[f"{kind} uniform"]) for kind in ("jsd", "change")),
        "search, text by text": (ranged(each.loc["found"]), most),
    }
    theirs = {
        "best adversary": ("best", "adversary"),
        "uniform attention": ("curve", "uniform"),
        "search, text by text": ("curve", "search"),
    }
    found = []
    for model, (jsd_, tvd_) in ours.items():
        ends = [theirs[model]] if model in theirs else [("seeds", "lowest"), ("seeds", "highest")]
        jsd_told, tvd_told = (
            " to ".join(_reported(told.loc[end], kind) for end in ends) for kind in ("jsd", "tvd")
        )
        found.append((model, jsd_, jsd_told, tvd_, tvd_told))
    return pd.DataFrame(found, columns=["model", "JSD", "reported", "TVD", "reported TVD"])


def _told(corpus: str) -> pd.DataFrame:
    """What the paper reports of a corpus, by experiment and model; TVDs are doubled.

    unsure: of which numbers nothing but memory tells, `f1 jsd tvd`. A best adversary's JSD and TVD are sure
    where the slides have a point there.
    """
    theirs = verdict.wiegreffe_pinter(corpus)
    theirs = theirs.assign(tvd=2 * theirs["tvd"])
    points = theirs.query("experiment == 'curve' and model == 'adversary'")[["jsd", "tvd"]]
    theirs = theirs.drop_duplicates(["experiment", "model"]).set_index(["experiment", "model"])
    unsure = []
    for row in theirs.itertuples():
        drawn = ((points - [row.jsd, row.tvd]).abs().max(axis=1) < DRAWN).any()
        unsure.append(("f1" if drawn else "f1 jsd tvd") if "unverified" in row.source else "")
    return theirs.assign(unsure=unsure)


def _reported(row: pd.Series, kind: str) -> str:
    """A published number, with a mark where it couldn't be verified. row: `_told`'s."""
    return f"{row[kind]:.2f}{UNSURE if kind in row['unsure'] else ''}"


def table4_f1() -> pd.DataFrame:
    """F1 on real text of the base models, the models of `table4` and the token-wise ones, here and as
    reported.
    """
    found = {}
    for corpus, label in CORPORA.items():
        each, told = bases(corpus), _told(corpus)
        if len(each):
            of_seeds = of_other_seeds(each, "f1").stack()
            ours = {
                "base": (each.loc["f1_base"], ("uniform", "base")),
                "best adversary": (each.loc["f1_adversary"], ("best", "adversary")),
                "another seed": (of_seeds, None),
                "uniform attention": (each.loc["f1 uniform"], ("uniform", "uniform")),
            }
            ours |= {
                MODELS[name]: (each.loc[f"f1_{name}"], ("guide", name))
                for name in MODELS
                if name.startswith("mlp") and f"f1_{name}" in each.index
            }
            found[label] = {name: ranged(values) for name, (values, _) in ours.items()}
            found[f"{label}, reported"] = {
                name: "–" if key is None else _reported(told.loc[key], "f1")
                for name, (_, key) in ours.items()
            }
    return pd.DataFrame(found).rename_axis("F1").reset_index()


def unlike_reported() -> pd.DataFrame:
    """Where our means are further than UNLIKE from what is reported: corpus, what, ours, reported."""
    found = []
    for corpus, label in CORPORA.items():
        for measure, what, ours, theirs in _both(corpus):
            if abs(ours - theirs[measure.lower()]) > UNLIKE[measure]:
                told = _reported(theirs, measure.lower())
                found.append((label, f"{measure}: {what}", f"{ours:.2f}", told))
    return pd.DataFrame(found, columns=["corpus", "what", "ours", "reported"])


def _both(corpus: str):
    """What is carried of a corpus and reported, too: measure, what it is of, our mean, the reported row."""
    each, theirs = bases(corpus), _told(corpus)
    pairs = [
        ("JSD", "best adversary", "trained_jsd", ("best", "adversary")),
        ("TVD", "best adversary", "trained_change", ("best", "adversary")),
        ("JSD", "uniform attention", "jsd uniform", ("curve", "uniform")),
        ("TVD", "uniform attention", "change uniform", ("curve", "uniform")),
        ("JSD", "search", "found", ("curve", "search")),
        ("F1", "base", "f1_base", ("uniform", "base")),
        ("F1", "uniform attention", "f1_uniform", ("uniform", "uniform")),
        ("F1", "best adversary", "f1_adversary", ("best", "adversary")),
    ]
    pairs += [("F1", MODELS[name], f"f1_{name}", ("guide", name)) for name in MODELS if "mlp" in name]
    for measure, what, name, key in pairs:
        if name in each.index and key in theirs.index:
            yield measure, what, each.loc[name].mean(), theirs.loc[key]


def at_the_papers_lambda() -> pd.DataFrame:
    """Our adversaries of real text with the paper's λ, doubled, a row each: corpus, base, jsd, whether that
    base's adversaries get more than FAR away with any λ (ever), and the least λ that does it, as a multiple
    of the paper's (times; else NaN).
    """
    found = []
    for corpus in CORPORA:
        far, weight = by_lambda(bases(corpus), "jsd"), papers_lambda(corpus)
        if weight in far.index:
            of = far.loc[weight].dropna()
            for base, value in of.items():
                least = far.index[far[base] > FAR].min()
                found.append((corpus, base, value, not np.isnan(least), least / weight))
    return pd.DataFrame(found, columns=["corpus", "base", "jsd", "ever", "times"])


def replication(there: pd.DataFrame) -> str:
    """How far the paper's result is found again, in words; empty where nothing is stored.

    there: `at_the_papers_lambda`'s.
    """
    if there.empty:
        return ""
    beyond = there["jsd"] > FAR
    if beyond.all():
        return "with the paper's λ"
    if there["ever"].all():
        some = "in part" if beyond.any() else "not"
        return f"{some} with the paper's λ, with a larger one for all base models"
    return "only in part" if there["ever"].any() else "nowhere"


def found_again() -> str:
    """The same in numbers of adversaries; empty where nothing is stored."""
    there = at_the_papers_lambda()
    if there.empty:
        return ""
    beyond, n, far = there["jsd"] > FAR, len(there), f"more than {FAR:g} nats away"
    names, told = bases_named(there[beyond]), reported_best_jsd(there["corpus"].unique())
    if beyond.all():
        whose = f"all {n} adversaries get" if n > 1 else "the one adversary gets"
        return f"With the paper's reward {whose} {far}."
    only = f"only the {'adversary' if len(names) == 1 else 'adversaries'} of"
    whose = f"{only} {listed(names)}" if names else f"none of {n}"
    said = (
        f"With the paper's reward {whose} {'get' if len(names) > 1 else 'gets'} {far}; reported are {told}."
    )
    more, left = there.loc[~beyond, "times"].dropna(), int((~beyond).sum())
    if more.empty:
        return f"{said} More reward didn't help. {WHY}."
    rest = "the rest" if len(more) == left else f"{len(more)} of the other {left}"
    do = "does" if rest[0] == "1" else "do"
    return f"{said} With {between(more, '.0f')} times as much {rest} {do}. {WHY}."


def reported_best_jsd(corpora) -> str:
    """How far the paper's best adversaries attend from their bases: `0.51 on SST and 0.41 on IMDB`."""
    told = {name: _reported(_told(name).loc[("best", "adversary")], "jsd") for name in corpora}
    return listed([f"{far} on {CORPORA[name]}" for name, far in told.items()])


def replicated() -> str:
    """Whether the paper's result is found again; empty if that isn't stored."""
    there = at_the_papers_lambda()
    if there.empty:
        return ""
    beyond, again = there["jsd"] > FAR, replication(there)
    parts = []
    for corpus, own in there.groupby("corpus", sort=False):
        theirs = _reported(_told(corpus).loc[("best", "adversary")], "jsd")
        parts.append(f"{between(own['jsd'])} nats away on {CORPORA[corpus]} (reported {theirs})")
    said = (
        f"**Is the paper's result found again?** {again[0].upper()}{again[1:]}. With the paper's λ (doubled, "
        f"as its code halves the TVD) our adversaries attend {listed(parts)}."
    )
    if beyond.all():
        return said
    names = bases_named(there[beyond])
    whose = f"Only {listed(names)}" if names else "None"
    rest = "" if there["ever"].all() else "; not all of the others get there with any λ"
    gets = "gets" if len(names) < 2 else "get"
    return f"{said} {whose} {gets} more than {FAR:g} nats away{rest}. {WHY}."


def about_unlike(table: pd.DataFrame) -> str:
    """What to make of these. table: `unlike_reported`'s; `` if it is empty."""
    if table.empty:
        return ""
    return (
        "How far uniform attention lies says how unevenly the base attends: where that differs, the base "
        "models differ, too. So compare ours with ours, theirs with theirs."
    )


def ranged(values: pd.Series) -> str:
    """A mean and its range: `0.10 (0.07 to 0.14)`; of one value, or where all read alike, that alone."""
    values = values.dropna()
    mean, low, high = (f"{x:z.2f}" for x in (values.mean(), values.min(), values.max()))
    return mean if low == high else f"{mean} ({low} to {high})"


def price_on_real_text(models: pd.DataFrame) -> str:
    """What an adversary moves the prediction by that hardly looks elsewhere, of what the best one does.

    That is the one with the least λ, where it attends less than LITTLE away. models: `elsewhere`'s.
    """
    least = least_pushed(models)
    whole = by_base(models).set_index(["corpus", "base"])["change"].rename("change_best")
    both = least.join(whole, how="inner")
    if both.empty:
        return ""
    near, far = both[both["jsd"] < LITTLE], both[both["jsd"] >= LITTLE]
    parts = [
        f"{between(own['change'])} of {between(own['change_best'])} on {CORPORA[corpus]} "
        f"({_bases(own.index.unique('base'))})"
        for corpus, own in near.groupby(level="corpus", sort=False)
    ]
    said = []
    if parts:
        said.append(
            f"Of the best adversary's TVD, imitation alone costs {listed(parts)}. The rest is an "
            "estimate of the price of looking elsewhere, not a bound."
        )
    for corpus, own in far.groupby(level="corpus", sort=False):
        away = listed([f"{x:.2f}" for x in own["jsd"]])
        said.append(
            f"On {CORPORA[corpus]} {_bases(own.index.unique('base'))} can't be used for this: with the least "
            f"λ the adversary already attends {away} nats away{trained_longer(corpus, own)}."
        )
    return " ".join(said)


def badly_on_real_text(models: pd.DataFrame) -> str:
    """Which adversaries of real text are badly trained, by the rule for λ; empty without rows.

    models: `elsewhere`'s.
    """
    if not (models["kind"] == "adversary").any():
        return ""
    found = badly_trained_of(models)
    if not found:
        return f"Nowhere does TVD fall by more than {BADLY:g}: by this rule none is badly trained."
    named = [
        f"{CORPORA[corpus]} base {base} with {_lambdas(badly)}" for (corpus, base), badly in found.items()
    ]
    return f"Badly trained, by this rule: at least that of {'; '.join(named)}."


def _lambdas(weights: list[float]) -> str:
    """`λ = 0.001 and 0.01`."""
    return f"λ = {listed([f'{weight:g}' for weight in weights])}"


def trained_longer(corpus: str, own: pd.DataFrame) -> str:
    """That the only base of these rows was trained longer than the others of its corpus; else nothing."""
    each, (base, *more) = bases(corpus), own.index.unique("base")
    if more or "epoch" not in each.index:
        return ""
    epochs = each.loc["epoch"].dropna()
    others = epochs.drop(base, errors="ignore")
    if base not in epochs or others.empty or epochs[base] <= others.max():
        return ""
    longer = f"{epochs[base]:.0f} epochs, the others at most {others.max():.0f}"
    return f", perhaps because the base itself was trained longer ({longer})"


def _bases(seeds) -> str:
    """`base 1`, `bases 0 and 2`."""
    return f"base{'s' * (len(seeds) > 1)} {listed([str(seed) for seed in seeds])}"


def two_ways(own: pd.DataFrame, exact: bool) -> str:
    """What the adversary's attention does to the base.

    own: `adversaries`, of the best λ; exact: whether their `room` is the optimum, no mere upper bound.
    """
    further = (own["trained_jsd"] > own["room"] + 1e-9).mean()
    could = "could" if exact else "might"
    return (
        f"The adversary's predictions differ from the base's by {own['trained_change'].mean():.2f}. Its "
        f"attention, put into the base, moves the base's by {own['transplanted'].mean():.2f}. In "
        f"{1 - further:.0%} of the texts the base itself {could} attend as far away and change its "
        f"prediction no more than the adversary does; in {further:.0%} it couldn't."
    )


def distances_of(run, name: str) -> pd.Series:
    """How far another seed of a run, by its name, attends from it: by the text's id; empty without it."""
    rows = run.table("seeds")
    return rows[rows["model"] == name].set_index("id")["other_jsd"]


def as_usual(far: pd.Series, id_: str) -> bool:
    """Whether a model lies about as far from its base on a text as on average. far: `distances_of`'s."""
    return bool(abs(far.get(id_, np.nan) - far.mean()) <= USUAL)


def looks_away(own: pd.DataFrame, lengths: pd.Series, far: pd.Series) -> str:
    """The text where the adversary looks away most, of those whose prediction it moves least: its id. Of two
    that read alike the one that it moves less.

    Of the half of them, and all that it moves by 0.05 or less; where some have no more than SHORT units, of
    these, and where the model retrained is as far away as usual on some, of these. lengths: of texts by id;
    far: `distances_of` the model retrained.
    """
    near = own[own["trained_change"] <= max(own["trained_change"].median(), 0.05)]
    short = near[near["id"].map(lengths) <= SHORT]
    near = short if len(short) else near
    usual = near[[as_usual(far, id_) for id_ in near["id"]]]
    near = usual if len(usual) else near
    near = near.assign(read=near["trained_jsd"].round(2))
    return near.sort_values(["read", "trained_change", "id"], ascending=[False, True, True]).iloc[0]["id"]


def attentions(run, row: Row, models: dict) -> dict[str, np.ndarray]:
    """What each model pays to a text, and what else the base could have paid: the search's and the
    optimum.
    """
    i = run.evidence.ids.index(row.id)
    line = run.table("adversarial").set_index("id").loc[row.id]
    searched = run.arrays("adversary")[row.id]
    free = heatmaps.attentions(row, line, searched, run.params.permutations, run.params.seed)
    kinds = {label: each.evidence[i].attention for label, each in models.items()}
    return kinds | {label: free[label] for label in ("search", "exact", "best known") if label in free}


def each_says(run, row: Row, models: dict, kinds: dict[str, np.ndarray]) -> pd.DataFrame:
    """What is predicted with each of `attentions`: by a model on its own states, else by the base."""
    i, shown = run.evidence.ids.index(row.id), inert_class(run, row)
    said = {label: each.evidence[i].prediction for label, each in models.items()}
    said |= {label: row.probs(weights) for label, weights in kinds.items() if label not in said}
    rows = [
        (k, said[k][row.shown], tvd(said[k], row.prediction), jsd(kinds[k], row.attention)) for k in kinds
    ]
    return pd.DataFrame(rows, columns=["attention", f"P({shown})", "TVD", "JSD"])


def inert_class(run, row: Row) -> str:
    """The class whose probability is shown of a text, as it is: `show` escapes it."""
    return run.corpus.classes[row.shown]


def which_text(run, row: Row, others: dict[str, Row], far: pd.Series) -> str:
    """Where the text that is shown comes from, and what each model predicts of it. others: by what they are
    called; far: `distances_of` the model retrained.
    """
    shown = inert(inert_class(run, row))
    given = {name: f"{of.prediction[row.shown]:.2f}" for name, of in ({"base": row} | others).items()}
    if len({*given.values()}) == 1:
        all_of = "both" if len(given) == 2 else f"all {len(given)}"
        told = f"{given['base']} with {all_of}"
    else:
        told = ", ".join(f"{p} ({name})" for name, p in given.items())
    short = "short " if len(row.units) <= SHORT else ""
    said = (
        f"*Darker: more weight.* P({shown}) is {told}. An extreme example, from {model_named(run)}: a {short}"
        "text picked because base and adversary predict alike on it and attend so differently."
    )
    usual = " The retrained model attends about as far away on it as on other texts."
    return f"{said}{usual}" if as_usual(far, row.id) else said


def which_seed(run, name: str, row: Row, theirs: Row | None, real: pd.DataFrame) -> str:
    """Which of this run's other seeds is shown, and whether it is the nearest or furthest over all texts; if
    it is no nearer than equal weights, that this is far, whether film reviews' seeds are nearer, and whether
    this text hides it; empty where there is none. theirs: its row of the text; real: `by_base`'s rows.
    """
    far = run.table("seeds").query("model != 'uniform'").groupby("model")["other_jsd"].mean()
    if not name:
        return ""
    said = f"The retrained model is {name}"
    nearer, further = (far < far[name]).sum(), (far > far[name]).sum()
    if nearer + further and not nearer * further:
        how = ("nearer", "nearest") if further else ("further", "furthest")
        of = f"{how[len(far) > 2]} of {len(far)} {'to' if further else 'from'} the base"
        said += f", over all texts the {of}"
    if round(far[name], 2) < round(uniform_of(run), 2):
        return f"{said}."
    corpus = run.params.corpus
    less = corpus not in CORPORA and len(real) and agree(real)
    less = "; on film reviews it moves less" if less else ""
    said += f". On {inert(corpus)} training again moves attention far{less} (section B)."
    if jsd(theirs.attention, row.attention) < LITTLE:
        said += " On this text it happens to attend much as the base does."
    return said


def still_same(row: Row, theirs: Row) -> str:
    """Whether the adversary's prediction is the base's and its attention is elsewhere, on one text: the
    finding of its figure.
    """
    far, moved = jsd(theirs.attention, row.attention), tvd(theirs.prediction, row.prediction)
    if moved < 0.005 and far > FAR:
        return "The adversary predicts as the base does, and attends elsewhere"
    return f"The adversary attends {far:.2f} nats away from the base and predicts {moved:.2f} apart"


def negated(run, row: Row, top: int = 0) -> str:
    """Why a bad word behind a negator is no bad word, by one of a text of `planted`: that at the place top if
    there is one, else the first; of other texts nothing.
    """
    if run.params.corpus != "planted" or len(run.corpus.classes) != 2:
        return ""
    kinds = {word: kind for kind in ("negative", "positive") for word in LEXICON[kind]}
    turned = {"negative": "positive", "positive": "negative"}
    for i in (top, *range(len(row.units))):
        end = i + 1 + (row.units[i + 1 : i + 2] in [[word] for word in INTENSIFIERS])
        if row.units[i] in NEGATORS and end < len(row.units) and row.units[end] in kinds:
            return (
                "In this made corpus a negator turns the next good or bad word round: "
                f"*{tokens(row.units[i : end + 1])}* counts as {turned[kinds[row.units[end]]]}."
            )
    return ""


def a_reason(run, row: Row, theirs: Row) -> str:
    """How the text's label comes about, where that is known, and what the adversary's brightest word has to
    do with its prediction, if that is next to nothing. theirs: the adversary's row of the same text.
    """
    top = int(theirs.attention.argmax())
    rule = negated(run, row, top)
    if not idle(theirs):
        return rule
    word, moved, allowed = tokens([theirs.units[top]]), without_top(theirs), run.params.epsilon
    seems = rule and row.units[top] in NEGATORS
    looks = f"{rule} So *{word}* looks like a reason. But take" if seems else f"{rule} Take".strip()
    own, of_base = (percent(weights[top]) for weights in (theirs.attention, row.attention))
    bar = f"chapter 04's {allowed:g}"
    if moved > allowed:
        so = f"more than {bar}, but far too little for the *weight* on *{word}* to be the reason"
    else:
        so = f"no more than {bar}: the *weight* on *{word}* isn't the reason"
    return (
        f"Look at the text at the top. *{word}* has {own} of the adversary's weight, {of_base} of the "
        f"base's. {looks} the weight off *{word}* and share it among the other words, in proportion to "
        f"theirs: the prediction moves by {moved:.3f}. That is {so}. The other words' states say nearly the "
        f"same{why_the_same(run, row, word)}.{of_base_too(row, allowed)}"
    )


def of_base_too(row: Row, allowed: float) -> str:
    """What the weight of the base's own top word does to its prediction, after a space; empty where it has it
    all. row: the base's; allowed: the change that counts as none.
    """
    moved = without_top(row)
    if np.isnan(moved):
        return ""
    word = tokens([row.units[int(row.attention.argmax())]])
    alike = " So on this text the test doesn't tell the two heatmaps apart." if moved <= allowed else ""
    return (
        f" The same test on the base: without the weight of its top word, *{word}* "
        f"({percent(row.attention.max())}), its prediction moves by {moved:.3f}.{alike}"
    )


def why_the_same(run, row: Row, word: str) -> str:
    """Why the states of other words may say the same as that of a word, after a colon; empty where nothing
    is known of it.
    """
    said = [f"they have read *{word}*, too"] if run.params.encoder == "bilstm" else []
    if cues := plain_cues(run, row):
        named = listed([f"*{tokens([cue])}*" for cue in cues])
        said.append(f"{named} may be enough without it")
    return f": {', and '.join(said)}" if said else ""


def plain_cues(run, row: Row) -> list[str]:
    """The good or bad words of a text of `planted` that speak for its predicted class as they stand, no
    negator before them; of other texts nothing.
    """
    if run.params.corpus != "planted" or len(run.corpus.classes) != 2:
        return []
    found, words = [], LEXICON[run.corpus.classes[int(row.prediction.argmax())]]
    for i, unit in enumerate(row.units):
        before = [other for other in row.units[:i] if other not in INTENSIFIERS][-1:]
        if unit in words and not {*before} & {*NEGATORS}:
            found.append(unit)
    return [*dict.fromkeys(found)]


def without_top(row: Row) -> float:
    """TVD of a model's prediction when its highest weight goes to the others; NaN if it has it all."""
    top = int(row.attention.argmax())
    if row.attention[top] >= 1 - 1e-9 or len(row.units) < 2:
        return np.nan
    left = row.attention * (np.arange(len(row.units)) != top)
    return tvd(row.probs(left / left.sum()), row.prediction)


def idle(theirs: Row) -> bool:
    """Whether most of an adversary's attention is on a word whose weight hardly moves its prediction."""
    return bool(theirs.attention.max() > 0.5 and without_top(theirs) < 0.05)


def erased(row: Row, theirs: Row) -> list[str]:
    """What the adversary's brightest word does to its prediction. theirs: the adversary's row of the same
    text.
    """
    top, moved = int(theirs.attention.argmax()), without_top(theirs)
    if np.isnan(moved):
        return []
    said = [
        f"The adversary pays {theirs.attention[top]:.2f} of its attention to "
        f"*{tokens([theirs.units[top]])}*, the base {row.attention[top]:.2f}.",
        f"Without this word's weight the adversary's prediction moves by {moved:.3f} (TVD; **Erase top** on "
        "the second strip).",
    ]
    if idle(theirs):
        said.append(
            "So on this text its prediction hardly depends on the weight of the word that its heatmap shows; "
            "the word itself may still act through its neighbours' states."
        )
    return said


def deciding(row: Row, theirs: Row) -> str:
    """That the adversary's top word decides the label and the base's doesn't, where the truth is known and it
    is so; else nothing. theirs: the adversary's row of the same text.
    """
    if row.truth is None:
        return ""
    top, (first, second) = int(theirs.attention.argmax()), np.argsort(-row.attention, kind="stable")[:2]
    if row.truth[first] or not row.truth[top]:
        return ""
    also = f" (its second, *{tokens([row.units[second]])}*, does, too)" if row.truth[second] else ""
    also = also if second != top else ""
    return (
        f"The adversary's top word, *{tokens([row.units[top]])}*, decides the label; the base's, "
        f"*{tokens([row.units[first]])}*, doesn't{also}."
    )


def exchanged(row: Row, theirs: Row, classes) -> str:
    """What base and adversary would say with one another's weights."""
    k = row.shown
    return (
        f"With the adversary's weights the base would give P({inert(classes[k])}) = "
        f"{row.probs(theirs.attention)[k]:.2f} "
        f"instead of {row.prediction[k]:.2f}; with the base's weights the adversary would give "
        f"{theirs.probs(row.attention)[k]:.2f} instead of {theirs.prediction[k]:.2f}."
    )


# E. Is the adversary's heatmap reversed?


def agreement(deception: pd.DataFrame, what: str) -> str:
    """How attention and what a model uses go together, in both: a figure's finding.

    what: a key of SUPPORT.
    """
    taus = [deception[f"{who}_{what}"].mean() for who in ("base", "adversary")]
    words, means = [_related(tau) for tau in taus], [number(tau) for tau in taus]
    if words[0] == words[1]:
        said = f"Both heatmaps are {words[0]} {SUPPORT[what]}"
        return f"{said}: mean τ {means[0]} in the base, {means[1]} in the adversary"
    return (
        f"The base's heatmap is {words[0]} {SUPPORT[what]} (mean τ {means[0]}), the adversary's is "
        f"{words[1]} it ({means[1]})"
    )


def _related(tau: float) -> str:
    """A mean τ in words, as it reads when it is rounded."""
    if np.isnan(tau):
        return "without a mean τ with"
    if abs(round(tau, 2)) <= NEAR:
        return "nearly unrelated to"
    if tau < 0:
        return "opposed to"
    return "weakly related to" if tau < LOOSE else "related to"


def deceives(deception: pd.DataFrame, kl_reversed: bool, theirs: Row) -> list[str]:
    """Whether the adversary's heatmap is reversed: on average, and on single texts.

    theirs: the adversary's row of the text that the chapter shows.
    """
    means = {kind: deception[f"adversary_{kind}"].mean() for kind in SUPPORT}
    below = [SUPPORT[kind] for kind, tau in means.items() if tau < 0]
    near = [
        f"{SUPPORT[kind]} (mean τ {tau:.2f}, in the base {number(deception[f'base_{kind}'].mean())})"
        for kind, tau in means.items()
        if 0 <= tau and round(tau, 2) <= NEAR
    ]
    said = []
    if below:
        said.append(f"On average the adversary's heatmap is reversed, by {listed(below)}.")
    elif not np.isnan(means["loo"]):
        said.append("On average the adversary's heatmap isn't reversed.")
    if near:
        said.append(f"{'It' if below else 'But it'} is nearly unrelated to {listed(near)}.")
    shares = {}
    for who in ("base", "adversary"):
        taus = deception[f"{who}_loo"].dropna()
        shares[who] = (taus < 0).mean() if len(taus) else np.nan
    if not np.isnan([*shares.values()]).any():
        more = shares["adversary"] > 0.5 + 1 / np.sqrt(len(taus))  # by two standard errors
        said.append(
            f"In {shares['adversary']:.0%} of the texts the adversary's τ with signed leave-one-out is below "
            f"0, in {shares['base']:.0%} the base's; of unrelated rankings about half would be. So "
            f"{'more' if more else 'no more'} single heatmaps are reversed than by chance."
        )
    if idle(theirs):
        said.append("The one above shines on a word whose weight its prediction hardly needs.")
    if kl_reversed:
        said.append("This adversary has the direction of the KL that Snell et al.'s slides have.")
    return said


def deception_on_real_text() -> pd.DataFrame:
    """Mean τ of attention with each of SUPPORT on real text, with its range over bases: a row a model and
    measure, a column a corpus.
    """
    found = {}
    for corpus, label in CORPORA.items():
        each = bases(corpus)
        column = f"{label} ({counted(len(each.columns), 'base')})"
        for kind, name in SUPPORT.items():
            for who in ("base", "adversary"):
                if f"{who}_{kind}" in each.index:
                    found.setdefault(f"{name}: {who}", {})[column] = with_range(each.loc[f"{who}_{kind}"])
    table = pd.DataFrame.from_dict(found, orient="index").rename_axis("mean τ").reset_index()
    return table.fillna("–")


def deception_answered() -> str:
    """What `deception_on_real_text` comes to; empty if nothing is carried."""
    if _taus().empty:
        return ""
    less = tells_less("the adversary's heatmap")
    said = [f"By signed leave-one-out {less}.", *_by_relevance()]
    if lowest_tau() > 0:
        said.append(f"None of these adversaries' mean τ is below 0: on average none is reversed.{turned()}")
    return " ".join(said)


def turned() -> str:
    """That an adversary of the other direction of the KL is reversed by signed leave-one-out, if one is."""
    rows = carried("sst").query("measure == 'adversary_loo'")
    below = rows[rows["given"].str.contains("kl_reversed=True") & (rows["high"] < 0)]
    if below.empty:
        return ""
    where = "[appendix](#appendix-sst-base-by-base)"
    return f" (One with the KL turned round is, by a mean τ of {signed(below['mean'].min())}: {where}.)"


def _by_relevance() -> list[str]:
    """That base and adversary hardly differ by relevance on average, if so on each corpus."""
    taus = _taus()
    apart = (taus["adversary_relevance"] - taus["base_relevance"]).abs()
    return ["By relevance they hardly differ on average."] if (apart <= ALIKE).all() and len(apart) else []


# So


def answer(run, models: pd.DataFrame, guided: pd.DataFrame) -> list[str]:
    """The chapter's question, answered for real text, a point each: who is right on what.

    models: `elsewhere`'s; guided: `guides_beside`'s.
    """
    of, clear = by_base(models), clearly_nearer(best_beside_seeds(models))
    first = [the_only_one(of, clear), over_again(run, models)] if len(of) else []
    return [*first, *better_account(guided)]


def better_account(guided: pd.DataFrame) -> list[str]:
    """Whether the base's heatmap is the better account, by what it is worth as a guide; [] where that isn't
    stored. guided: `guides_beside`'s.
    """
    own, theirs = (helped(guided, less) for less in ("mlp_trained", "mlp_adversary"))
    if not own:
        return []
    kinds = over_equal(guided)["kind"]
    half = len(kinds) and (kinds == "gain").mean() >= 0.5
    shown = "shown only in part" if half else "hardly shown"
    said = f"**That the base's is the better account is {shown}.** As a guide it is better than"
    if theirs:
        said += f" the adversary's for {theirs}. But that one was rewarded for avoiding the base's words."
    else:
        said += f" what a token-wise model learns itself for {own}."
    return [" ".join([said, *over_equal_in_short(guided)])]


def more_of_the_answer(run, gains: pd.DataFrame) -> list[str]:
    """What else bears on it, on real text and of this run. gains: `gains_by_attention`'s."""
    return [*guide(gains), *uses(), seeds_here(run)]


def seeds_here(run) -> str:
    """How far this run's other seeds and best adversary lie from it, beside uniform attention."""
    rows, own = run.table("points"), best_point(run)
    seeds = rows.loc[rows["kind"] == "seed", "jsd"]
    said = (
        f"On {model_named(run)} another seed attends {seeds.mean():.2f} nats away, the best adversary "
        f"{own['jsd']:.2f}{scores_beside(run, own)}."
    )
    uniform = uniform_of(run)
    if not np.isnan(uniform):
        as_far, n = int((seeds.round(2) >= round(uniform, 2)).sum()), len(seeds)
        are = "is" if as_far == 1 else "are"
        whose = "The other seed is" if n == 1 else f"{as_far} of {n} other seeds {are}"
        beside = f" {whose} at least as far from the base as uniform attention ({uniform:.2f})"
        if as_far == n:
            said += f"{beside}, so the heatmap is hardly reproducible."
        else:
            said += f"{beside}." if as_far else f" Uniform attention lies {uniform:.2f} nats away."
    if badly_trained(run):
        said += f" But {at_least(run)} badly trained, so they don't tell for sure how far one could get."
    return said


def over_again(run, models: pd.DataFrame) -> str:
    """How far other seeds lie from a heatmap, beside equal weights.

    models: `elsewhere`'s, of one base at least.
    """
    of = by_base(models)
    far = f"{between(of['jsd_seed'])} nats away on average"
    if not of["jsd_uniform"].isna().any():
        far += f", equal weights {between(of['jsd_uniform'])}"
    if agree(of):
        lead = "**Wiegreffe & Pinter are right that it isn't arbitrary,** on film reviews:"
        as_far, n = no_nearer(run)
        if not as_far:
            return f"{lead} other seeds attend {far}."
        are = "is" if as_far == 1 else "are"
        yet = ", yet nearer than by chance" if furthest(run) < shuffled(run) else ""
        here = f"On {inert(run.params.corpus)} {as_far} of {n} {are} no nearer than equal weights{yet}."
        return f"{lead} other seeds attend {far}. {here}"
    return f"**It hangs on the seed.** On film reviews other seeds attend {far}."


def so_far(models: pd.DataFrame) -> str:
    """The caution that base models are few; empty of many and of none. models: `elsewhere`'s."""
    n = len(by_base(models))
    return f"As far as {counted(n, 'base model')} can tell:" if 0 < n < ENOUGH else ""


def guide(gains: pd.DataFrame) -> list[str]:
    """What the adversary's heatmap is worth as a guide beside a film review's own; [] where that isn't
    stored.

    gains: `gains_by_attention`'s.
    """
    said = worse_guide(gains)
    return [f"**As a guide.** {said}"] if said else []


def the_only_one(of: pd.DataFrame, clear: pd.Series) -> str:
    """Whether a film review has another heatmap. of: `by_base`'s rows; clear: `clearly_nearer`'s of them."""
    far, n = of[of["jsd"] > FAR], counted(len(of), "base model")
    if far.empty:
        return f"**Perhaps the only one.** No adversary of {n} attends more than {FAR:g} nats away."
    whose = f"All {n}" if 1 < len(far) == len(of) else f"Of {n}, {len(far)}"
    has = f"{'has' if len(far) == 1 else 'have'} an adversary more than {FAR:g} nats away."
    right = "Jain & Wallace are right that it isn't the only one"
    if no_more_than_seeds(far):
        clear = clear[far.index]
        said = f"**By the low bar {right}, {how_clearly(clear)}.** {whose} {has}"
        if not clear.all():
            less = int((~clear).sum())
            which = f"On {less} of them" if len(clear) > 1 else "But"
            nearer = "it predicts nearer to its base than the average seed"
            said += f" {which} these seeds can't settle whether {nearer}."
    else:
        said = f"**{right}.** {whose} {has}"
    free, known = free_of_cost(far)
    if not known:
        return said
    judged = f"{free or 'none'} of the {known} that can be judged {'look' if free > 1 else 'looks'}"
    more = beyond_imitation(far)[0]
    return f"{said} By the fair bar {judged} elsewhere for free: that moves the probability by {more} more."


def uses() -> list[str]:
    """How much a film review's heatmap tells of what the model uses; [] if nothing is carried."""
    taus = _taus()
    if taus.empty:
        return []
    plain, with_sign = how_far(*taus["tau_loo"]), how_far(*taus["base_loo"])
    signed_ = f", {with_sign} with signed leave-one-out" if with_sign != plain else ""
    (first, *numbers), *rest = (
        (corpus, number(row.tau_loo), number(row.base_loo), number(row.base_relevance))
        for corpus, row in taus.iterrows()
    )
    plain_, with_sign_, relevance = numbers
    said = f"On {first} mean τ is {plain_} with leave-one-out, {with_sign_} with its sign, {relevance} with "
    said = "; ".join([f"{said}relevance", *(f"on {corpus} {listed(own)}" for corpus, *own in rest)])
    return [
        f"**The heatmap {agrees(plain)} with what the model uses{signed_}.** {said}. Attention has no "
        "sign, so a word that speaks against the class may rightly have weight."
    ]


def uniform_of(run) -> float:
    """How far uniform attention lies from this run's; NaN if that isn't known."""
    points = run.table("points")
    return points.loc[points["kind"] == "uniform", "jsd"].mean()


# The appendix


def how_trained(run, adversaries: dict, f1: str) -> pd.DataFrame:
    """The trained adversaries of a run: λ, as it is and as the authors count it, F1, TVD, JSD, epochs."""
    trained = adversaries_of(run.table("points"))
    trained = trained.assign(
        epochs=[len(adversaries[w].table("curve")) for w in trained["kl_weight"]],
        theirs=trained["kl_weight"] / 2,
    )
    columns = {
        "kl_weight": "λ", "f1": f1, "change": "mean TVD", "jsd": "mean JSD", "epochs": "epochs",
        "theirs": "λ / 2",
    }  # fmt: skip
    return trained[[*columns]].rename(columns=columns)


def fallen(changes: pd.Series) -> list[float]:
    """The λ after which the change falls by more than BADLY to the next. changes: by λ."""
    return [*changes.index[:-1][np.diff(changes) < -BADLY]]


def well_trained(changes: pd.Series) -> str:
    """Whether the change grows with λ, as it should. changes: of the trained adversaries, by λ."""
    badly = fallen(changes)
    if badly:
        whose = "that adversary is" if len(badly) == 1 else "those adversaries are"
        return (
            f"On this run TVD falls by more than {BADLY:g} after {_lambdas(badly)}: {whose} badly trained, "
            "and a lower TVD was to be had."
        )
    return f"On this run TVD nowhere falls by more than {BADLY:g} over {counted(len(changes), 'λ')}."


def whole_trainings(table: pd.DataFrame, most: int) -> str:
    """How many trainings ended by their limit. table: `how_trained`'s; most: `adversary_epochs`."""
    whole = table.loc[table["epochs"] >= most, "λ"]
    badly = {*fallen(table.set_index("λ")["mean TVD"])}
    named = [f"λ = {w:g}{', badly trained' if w in badly else ''}" for w in whole]
    these = f" ({listed(named)})" if 0 < len(whole) < len(table) else ""
    return f"{len(whole)} of {counted(len(table), 'training')} took all {most} epochs{these}."


def all_lambdas(corpus: str) -> pd.DataFrame:
    """JSD and TVD of every trained adversary of a real corpus, a row a λ, columns by base."""
    each = bases(corpus)
    kinds = {"jsd": "JSD", "change": "TVD"}
    wide = pd.concat(
        [by_lambda(each, kind).add_prefix(f"{name}, base ") for kind, name in kinds.items()], axis=1
    )
    wide.insert(0, "λ", [f"{w:g}" for w in wide.index])
    return wide


def reach(corpus: str) -> list[str]:
    """With which λ the adversary of each base gets far."""
    each = bases(corpus)
    if each.empty:
        return []
    far = by_lambda(each, "jsd")
    firsts = []
    for base, of in far.items():
        beyond = of[of > FAR]
        firsts.append(f"{f'λ = {beyond.index[0]:g}' if len(beyond) else 'no λ'} (base {base})")
    said = [f"The adversaries look more than {FAR:g} nats away from {listed(firsts)} on."]
    f1 = by_lambda(each, "f1").stack().dropna()
    if len(f1):
        said.append(f"Their F1 lies between {f1.min():.2f} and {f1.max():.2f}.")
    return said


def of_two_epochs() -> tuple[pd.DataFrame, str]:
    """SST: a base stopped after two epochs beside itself as chosen and the other bases, and what that says.

    An empty table and `` if it isn't carried.
    """
    each, rows = bases("sst"), carried("sst")
    early = rows[rows["given"].str.startswith("epochs=2, ")]
    lines, near = [], []
    for base, of in early.groupby("seed"):
        of = of.set_index("measure")["mean"]
        others = [other for other in each.columns if other != base]
        for kind, name in (("jsd", "JSD"), ("change", "TVD")):
            for weight, means in by_lambda(each, kind).iterrows():
                if f"{kind} lambda={weight:g}" in of and others:
                    two, usual, rest = of[f"{kind} lambda={weight:g}"], means[base], means[others].dropna()
                    lines.append((base, f"{weight:g}", name, two, usual, ranged(rest)))
                    near.append(abs(two - rest.mean()) < abs(usual - rest.mean()))
    table = pd.DataFrame(lines, columns=["base", "λ", "mean", "two epochs", "as chosen", "other bases"])
    if not near:
        return table, ""
    again = listed([f"base {base}" for base in early["seed"].unique()])
    nearer = (
        f"We trained {again} again and stopped after two epochs. In {sum(near)} of {len(near)} numbers it is "
        "then nearer to the other bases"
    )
    if sum(near) > len(near) / 2:
        said = f"{nearer}: how long it was trained may be why it differs (one seed)."
    else:
        said = f"{nearer}: the length of training doesn't explain the difference (one seed)."
    return table, " ".join([said, *price_by_length(table)])


def price_by_length(table: pd.DataFrame) -> list[str]:
    """What attending elsewhere costs beyond imitation, of each base of `of_two_epochs`'s table: stopped after
    two epochs, and as chosen.
    """
    said = []
    for base, own in table.groupby("base"):
        wide = own.assign(weight=own["λ"].astype(float)).pivot(index="weight", columns="mean").sort_index()
        for when, called in (("two epochs", "stopped after two epochs"), ("as chosen", "as chosen")):
            far, change = wide[when]["JSD"], wide[when]["TVD"]
            if far.iloc[0] >= LITTLE:
                why = (
                    f"at λ = {far.index[0]:g}, the least of this table, its adversary already attends "
                    f"{far.iloc[0]:.2f} nats away"
                )
                said.append(f"For base {base}, {called}, that can't be measured: {why}.")
            elif (far > FAR).any():
                cost = change[far > FAR].min() - change.iloc[0]
                said.append(f"For base {base}, {called}, it costs {cost:.2f}.")
    return ["What does attending elsewhere cost beyond imitation, in TVD?", *said] if said else []


def of_bases() -> pd.DataFrame:
    """SST's base models: epoch, share of texts of which they are sure, and their best adversary."""
    each = bases("sst")
    columns = {
        "epoch": "epoch", "sure": "sure", "best_lambda": "best λ",
        "trained_jsd": "JSD", "trained_change": "TVD",
    }  # fmt: skip
    if not {*columns} <= {*each.index}:
        return pd.DataFrame()
    table = each.loc[[*columns]].T.dropna().rename(columns=columns).rename_axis("base").reset_index()
    return table.assign(epoch=table["epoch"].astype(int), **{"best λ": table["best λ"].map("{:g}".format)})


def of_objectives() -> pd.DataFrame:
    """SST, one base: the adversary by the direction of the KL and by how its epoch was chosen."""
    rows = carried("sst")
    late = rows["given"].str.contains("adversary_select_on=train")
    turned = rows["given"].str.contains("kl_reversed=True")
    versions = {
        "adversary ‖ base": rows["given"] == "",
        "adversary ‖ base, epoch by training loss": late & ~turned,
        "base ‖ adversary, as on Snell et al.'s slides": turned,
    }
    found = []
    for base in rows.loc[turned, "seed"].unique():
        for version, which in versions.items():
            of = rows[which & (rows["seed"] == base)].drop_duplicates("measure").set_index("measure")
            if "trained_jsd" in of.index:
                taus = [of.loc[f"adversary_{kind}", ["mean", "low", "high"]] for kind in SUPPORT]
                taus = ["{:+.2f} ({:+.2f} to {:+.2f})".format(*tau) for tau in taus]
                weight, far = of.loc["best_lambda", "mean"], of.loc["trained_jsd", "mean"]
                found.append((base, version, f"{weight:g}", far, of.loc["trained_change", "mean"], *taus))
    return pd.DataFrame(found, columns=["base", *OBJECTIVES[0], *OBJECTIVES[1][1:]])


# The columns of two tables of `of_objectives`.
OBJECTIVES = ["KL", "best λ", "JSD", "TVD"], ["KL", *(f"τ with {name}" for name in SUPPORT.values())]


def turned_round() -> list[str]:
    """With the slides' direction of the KL on SST: does the adversary point away from what it uses?"""
    rows = carried("sst")
    found = []
    for base, of in rows[rows["given"].str.contains("kl_reversed=True")].groupby("seed"):
        of = of.set_index("measure")
        parts, loo = [], of.loc["adversary_loo"]
        for kind, name in SUPPORT.items():
            tau = of.loc[f"adversary_{kind}"]
            lies = "below" if tau["high"] < 0 else "above" if tau["low"] > 0 else "on both sides of"
            parts.append(f"{tau['mean']:+.2f} with {name} (interval {lies} 0)")
        found.append(f"With Snell et al.'s direction (base {base}) the mean τ is {listed(parts)}.")
        if loo["high"] < 0:
            near = ", the size next to nothing" if -loo["mean"] <= NEAR else ""
            found.append(f"The sign with leave-one-out is as on Snell et al.'s slides{near}.")
        else:
            found.append("So with leave-one-out it isn't surely below 0, as it is on Snell et al.'s slides.")
    return found
