"""Chapter 07: what other models and other attention come to, in sentences and tables."""

import numpy as np
import pandas as pd
from scipy.special import xlogy

from heed import verdict
from heed.evidence import Row
from heed.experiments import heatmaps
from heed.experiments.not_not import FAR, GAINS, best
from heed.measures import stats
from heed.measures.divergence import jsd, tvd
from heed.models import trained_adversary
from heed.models.attended import forward
from heed.params import resolve
from heed.show.notebook import inert, tokens
from heed.show.sentences import counted, listed, number, over_seeds

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
# What each difference between two of them is.
DIFFERENCES = {
    ("mlp_trained", "mlp_uniform"): "learning its own attention, against uniform",
    ("mlp_base", "mlp_trained"): "the base's attention, against learning its own",
    ("mlp_adversary", "mlp_uniform"): "the adversary's attention, against uniform",
    ("mlp_base", "mlp_adversary"): "the base's attention, against the adversary's",
}
SUPPORT = {"loo": "leave-one-out", "relevance": "relevance"}  # by what `deception` asks for
CORPORA = {"sst": "SST", "imdb": "IMDB"}  # real ones of which trained adversaries are carried


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


def elsewhere() -> pd.DataFrame:
    """Trained adversaries and other seeds of real corpora, a row a model held against a base.

    Columns: corpus, base, kind (`adversary`, `seed`), name, best (whether it is), jsd, change.
    """
    found = []
    for corpus in CORPORA:
        each = bases(corpus)
        for base in each.columns:
            for kind, of in (("adversary", by_lambda), ("seed", of_other_seeds)):
                far, change = of(each, "jsd")[base].dropna(), of(each, "change")[base].dropna()
                for name in far.index:
                    is_best = kind == "adversary" and name == each.loc["best_lambda", base]
                    found.append((corpus, base, kind, name, is_best, far[name], change[name]))
    return pd.DataFrame(found, columns=["corpus", "base", "kind", "name", "best", "jsd", "change"])


def by_base(models: pd.DataFrame) -> pd.DataFrame:
    """Of each base: JSD and change of its best adversary and, in the mean, of other seeds."""
    keys = ["corpus", "base"]
    own = models[models["best"]].set_index(keys)[["jsd", "change"]]
    seeds = models[models["kind"] == "seed"].groupby(keys)[["jsd", "change"]].mean()
    return own.join(seeds.add_suffix("_seed"), how="inner").reset_index()


# In short


def in_short(run, models: pd.DataFrame, gained: pd.DataFrame) -> list[str]:
    """The chapter's answer. models: `elsewhere`'s; gained: `with_and_without`'s."""
    said, every = [], by_base(models)
    of = every.groupby("corpus", sort=False).mean()
    for corpus, own in of.iterrows():
        far, far_seed, change, change_seed = (
            f"{own[name]:.2f}" for name in ("jsd", "jsd_seed", "change", "change_seed")
        )
        if said:
            said.append(f"On {CORPORA[corpus]}: {far} and {far_seed} nats, {change} and {change_seed}.")
            continue
        less = (every["change"] < every["change_seed"]).sum()
        same = "and still say about the same" if less > len(every) / 2 else "though not for nothing"
        said.append(
            f"A model can be made to look elsewhere, {same}. On {CORPORA[corpus]} its attention lies "
            f"{far} nats from "
            f"its base model's (JSD; at most {np.log(2):.2f}), another seed's {far_seed}. Its predictions "
            "lie "
            f"{change} away (TVD), another seed's {change_seed}."
        )
    if len(gained):
        texts = "1 real corpus" if len(gained) == 1 else f"{len(gained)} real corpora"
        said.append(f"Learning attention at all gains at most {gained['gain'].max():.2f} F1 on {texts}.")
    said.append(here(run))
    if len(of):
        said.append(
            "So a heatmap is no accident of the seed, and still not the only one that goes with these "
            "predictions."
        )
    return said


def here(run) -> str:
    """How far this run's best adversary gets, beside another seed."""
    own, chance = best_point(run), seeds_of(run.table("points"))
    how = "does it, too" if own["change"] < chance["change"] else "does it at a price"
    return (
        f"On this chapter's own texts a model {how}: {own['jsd']:.2f} nats and a TVD of "
        f"{own['change']:.2f}, against "
        f"{chance['jsd']:.2f} and {chance['change']:.2f}."
    )


def looked_elsewhere(models: pd.DataFrame) -> str:
    """The finding of the figure on real text; empty without rows."""
    of = by_base(models)
    if of.empty:
        return ""
    less = (of["change"] < of["change_seed"]).sum()
    which, count = ("less", less) if less > len(of) / 2 else ("no less", len(of) - less)
    return f"Looking elsewhere moves predictions {which} than a new seed, {count} of {len(of)}"


# A. Is attention needed?


def with_and_without() -> pd.DataFrame:
    """F1 on real corpora with trained and with uniform attention, of the seeds that have both.

    Columns: corpus, seeds, trained, uniform (each a list over seeds), gain, low, high (Student's interval; of
    one seed NaN), reported_trained, reported_uniform (Wiegreffe & Pinter's).
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
        found.append((name, len(of), *each, gain, *ends, *theirs))
    columns = "corpus seeds trained uniform gain low high reported_trained reported_uniform".split()
    return pd.DataFrame(found, columns=columns).sort_values("gain", ignore_index=True)


def gains_by_training(gained: pd.DataFrame) -> str:
    """The finding of the figure of both; of one corpus at least."""
    above = gained.loc[gained["low"] > 0, "corpus"].tolist()
    sure = f"for sure on {listed(above)}" if above else "nowhere for sure"
    return f"Learning attention gains at most {gained['gain'].max():.2f} F1, {sure}"


def scored(f1: pd.DataFrame, name: str, form: str = ".2f") -> str:
    """A model's F1 with its interval over texts. f1: the table `guides`, by model."""
    value, low, high = f1.loc[name, ["f1", "low", "high"]]
    if np.isnan([low, high]).any():
        return number(value, form)
    return f"{value:{form}} ({low:{form}} to {high:{form}})"


def check_uniform(evidence) -> None:
    """Raises AssertionError unless each word of a text has the same weight."""
    assert all(np.allclose(row.attention, 1 / len(row.attention)) for row in evidence)


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
            "This model predicts better for its attention. Whether other seeds would, it doesn't say.",
        ]
    if high < 0:
        return [
            *said,
            "This model predicts worse for its attention. Whether other seeds would, it doesn't say.",
        ]
    return [*said, "The interval includes 0: these texts can't say whether attention is needed."]


# B. How far does attention move by chance?


def shortest(lengths: np.ndarray) -> int:
    """Which text of two units or more is the shortest."""
    return int(np.where(lengths > 1, lengths, np.inf).argmin())


def two_seeds(row: Row, again: Row, seed: str) -> str:
    """How far one text's attention moves from a seed to another: the finding of its figure."""
    return (
        f"{seed.capitalize()} moves this text's attention by {jsd(again.attention, row.attention):.2f}, "
        "its prediction "
        f"by {tvd(again.prediction, row.prediction):.2f}"
    )


def against_the_base(run, table: pd.DataFrame, others: dict, f1: str) -> pd.DataFrame:
    """A row a model: mean JSD and TVD to the base, and its F1, which is called f1.

    table: `seeds`, of texts of two units or more. Raises AssertionError if a JSD is above ln 2.
    """
    assert table["other_jsd"].max() <= np.log(2)
    means = table.groupby("model", sort=False)[["other_jsd", "other_change"]].mean().reset_index()
    means[f1] = [others[name].info()["scores"]["test"].get("f1", np.nan) for name in means["model"]]
    means.loc[len(means)] = ["the base itself", 0, 0, run.info()["scores"]["test"].get("f1", np.nan)]
    return means.rename(columns={"other_jsd": "mean JSD (nats)", "other_change": "mean TVD"})


def beyond_chance(table: pd.DataFrame, panels: dict[str, pd.DataFrame]) -> str:
    """How often the search goes further than other seeds do: the finding of the figure of all three.

    table: `seeds`; panels: `experiments.not_not.panels`' three.
    """
    median, searches, _ = panels.values()
    trained = table[table["model"] != "uniform"]
    most = trained.groupby("id")["other_jsd"].max().loc[median["id"]].to_numpy()
    further = (searches["other_jsd"].to_numpy() > most).mean()
    return (
        f"In {further:.0%} of the texts the search goes further than any of "
        f"{counted(trained['model'].nunique(), 'other seed')}"
    )


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


def chance_on_real_text() -> list[str]:
    """JSD and TVD between a base and another seed on real text, a sentence a corpus."""
    found = []
    for corpus, label in CORPORA.items():
        each = bases(corpus)
        far, change = (of_other_seeds(each, kind).stack().dropna() for kind in ("jsd", "change"))
        if len(far):
            found.append(
                f"On {label} another seed's attention lies {far.mean():.2f} nats away ({far.min():.2f} to "
                f"{far.max():.2f} over {counted(len(far), 'pair')} of seeds), the search's "
                f"{each.loc['found'].mean():.2f}; the prediction moves by {change.mean():.2f} "
                f"({change.min():.2f} to {change.max():.2f})."
            )
    return found


def beyond_on_real_text(corpus: str) -> str:
    """How far a real corpus's other seeds and the search go from its first base: a figure's finding."""
    each = bases(corpus)
    if each.empty:
        return ""
    own = each.iloc[:, 0]
    return (
        f"{CORPORA[corpus]}, base {own.name}: the median seed lies {own['other_jsd']:.2f} nats away in "
        "the mean, what "
        f"the search finds {own['found']:.2f}, the optimum {own['optimum']:.2f}"
    )


def moved_by_chance(median: pd.DataFrame, epsilon: float) -> str:
    """In how many texts another seed moves the prediction by more than ε: the finding of its figure."""
    more = (median["other_change"] > epsilon).mean()
    return f"In {more:.0%} of texts a seed moves the prediction by more than {epsilon:g}"


# C. Is attention worth anything to another model?


def check_guides(guides: dict, evidence) -> None:
    """Raises AssertionError unless the given weights are the base's, and nothing in the model could learn
    them.
    """
    guided = guides["mlp_base"]
    assert np.allclose(guided.evidence[0].attention, evidence[0].attention)
    assert not [name for name, _ in guided.model().named_parameters() if name.startswith("attention")]


def worth(f1: pd.DataFrame) -> str:
    """What the base's attention is worth to a token-wise model: the finding of the figure of all models."""
    own, given = (f1.loc[name, "f1"] for name in ("mlp_trained", "mlp_base"))
    if np.isnan([own, given]).any():
        return "The scores of the token-wise models are undefined"
    return f"A token-wise model: {given:.2f} with the base's attention, {own:.2f} with its own"


def verb(low: float, high: float) -> str:
    """What an interval says of a difference."""
    if np.isnan([low, high]).any():
        return "undefined"
    return "helps" if low > 0 else "harms" if high < 0 else "can't be told from no effect"


def differences(f1: pd.DataFrame) -> pd.DataFrame:
    """What a token-wise model gets from each attention, a row a difference."""
    found = []
    for (name, less), what in DIFFERENCES.items():
        pair = f"{name}_minus_{less}"
        found.append((what, scored(f1, pair, "+.2f"), verb(*f1.loc[pair, ["low", "high"]])))
    return pd.DataFrame(found, columns=["a token-wise model gets", "F1 (95 % over texts)", "which"])


def guides_on_real_text() -> pd.DataFrame:
    """F1 of `guides` on real text, a row a model and base, with what is reported: corpus, model, base,
    f1, reported.
    """
    found = []
    for corpus, label in CORPORA.items():
        each, theirs = bases(corpus), verdict.wiegreffe_pinter(corpus)
        theirs = theirs[theirs["experiment"].isin(["uniform", "guide"])].set_index("model")["f1"]
        for name in MODELS:
            for base in each.columns:
                if f"f1_{name}" in each.index:
                    value = each.loc[f"f1_{name}", base]
                    found.append((label, name, base, value, theirs.get(name, np.nan)))
    return pd.DataFrame(found, columns=["corpus", "model", "base", "f1", "reported"])


def worth_on_real_text(table: pd.DataFrame) -> str:
    """The finding of the figure of these: what the base's attention brings a token-wise model, less its
    own.
    """
    means = table.groupby(["corpus", "model"], sort=False)["f1"].mean().unstack()
    gains = [f"{row['mlp_base'] - row['mlp_trained']:+.3f} ({corpus})" for corpus, row in means.iterrows()]
    return f"Token-wise: the base's attention brings {listed(gains)}"


def adversary_on_real_text(table: pd.DataFrame) -> str:
    """What the adversary's attention brings a token-wise model, less the base's. table: of one row at
    least.
    """
    means = table.groupby(["corpus", "model"], sort=False)["f1"].mean().unstack()
    gains = [f"{row['mlp_adversary'] - row['mlp_base']:+.2f} on {corpus}" for corpus, row in means.iterrows()]
    return f"The adversary's attention instead of the base's brings it {listed(gains)}."


def gains_on_real_text() -> pd.DataFrame:
    """A row a difference of two models: of how many base models the interval over texts lies above or
    below 0.
    """
    found = []
    for corpus, label in CORPORA.items():
        rows = verdict.plain(carried(corpus))
        for name, less in GAINS:
            of = rows[rows["measure"] == f"f1_{name}_minus_{less}"]
            if len(of):
                sides = int((of["low"] > 0).sum()), int((of["high"] < 0).sum())
                found.append(
                    (label, f"{MODELS[name]}, less {MODELS[less]}", ranged(of["mean"]), *sides, len(of))
                )
    return pd.DataFrame(found, columns=["corpus", "F1 of", "mean", "above 0", "below 0", "base models"])


# D. Can a model be made to look elsewhere?


def objective(run, adversary) -> str:
    """The objective of the text whose prediction an adversary moves most, by hand and by the library.

    Raises AssertionError if the two differ.
    """
    decided = zip(adversary.evidence, run.evidence, strict=True)
    i = int(np.argmax([np.abs(x.prediction - y.prediction).sum() for x, y in decided]))
    one, look, how = adversary.evidence[i], run.evidence[i], adversary.params
    a, b = (look, one) if how.kl_reversed else (one, look)
    kl = np.sum(xlogy(a.attention, a.attention) - xlogy(a.attention, np.maximum(b.attention, 1e-12)))
    change = np.abs(one.prediction - look.prediction).sum() / (4 if how.tvd_halved else 2)
    by_hand = change - how.kl_weight * kl

    data, model = run.data("test").batch([i]), adversary.model().cpu()
    switches = how.kl_weight, how.tvd_halved, how.kl_reversed
    of_library = trained_adversary.objective(*run.decisions("test"), *switches)
    assert np.isclose(by_hand, of_library(model, forward(model, data), data).item(), atol=1e-6)
    halved = " (halved)" if how.tvd_halved else ""
    return (
        f"TVD {change:.3f}{halved}, KL {kl:.2f} nats, λ = {how.kl_weight:g}: the loss is {by_hand:.4f}. "
        "So the "
        "library has it, too."
    )


def adversaries_of(points: pd.DataFrame) -> pd.DataFrame:
    """The rows of the trained adversaries, by λ."""
    return points[points["kind"] == "adversary"].sort_values("kl_weight", ignore_index=True)


def seeds_of(points: pd.DataFrame) -> pd.Series:
    """JSD and change of another seed in the mean."""
    return points.loc[points["kind"] == "seed", ["jsd", "change"]].mean()


def best_point(run) -> pd.Series:
    """The point of the best adversary."""
    return adversaries_of(run.table("points")).set_index("kl_weight").loc[best(run)]


def opposed(run) -> str:
    """How far the best adversary gets and at what price: the finding of Figure 5."""
    own, chance = best_point(run), seeds_of(run.table("points"))
    return (
        f"{own['jsd']:.2f} nats elsewhere cost a TVD of {own['change']:.2f}; another seed's is "
        f"{chance['change']:.2f}"
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


def table4() -> pd.DataFrame:
    """Mean JSD, TVD and F1 on real text of what a base is held against, here and as reported."""
    found = []
    for corpus, label in CORPORA.items():
        each = bases(corpus)
        if each.empty:
            continue
        theirs = verdict.wiegreffe_pinter(corpus)
        theirs = theirs.assign(tvd=2 * theirs["tvd"]).query("experiment in ('best', 'curve', 'seeds')")
        told = theirs.drop_duplicates(["experiment", "model"]).set_index(["experiment", "model"])[
            ["jsd", "tvd", "f1"]
        ]
        far, change, f1 = (of_other_seeds(each, kind).stack().dropna() for kind in ("jsd", "change", "f1"))
        ours = {
            "best adversary": [each.loc[name] for name in ("trained_jsd", "trained_change", "f1_adversary")],
            "another seed": [far, change, f1],
            "uniform attention": [each.loc[f"{kind} uniform"] for kind in ("jsd", "change", "f1")],
            "search, text by text": [each.loc["found"], None, None],
        }
        reported = {
            "best adversary": told.loc[("best", "adversary")].map("{:.2f}".format),
            "another seed": [
                f"{told.loc[('seeds', 'lowest'), kind]:.2f} to {told.loc[('seeds', 'highest'), kind]:.2f}"
                for kind in ("jsd", "tvd")
            ],
            "uniform attention": told.loc[("curve", "uniform"), ["jsd", "tvd"]].map("{:.2f}".format),
            "search, text by text": told.loc[("curve", "search"), ["jsd", "tvd"]].map("{:.2f}".format),
        }
        for model, values in ours.items():
            said = [ranged(x) if x is not None else "–" for x in values]
            if model.startswith("search"):
                said[1] = f"at most {resolve({'corpus': corpus}).epsilon:g}"
            pairs = zip(said, [*reported[model], "–"][:3], strict=True)
            cells = [cell for pair in pairs for cell in pair]
            found.append((label, model, *cells))
    columns = ["corpus", "model", *(f"{n}{w}" for n in ("JSD", "TVD", "F1") for w in ("", ", reported"))]
    return pd.DataFrame(found, columns=columns)


def ranged(values: pd.Series) -> str:
    """A mean and its range: `0.10 (0.07 to 0.14)`; of one value that alone."""
    values = values.dropna()
    spread = f" ({values.min():.2f} to {values.max():.2f})" if len(values) > 1 else ""
    return f"{values.mean():.2f}{spread}"


def price_on_real_text(models: pd.DataFrame) -> str:
    """What an adversary with the least λ moves the prediction by, of what the best one does.

    models: `elsewhere`'s.
    """
    adversaries = models[models["kind"] == "adversary"].sort_values(
        "name", key=lambda name: name.astype(float)
    )
    least = adversaries.groupby(["corpus", "base"])["change"].first()
    own = by_base(models).set_index(["corpus", "base"])["change"]
    parts = [
        f"{least[corpus].mean():.2f} of {own[corpus].mean():.2f} on {CORPORA[corpus]}"
        for corpus in own.index.unique("corpus")
    ]
    if not parts:
        return ""
    return f"It is {listed(parts)}. Only the rest can be the price of looking elsewhere."


def two_ways(own: pd.DataFrame) -> str:
    """What the adversary's attention does to the base. own: `adversaries`, of the best λ."""
    further = (own["trained_jsd"] > own["room"] + 1e-9).mean()
    return (
        f"The adversary moves its own prediction by {own['trained_change'].mean():.2f}. Its attention, "
        "put into the "
        f"base, moves the base's by {own['transplanted'].mean():.2f}. In {further:.0%} of the texts it "
        "lies further "
        "away than any attention on the base's states could, at the adversary's own TVD."
    )


def looks_away(own: pd.DataFrame) -> str:
    """The text where the adversary looks away most, of those whose prediction it moves least: its id.

    Of the half of them, and all that it moves by 0.05 or less. own: as for `two_ways`.
    """
    near = own[own["trained_change"] <= max(own["trained_change"].median(), 0.05)]
    return near.sort_values(["trained_jsd", "id"], ascending=[False, True]).iloc[0]["id"]


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


def still_same(row: Row, theirs: Row) -> str:
    """How far apart the two models' attention and prediction are on one text: the finding of its figure."""
    return (
        f"Attention {jsd(theirs.attention, row.attention):.2f} nats apart, predictions "
        f"{tvd(theirs.prediction, row.prediction):.2f}"
    )


def erased(row: Row, theirs: Row) -> list[str]:
    """What the adversary's brightest word does to its prediction. theirs: the adversary's row of the same
    text.
    """
    top = int(theirs.attention.argmax())
    if theirs.attention[top] >= 1 - 1e-9 or len(theirs.units) < 2:
        return []
    left = theirs.attention * (np.arange(len(theirs.units)) != top)
    lost = tvd(theirs.probs(left / left.sum()), theirs.prediction)
    said = [
        f"The adversary pays {theirs.attention[top]:.2f} of its attention to "
        f"*{tokens([theirs.units[top]])}*, to "
        f"which the base pays {row.attention[top]:.2f}.",
        f"Without it its prediction moves by {lost:.3f} (TVD; **Erase top** on the second strip).",
    ]
    if theirs.attention[top] > 0.5 and lost < 0.05:
        said.append("So what its heatmap shows is not what its prediction hangs on.")
    return said


def exchanged(row: Row, theirs: Row, classes) -> str:
    """What base and adversary would say with one another's weights."""
    k = row.shown
    return (
        f"With the adversary's weights the base would give P({inert(classes[k])}) = "
        f"{row.probs(theirs.attention)[k]:.2f} "
        f"instead of {row.prediction[k]:.2f}; with the base's weights the adversary would give "
        f"{theirs.probs(row.attention)[k]:.2f} instead of {theirs.prediction[k]:.2f}."
    )


# Does the adversary deceive?


def agreement(deception: pd.DataFrame, what: str) -> str:
    """Mean τ of attention with what a model uses, of both: a figure's finding. what: a key of SUPPORT."""
    base, adversary = (deception[f"{who}_{what}"].mean() for who in ("base", "adversary"))
    return (
        f"Attention and {SUPPORT[what]}: mean τ {number(base)} in the base, {number(adversary)} in the "
        "adversary"
    )


def deceives(deception: pd.DataFrame, kl_reversed: bool) -> list[str]:
    """Whether the adversary's attention points away from what it uses, in the mean and in how many
    texts.
    """
    below = [name for kind, name in SUPPORT.items() if deception[f"adversary_{kind}"].mean() < 0]
    shares = {
        who: (deception[f"{who}_loo"].dropna() < 0).mean()
        if deception[f"{who}_loo"].notna().any()
        else np.nan
        for who in ("base", "adversary")
    }
    direction = (
        "base ‖ adversary), as on the slides" if kl_reversed else "adversary ‖ base), unlike the slides"
    )
    on_average = "on average neither measure shows deception"
    if below:
        on_average = f"on average the adversary points away from {listed(below)}"
    return [
        f"Here, with KL({direction}, {on_average}.",
        f"It points against leave-one-out in {number(shares['adversary'], '.0%')} of the texts. So does "
        "the base, "
        f"which nobody made to deceive, in {number(shares['base'], '.0%')}.",
    ]


def deception_on_real_text() -> pd.DataFrame:
    """Mean τ of attention with each of SUPPORT on real text, a row a model and measure, a column a
    corpus.
    """
    found = {}
    for corpus, label in CORPORA.items():
        each = bases(corpus)
        for who in ("base", "adversary"):
            for kind, name in SUPPORT.items():
                if f"{who}_{kind}" in each.index:
                    found.setdefault(f"{who}: attention and {name}", {})[label] = over_seeds(
                        each.loc[f"{who}_{kind}"]
                    )
    table = pd.DataFrame.from_dict(found, orient="index").rename_axis("mean τ").reset_index()
    return table.fillna("–")


# So


def answer(run, models: pd.DataFrame) -> list[str]:
    """The chapter's question, answered for real text and for this run."""
    said, of = [], by_base(models)
    if len(of):
        far, less = (of["jsd"] > FAR).sum(), (of["change"] < of["change_seed"]).sum()
        said.append(
            f"Attention is one story among others. For {far} of {len(of)} base models on real text there "
            "is another "
            f"model that looks more than {FAR:g} nats away, and {less} of {len(of)} such models say what "
            "the base "
            "says better than another seed does."
        )
    own, chance = best_point(run), seeds_of(run.table("points"))
    price = "at less" if own["change"] < chance["change"] else "only at more"
    said.append(
        f"On this chapter's texts that comes {price} change of the prediction ({own['change']:.2f}) than "
        "another "
        f"seed brings ({chance['change']:.2f})."
    )
    return said


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
        "theirs": "λ with half the TVD",
    }  # fmt: skip
    return trained[[*columns]].rename(columns=columns)


def well_trained(table: pd.DataFrame, most: int) -> str:
    """Whether the change grows with λ, as it should. table: `how_trained`'s; most: `adversary_epochs`."""
    steps = table["mean TVD"]
    falls, whole = (steps.diff() < -0.01).sum(), (table["epochs"] >= most).sum()
    said = (
        "With λ the TVD should not fall, and it nowhere falls by more than 0.01 over "
        f"{counted(len(steps), 'λ')}."
    )
    if falls:
        said = (
            f"With λ the TVD should not fall; it does, by more than 0.01, in {falls} of {len(steps) - 1} "
            "steps. The "
            "point before such a fall may have been badly trained."
        )
    return f"{said} {whole} of {counted(len(steps), 'training')} took all {most} epochs."


def all_lambdas(corpus: str) -> pd.DataFrame:
    """JSD, TVD and F1 of every trained adversary of a real corpus, a row a λ, columns by base."""
    each = bases(corpus)
    kinds = {"jsd": "JSD", "change": "TVD", "f1": "F1"}
    wide = pd.concat(
        [by_lambda(each, kind).add_prefix(f"{name}, base ") for kind, name in kinds.items()], axis=1
    )
    wide.insert(0, "λ", [f"{w:g}" for w in wide.index])
    return wide


def reach(corpus: str) -> list[str]:
    """With which λ the adversary of each base gets far, beside the reported one."""
    each = bases(corpus)
    if each.empty:
        return []
    far = by_lambda(each, "jsd")
    theirs = verdict.wiegreffe_pinter(corpus).query("experiment == 'best'").iloc[0]
    asked = 2 * theirs["kl_weight"]
    here = over_seeds(far.loc[asked].dropna()) if asked in far.index else "not run"
    said = [f"With λ = {asked:g}, theirs doubled, JSD is {here}; reported is {theirs['jsd']:.2f}."]
    for base, of in far.items():
        beyond = of[of > FAR]
        where = f"from λ = {beyond.index[0]:g} on" if len(beyond) else "with no λ"
        said.append(f"The adversary of base {base} looks more than {FAR:g} nats away {where}.")
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
        for kind, name in (("jsd", "mean JSD"), ("change", "mean TVD")):
            for weight, means in by_lambda(each, kind).iterrows():
                if f"{kind} lambda={weight:g}" in of and others:
                    two, usual, rest = of[f"{kind} lambda={weight:g}"], means[base], means[others].dropna()
                    lines.append((base, f"{weight:g}", name, two, usual, ranged(rest)))
                    near.append(abs(two - rest.mean()) < abs(usual - rest.mean()))
    table = pd.DataFrame(lines, columns=["base", "λ", "", "two epochs", "as chosen", "the other bases"])
    if not near:
        return table, ""
    nearer = f"In {sum(near)} of {len(near)} numbers the base of two epochs is nearer to the other bases"
    if sum(near) > len(near) / 2:
        return (
            table,
            f"{nearer}: what looking elsewhere costs hangs on how long the base was trained (one seed).",
        )
    return table, f"{nearer}: that isn't why (one seed)."


def of_bases() -> pd.DataFrame:
    """SST's base models: epoch, share of texts of which they are sure, and their best adversary."""
    each = bases("sst")
    columns = {
        "epoch": "epoch", "sure": "share of texts that it is sure of", "best_lambda": "best λ",
        "trained_jsd": "best adversary: mean JSD", "trained_change": "its mean TVD",
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
        "adversary ‖ base, epoch chosen by the training loss": late & ~turned,
        "base ‖ adversary, as on the slides": turned,
    }
    found = []
    for base in rows.loc[turned, "seed"].unique():
        for version, which in versions.items():
            of = rows[which & (rows["seed"] == base)].drop_duplicates("measure").set_index("measure")
            if "trained_jsd" in of.index:
                taus = [of.loc[f"adversary_{kind}", ["mean", "low", "high"]] for kind in SUPPORT]
                taus = ["{:+.3f} ({:+.3f} to {:+.3f})".format(*tau) for tau in taus]
                weight, far = of.loc["best_lambda", "mean"], of.loc["trained_jsd", "mean"]
                found.append((base, version, f"{weight:g}", far, of.loc["trained_change", "mean"], *taus))
    columns = ["base", "KL", "best λ", "JSD", "TVD", *(f"τ with {name}" for name in SUPPORT.values())]
    return pd.DataFrame(found, columns=columns)


def turned_round() -> list[str]:
    """With the slides' direction of the KL on SST: does the adversary point away from what it uses?"""
    rows = carried("sst")
    found = []
    for base, of in rows[rows["given"].str.contains("kl_reversed=True")].groupby("seed"):
        of = of.set_index("measure")
        parts = []
        for kind, name in SUPPORT.items():
            tau = of.loc[f"adversary_{kind}"]
            lies = "below" if tau["high"] < 0 else "above" if tau["low"] > 0 else "on both sides of"
            parts.append(f"{name} is {tau['mean']:+.2f} (its interval lies {lies} 0)")
        found.append(f"With the slides' direction, base {base}: the mean τ with {listed(parts)}.")
    return found
