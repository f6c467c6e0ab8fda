"""Chapter 09: what copying comes to, in sentences and tables."""

from collections.abc import Iterable
from itertools import product
from math import factorial, log

import numpy as np
import pandas as pd

from heed import paths, verdict
from heed.experiments import copying
from heed.experiments.copying import (
    CONTROLS,
    FORGETS,
    GOOD,
    MAIN,
    NOTHING,
    OWN,
    REMEMBERS,
    TASKS,
    WRONG,
    Copies,
    Trained,
)
from heed.params import Copying, resolve
from heed.show.figures import numbers
from heed.show.sentences import counted, listed

NAMES = {(task, *MAIN): title for task, title in TASKS.items()} | CONTROLS
PERMUTATIONS, IID = TASKS["copy-permutations"], TASKS["copy-iid"]
SETTINGS = {
    "small": "small",
    "full size": "paper",
    "trained longer": "long",
}  # of carried runs, with their profiles
FEW = 3  # seeds of a task: fewer say nothing of a share
COLUMNS = {
    "copied": "symbols right",
    "attended": "attention on it",
    "relevant": "relevance highest",
    "least": "relevance lowest",
    "pointed": "right if pointed at",
}


def named(table: pd.DataFrame) -> pd.DataFrame:
    """With a column `what`: task and model in words."""
    return table.assign(
        what=[NAMES[k] for k in table[["task", "encoder", "attention"]].itertuples(index=False)]
    )


def carried() -> pd.DataFrame:
    """The carried ends of copying runs, a row a run: what, setting, seed, measures, n sequences."""
    rows = verdict.plain(verdict.committed())
    rows = rows[rows["corpus"].isin(TASKS)].rename(columns={"corpus": "task"})
    keys = ["task", "encoder", "attention", "profile", "seed"]
    table = rows.pivot_table(index=keys, columns="measure", values="mean").reset_index()
    if table.empty:
        return pd.DataFrame(columns=[*keys, "what", "setting", "copied", "attended", "n"])
    counts = rows[rows["measure"] == "copied"].set_index(keys)["n"]
    table["n"] = counts.reindex(pd.MultiIndex.from_frame(table[keys])).to_numpy()
    settings = {profile: setting for setting, profile in SETTINGS.items()}
    table["setting"] = table["profile"].map(settings)
    return named(table.dropna(subset=["setting"]))


def of(ends: pd.DataFrame, setting: str, what: str = PERMUTATIONS) -> pd.DataFrame:
    """The ends of one setting and task."""
    return ends[(ends["setting"] == setting) & (ends["what"] == what)]


# The answer


def in_short(ends: pd.DataFrame, trained: Trained) -> list[str]:
    """The chapter's answer. ends: `carried`'s; trained: the model that this chapter trains."""
    first, on = of(ends, "full size"), of(ends, "trained longer")
    if first.empty or on.empty:
        return [excludes(trained), from_memory(trained), MEANS]
    learnt = first[first["copied"] > GOOD]
    ways = (on["copied"] > GOOD) & (on["attended"] < 0.5)  # those that copy by looking elsewhere
    yes = "Yes, with or without attending to the symbol itself" if ways.any() else "Yes"
    by = ", by attending to each symbol as they write it" if (learnt["attended"] > GOOD).all() else ""
    copies = f"Of {counted(len(first), 'model')} of the authors' size, trained to copy shuffled symbols,"
    said = f"{yes}. {copies} {len(learnt)} learn it in the authors' training time{by}."
    if learnt.empty:
        said = f"Not in the usual time. {copies} none learns it in the authors' training time."
    return [said, *trained_longer(on), from_memory(trained), MEANS]


MEANS = "So a map of attention can leave out just the answer."


def from_memory(trained: Trained) -> str:
    """What the model that this chapter trains gets right from its writer's memory alone."""
    parts = trained.by_parts()
    alone = parts.loc[NOTHING, REMEMBERS]
    guess = best_guess(trained.params.length)
    if alone > max(guess, parts.loc[NOTHING, FORGETS]):
        return (
            "A small model of this kind copies partly from memory: with attention cut off it still gets "
            f"{alone:.0%} of the symbols right (guessing: {guess:.0%})."
        )
    return f"With attention cut off, a small model of this kind gets {alone:.0%} right."


def of_parts(trained: Trained) -> list[str]:
    """What memory and attention give, each alone: which of the two accounts they support."""
    parts = trained.by_parts()
    alone, looking = parts.loc[NOTHING, REMEMBERS], parts.loc[OWN, FORGETS]
    neither, guess = parts.loc[NOTHING, FORGETS], best_guess(trained.params.length)
    said = [
        f"Memory alone gets {alone:.0%} right, attention alone {looking:.0%}, neither {neither:.0%} "
        f"(guessing among the symbols not written yet: {guess:.0%})."
    ]
    if min(alone, looking) > max(neither, guess):
        more = "memory" if alone > looking else "attention"
        said.append(f"So here both carry the copy, and {more} carries more of it.")
    return said


def of_late_steps(trained: Trained) -> str:
    """Whether a map of one sequence weighs what is written already while its last two symbols are written."""
    weights = np.stack(trained.shown["attention"].to_list())
    late = [weights[step, :step].sum() for step in (len(weights) - 3, len(weights) - 2)]
    if min(late) < 0.5:
        return ""
    return (
        "And exclusion alone can't be all of it: in the map at the top, near the end of the sequence, most "
        "weight is on places that are written already, which rules out little more."
    )


def look_away(known: pd.DataFrame) -> str:
    """How many small models that don't learn in time look away by its end. known: `carried`'s."""
    small = of(known, "small")
    slow = small[small["copied"] <= GOOD]
    if slow.empty:
        return ""
    chance = 1 / (of_profile(slow).length + 1)
    away = (slow["attended"] < chance).sum()
    return (
        f"At the end of the usual time {len(slow)} of {counted(len(small), 'small model')} "
        f"{'hasn' if len(slow) == 1 else 'haven'}'t learnt; in {away or 'none'} of them the largest weight "
        f"lies on the right symbol less often than by chance ({chance:.0%})."
    )


def of_one_wrong(trained: Trained) -> str:
    """What one wrong symbol rules out."""
    parts = trained.by_parts()
    wrong, alone = parts.loc[WRONG, REMEMBERS], parts.loc[NOTHING, REMEMBERS]
    more = "no more than memory alone: ruling out a single symbol doesn't help"
    if wrong > alone:
        more = f"more than memory alone ({alone:.0%})"
    return f"All attention on one wrong symbol leaves {wrong:.0%} right, {more}."


def parts_table(trained: Trained) -> pd.DataFrame:
    """`Trained.by_parts` as a table: with its own attention and with none."""
    return trained.by_parts().loc[[OWN, NOTHING]].rename_axis("attention").reset_index()


def of_profile(ends: pd.DataFrame) -> Copying:
    """The parameters of such runs. ends: of one setting."""
    return resolve({"corpus": "copy-permutations", "profile": ends["profile"].iloc[0]})


def looked_at(on: pd.DataFrame) -> int:
    """Steps of writing that were looked at of each model: its sequences, times their symbols and end mark."""
    return int(on["n"].min()) * (of_profile(on).length + 1)


def again(first: pd.DataFrame, on: pd.DataFrame) -> str:
    """How wrong those were that hadn't learnt, and how long they were trained again; of one at least."""
    usual = resolve({"corpus": "copy-permutations"}).steps
    which, they = (
        ("the one full-size model that hadn't learnt", "It was")
        if len(on) == 1
        else (f"the {len(on)} full-size models that hadn't learnt", "They were")
    )
    right = first.loc[first["copied"] <= GOOD, "copied"]
    said = f"After {usual} steps {which} had {between(right)} of the symbols right. " if len(right) else ""
    they = they if said else f"{which[0].upper()}{which[1:]} {they.split()[1]}"
    return (
        f"{said}{they} trained again from the start, with the same seeds, for {of_profile(on).steps} steps."
    )


def between(shares: pd.Series) -> str:
    """`64% to 75%`, or the one per cent that all are."""
    low, high = f"{shares.min():.0%}", f"{shares.max():.0%}"
    return low if low == high else f"{low} to {high}"


def trained_longer(on: pd.DataFrame) -> list[str]:
    """What became of the carried models that hadn't learnt, when they trained longer; of one at least."""
    times = of_profile(on).steps / resolve({"corpus": "copy-permutations"}).steps
    far = on[on["copied"] > GOOD]
    others = "the other one" if len(on) == 1 else f"the other {len(on)}"
    if far.empty:
        return [f"Trained {times:g} times as long, none of {others} learns it."]
    if len(far) < len(on):
        others = f"{len(far)} of {others}"
    copy = "copies" if len(far) == 1 else "copy"
    return [
        f"Trained {times:g} times as long, {others} {copy} {right_in(far)} of the symbols.",
        f"But {where_they_look(far)}",
    ]


def right_in(far: pd.DataFrame) -> str:
    """The share of the symbols that each of some models copies: `99.9% or more`."""
    steps = looked_at(far)
    wrong = round((1 - far["copied"].min()) * steps)
    return "all" if wrong == 0 else f"{1 - wrong / steps:.1%} or more"


def where_they_look(far: pd.DataFrame) -> str:
    """How often attention is highest on the symbol being written. far: models that copy."""
    steps = looked_at(far)
    touched = round(far["attended"].max() * steps)
    where = f"none of the {steps:,}" if touched == 0 else f"at most {touched} of the {steps:,}"
    return (
        f"in {where} writing steps examined per model does the largest weight lie on the symbol being "
        "written."
    )


def drawn(profile: str) -> numbers.Numbers | None:
    """The numbers of the figure of copying that the project carries; None if it carries none."""
    path = paths.DATA / "results" / "figures" / f"copying-{profile}.csv"
    return numbers.read(path) if path.exists() else None


def both_ways(first: pd.DataFrame, on: pd.DataFrame) -> str:
    """Where those look that learn in the usual steps, and the others: the figure's finding."""
    learnt, far = first[first["copied"] > GOOD], on[on["copied"] > GOOD]
    apart = (learnt["attended"] > GOOD).all() and (far["attended"] < 0.5).all()
    if len(learnt) and len(far) == len(on) and len(learnt) + len(far) == len(first) and apart:
        look = "looks" if len(learnt) == 1 else "look"
        away = "looks" if len(far) == 1 else "look"
        return (
            f"All {len(first)} copy in the end: {len(learnt)} {look} at the symbol being written, {len(far)} "
            f"{away} away"
        )
    return in_the_end(on)


def where_all_look(first: pd.DataFrame, on: pd.DataFrame) -> str:
    """How often the largest weight lies on the symbol being written, of either kind; of one at least."""
    learnt, far = first[first["copied"] > GOOD], on[on["copied"] > GOOD]
    said = []
    if len(learnt):
        which = (
            f"The {len(learnt)} that learnt in the usual time put"
            if len(learnt) > 1
            else ("The one that learnt in the usual time puts")
        )
        said.append(
            f"{which} the largest weight on the symbol being written in {learnt['attended'].min():.1%} or "
            "more of the writing steps."
        )
    if len(far) and round(far["attended"].max() * looked_at(far)) == 0:
        others = f"The other {len(far)} end" if len(far) > 1 else "The other one ends"
        chance = 1 / (of_profile(far).length + 1)
        said.append(f"{others} at none of them: they begin near chance ({chance:.0%}), and turn away.")
    elif len(far):
        most = f"{far['attended'].max():.1%}"
        said.append(f"The other{f' {len(far)} do' if len(far) > 1 else ' one does'} in at most {most}.")
    if len(far) == len(on):
        said.append("So they were only slower." if len(on) > 1 else "So it was only slower.")
    return " ".join(said)


def in_the_end(on: pd.DataFrame) -> str:
    """How many learn when they train longer: the figure's finding."""
    far = (on["copied"] > GOOD).sum()
    if len(on) == 1:
        which, learn = "the one model", "learns" if far else "doesn't learn"
    elif far == len(on):
        which, learn = f"all {len(on)} models", "learn"
    else:
        which, learn = f"{far or 'none'} of the {len(on)} models", "learns" if far < 2 else "learn"
    return f"Trained for {of_profile(on).steps} steps, {which} that hadn't learnt in time {learn} to copy"


def turned(on: pd.DataFrame) -> str:
    """Where relevance is lowest in those that trained longer, and what that means; empty if none learnt."""
    far = on[on["copied"] > GOOD]
    if far.empty:
        return ""
    least = far["least"].mean()
    said = (
        "In the full-size models that trained longer, the place of the symbol being written has the *lowest* "
        f"relevance in {least:.1%} of the steps (mean of {counted(len(far), 'model')})."
    )
    if least > 0.5:
        said += " They have the dictionary turned round: a state tells the writer “*not* this symbol”."
    return said


def corrected(found: dict[str, float]) -> str:
    """What pointing at the right symbol does, and another sequence's map. found: `under_other_weights`'s."""
    own, pointed, other = (
        found[k] for k in ("its own", "all on the right symbol", "that of another sequence")
    )
    right = "hardly any symbol right" if pointed < 0.02 else f"{pointed:.0%} of the symbols right"
    said = [f"“Correcting” the map, by pointing at the right symbol, leaves {right}."]
    if own - other < 0.05:
        said.append("Another sequence's map does nearly as well: the map follows places, not symbols.")
    return " ".join(said)


def attention_on_it(shown: pd.DataFrame) -> float:
    """The mean weight on the symbol that is written."""
    return float(np.diagonal(np.stack(shown["attention"].to_list())).mean())


def maps(one: pd.DataFrame, other: pd.DataFrame, right: list[float]) -> str:
    """Where two models look while they write a sequence: the figure's finding. right: of each."""
    left, beside = map(attention_on_it, (one, other))
    if min(right) > GOOD:
        return f"Both copy, with {left:.0%} or {beside:.0%} of attention on the symbol being written"
    return f"Attention on the symbol being written: {left:.0%} in one model, {beside:.0%} in the other"


def does(shown: pd.DataFrame, right: float) -> str:
    """What a model does on the sequence shown, and how well it copies: for a panel's title."""
    on_it = attention_on_it(shown)
    what = "attends to it" if on_it > 0.5 else "looks away" if on_it < 1 / len(shown) else "does neither"
    return f"{what}, {right:.0%} right"


def relevances(attends: pd.DataFrame, excludes: pd.DataFrame) -> str:
    """In how many steps relevance is highest, or lowest, at the right symbol: the figure's finding."""
    one, other = (np.stack(shown["relevance"].to_list())[None] for shown in (attends, excludes))
    return (
        f"Relevance at the right symbol: highest in {copying.hits(one):.0%} of the steps (left), lowest in "
        f"{copying.hits(-other):.0%} (right)"
    )


def excludes(trained: Trained) -> str:
    """What the model that this chapter trains has learnt."""
    last, sequences = trained.looks.iloc[-1], len(trained.source)
    return (
        f"After {last['step']:.0f} steps this model copies {last['copied']:.0%} of the symbols of "
        f"{sequences} new sequences. Its largest weight lies on the right symbol in "
        f"{last['attended']:.0%} of the steps."
    )


def larger_steps(trained: Trained, p: Copying) -> str:
    """How this chapter's model differs from those of its setting."""
    return (
        f"This chapter trains one of the small models that don't learn in time (seed {trained.params.seed}), "
        f"at a learning rate of {trained.params.learning_rate:g} instead of {p.learning_rate:g} and for "
        f"{trained.params.steps} steps instead of {p.steps}. So it gets to the end of its way within seconds."
    )


def over_steps(looks: pd.DataFrame) -> pd.DataFrame:
    """The looks of one training, with columns in words."""
    shown = [name for name in COLUMNS if name != "relevant"]
    return looks[["step", *shown]].rename(columns=COLUMNS)


def title_of_weights(trained: Trained) -> str:
    """What that table says, and of how many sequences."""
    return f"Symbols right with other attention (one small model, {len(trained.source)} sequences)"


def other_weights(found: dict[str, float]) -> pd.DataFrame:
    """`Trained.under_other_weights` as a table."""
    return pd.DataFrame(found.items(), columns=["attention", "symbols right"])


# What can be counted


def company(sequences: Iterable[tuple[int, ...]]) -> pd.DataFrame:
    """How often each output symbol stands in a pair with each input symbol, if all of these are copied."""
    counts = np.zeros((3, 3), dtype=int)
    for one in sequences:
        for written, read in product(one, one):
            counts[written, read] += 1
    frame = pd.DataFrame(counts, columns=[f"input {k}" for k in range(3)])
    frame.insert(0, "output", [f"{k}'" for k in range(3)])
    return frame


def lift(p: Copying) -> float:
    """How many times as often a symbol stands with its own copy as with another's."""
    if p.corpus == "copy-permutations":
        return 1.0
    return (
        (p.drawn_from - 1) / (p.length - 1)
        if p.corpus == "copy-chosen"
        else (2 * p.length - 1) / (p.length - 1)
    )


def lift_counted(p: Copying, count: int = 4000) -> float:
    """The same, counted in sequences that are drawn."""
    drawn, _ = copying.draw(p, count, np.random.default_rng(0))
    bags = (drawn[:, :-1].numpy()[:, None] == np.arange(p.drawn_from)[:, None]).sum(2)
    together = bags.T @ bags
    own = together.trace() / p.drawn_from
    return own / ((together.sum() - together.trace()) / (p.drawn_from * (p.drawn_from - 1)))


def lifts(p: Copying) -> pd.DataFrame:
    """Of each task, what follows from its rule, and what is counted."""
    rows = []
    for task, title in TASKS.items():
        one = p.model_copy(update={"corpus": task})
        rows.append((title, lift(one), lift_counted(one)))
    return pd.DataFrame(rows, columns=["task", "ratio by its rule", "ratio counted"])


def title_of_lifts(p: Copying) -> str:
    """What the table says: what is divided by what."""
    full = resolve({"corpus": "copy-chosen"})
    here = p.model_copy(update={"corpus": "copy-chosen"})
    return (
        "How many times as often a symbol occurs with its own copy as with another's (sequences of "
        f"{p.length}; “some of more symbols” are chosen out of {here.drawn_from}, at full size "
        f"{full.length} out of {full.drawn_from}; counted in 4,000)"
    )


def best_guess(n: int) -> float:
    """Share of steps that are right if one guesses among the n symbols not written yet; then the end mark."""
    return (sum(1 / k for k in range(1, n + 1)) + 1) / (n + 1)


def blind(n: int) -> str:
    """What is attainable without reading, of n symbols and at full size."""
    assert log(factorial(n)) / n < log(n)
    full = resolve({"corpus": "copy-permutations"}).length
    right = [f"{best_guess(k):.0%} right with {k} symbols" for k in dict.fromkeys((full, n))]
    return (
        "For comparison: a writer that remembers what it has written and guesses among the rest gets "
        f"{listed(right)} (end mark included, as everywhere)."
    )


def sizes(p: Copying) -> str:
    """How long the sequences are at full size and here."""
    full = resolve({"corpus": "copy-permutations"})
    stored = (
        f"At full size, that of the authors, the sequences have {full.length} symbols, and {full.steps} "
        "steps of training are the **usual time**; only these models' results are "
        "[stored](glossary.md#carried)."
    )
    return (
        stored
        if p.length == full.length
        else f"{stored} The small models that this chapter trains copy {p.length}, in {p.steps} steps."
    )


def setting(p: Copying) -> str:
    """The size of the models of this run, and a sequence."""
    source, given = copying.draw(p, 1, np.random.default_rng(1))
    return (
        f"Here the sequences have {p.length} symbols and the states {p.hidden} numbers; training takes "
        f"{p.steps} steps of {p.batch_size} new sequences each (profile `{p.profile}`). An example to be "
        f"read: {source[0].tolist()}, where {p.drawn_from} is the end mark. The writer is told the same "
        f"one step late: {given[0].tolist()}, beginning with the start mark."
    )


# How often


def parts(ends: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """This run's ends and the carried ones, with a column `setting`; this run's few seeds are left out."""
    here = ends.assign(setting="this run")
    counts = here[here["what"].isin(TASKS.values())].groupby("what").size()
    if len(counts) and counts.min() < FEW:
        here = here.iloc[:0]
    together = [one for one in (here, known[known["setting"].isin(["small", "full size"])]) if len(one)]
    return pd.concat(together, ignore_index=True) if together else known.iloc[:0]


def shares(together: pd.DataFrame) -> pd.DataFrame:
    """`copying.shares` of the three tasks, by setting."""
    order = {what: k for k, what in enumerate(TASKS.values())}
    own = together[together["what"].isin(order)].sort_values(
        "what", key=lambda w: w.map(order), kind="stable"
    )
    return copying.shares(own, ["setting", "what"])


def reported() -> dict[str, float]:
    """What the authors report, by task in words."""
    table = pd.read_csv(paths.DATA / "published" / "snell_copying.csv")
    return dict(zip(table["corpus"].map(TASKS), table["success"], strict=True))


def how_often(found: pd.DataFrame) -> str:
    """The share of models that learn: the figure's finding. found: `shares`'s."""
    said = of_each_size(found)
    return f"{listed(said)} learn permutations" if said else ""


def of_each_size(found: pd.DataFrame) -> list[str]:
    """`9 of 20 models (full size)`, `11 of 20 (small)`: how many learn permutations. found: `shares`'s."""
    said = []
    for row in found[found["what"] == PERMUTATIONS].itertuples():
        models = "" if said else " models"
        said.append(f"{row.success * row.seeds:.0f} of {row.seeds}{models} ({row.setting})")
    return said


def of_other_tasks(found: pd.DataFrame) -> str:
    """Whether permutations alone are hard. found: `shares`'s."""
    own, others = found[found["what"] == PERMUTATIONS], found[found["what"] != PERMUTATIONS]
    if own.empty or others.empty:
        return ""
    if (others["success"] < 1).any():
        return "On the other two tasks not all models learn, either."
    if (own["success"] == 1).all():
        return "On the other two tasks all models learn, too."
    return "On the other two tasks all models learn: only where counting finds nothing do some fail."


def as_reported(found: pd.DataFrame) -> list[str]:
    """Whether the authors' shares lie within our intervals. found: `shares`'s."""
    told, said = reported(), []
    inside = pd.Series([row.low <= told[row.what] <= row.high for row in found.itertuples()], dtype=bool)
    each = []
    for setting, own in inside.groupby(found["setting"].to_numpy(), sort=False):
        each.append(f"{'all' if own.all() else f'{own.sum()} of the'} {len(own)} ({setting})")
    if each:
        said.append(f"Of these tasks the authors' share lies in our interval in {listed(each)}.")
    wide = [
        f"{row.low:.2f} to {row.high:.2f} ({row.setting})"
        for row in found[found["what"] == PERMUTATIONS].itertuples()
    ]
    if wide:
        said.append(f"For permutations the interval is wide: {listed(wide)}.")
    return said


def borders(together: pd.DataFrame) -> str:
    """How many models of permutations have learnt, by what counts as learnt."""
    asked, said = (0.6, 0.8, GOOD, 0.99), []
    for name, own in together[together["what"] == PERMUTATIONS].groupby("setting", sort=False):
        counts = [str((own["copied"] > border).sum()) for border in asked]
        said.append(f"{listed(counts)} of {len(own)} ({name})")
    if not said:
        return ""
    names = listed([f"{border:.0%}" for border in asked])
    return (
        f"With borders of {names} instead, the numbers of models of permutations that count as having learnt "
        f"are {'; '.join(said)}."
    )


# Which comes first


def half_right(looks: pd.DataFrame, ends: pd.DataFrame) -> pd.DataFrame:
    """Of the models that have learnt: the first look at which each of three is right in half of the steps."""
    rows = []
    for one in ends[ends["copied"] > GOOD].itertuples():
        own = looks[(looks["what"] == one.what) & (looks["seed"] == one.seed)].set_index("step")
        steps = [
            (own[k] >= 0.5).idxmax() if (own[k] >= 0.5).any() else np.nan
            for k in ("relevant", "attended", "copied")
        ]
        rows.append((one.what, one.seed, *steps))
    return pd.DataFrame(rows, columns=["task", "seed", "relevance", "attention", "symbols"])


def which_first(when: pd.DataFrame) -> str:
    """Whether relevance is half right before attention is. when: `half_right`'s."""
    both = when.dropna()
    if both.empty:
        return "No model here has learnt to attend, so neither came first."
    sooner, same = (
        (both["relevance"] < both["attention"]).sum(),
        (both["relevance"] == both["attention"]).sum(),
    )
    seeds = listed([str(seed) for seed in sorted({*both["seed"]})])
    which = f"{listed([*dict.fromkeys(both['task'])])}; seed{'s' if ' ' in seeds else ''} {seeds}"
    said = (
        f"Of {counted(len(both), 'small model')} trained here that came to attend ({which}), {sooner} "
        f"{'have' if sooner != 1 else 'has'} relevance highest at the right place in half of the steps "
        "before attention is there in half of them"
    )
    tied = f"; in {same} both come at the same look" if same else ""
    return f"{said}{tied}. (Stored runs say how often relevance is highest only at their end.)"


# Controls


def controls(together: pd.DataFrame) -> list[str]:
    """What an encoder of two directions, even attention and no context say; nothing of what isn't there."""
    said = []
    for name, own in together.groupby("setting", sort=False):
        both = own[own["what"] == "permutations, encoder of two directions"]
        copies = both[both["copied"] > GOOD]
        if len(copies):
            beside = (copies["attended_early"] + copies["attended_late"] > 0.5).sum()
            said.append(
                f"* **Two directions** ({name}): {len(copies)} of {len(both)} models learn to copy; "
                f"{beside} of them attend one place *beside* the symbol in most steps."
            )
        even = {k: own.loc[own["what"] == f"{k}, uniform attention", "relevant"] for k in (IID, PERMUTATIONS)}
        if all(map(len, even.values())):
            said.append(f"* **Even attention** ({name}): {under_even_attention(*even.values())}")
        none = own.loc[own["what"] == "permutations, no context", "copied"]
        if len(none):
            said.append(
                f"* **No context** ({name}): {none.mean():.0%} of the symbols are right "
                f"({counted(len(none), 'seed')})."
            )
    return said


def under_even_attention(iid: pd.Series, fixed: pd.Series) -> str:
    """Whether relevance is at the right place more often on i.i.d. sequences; each of one seed at least."""
    shares = (
        f"({iid.mean():.0%} of the steps against {fixed.mean():.0%}, {counted(len(iid), 'seed')} of each)"
    )
    if iid.min() > fixed.max():
        return (
            f"the dictionary is there more often on i.i.d. sequences than on permutations {shares}, with "
            "every seed, as the authors argue."
        )
    return (
        f"the dictionary isn't there more often on i.i.d. sequences than on permutations {shares}, "
        "against the authors' argument."
    )


def unexplained(together: pd.DataFrame) -> list[str]:
    """Where even attention has much of a dictionary on permutations, and still only they are hard: why?"""
    said = []
    for name, own in together.groupby("setting", sort=False):
        even = own.loc[own["what"] == f"{PERMUTATIONS}, uniform attention", "relevant"]
        fail = {task: own.loc[own["what"] == task, "copied"] <= GOOD for task in (PERMUTATIONS, IID)}
        if even.mean() > 0.5 and fail[PERMUTATIONS].any() and len(fail[IID]) and not fail[IID].any():
            said.append(
                f"If even attention gives a dictionary of permutations, why do {fail[PERMUTATIONS].sum()} of "
                f"{len(fail[PERMUTATIONS])} models ({name}) not learn to copy them in the usual steps, when "
                f"all {len(fail[IID])} learn to copy i.i.d. sequences? That is open: these numbers say how "
                "often the dictionary is there at the end of training, not how soon."
            )
    return said


def besides_counting(together: pd.DataFrame) -> str:
    """How often even attention finds the right place of a permutation, which counting can't; else empty.

    An even map itself is at the right place as often as chance is.
    """
    said, more = [], []
    for name in ("full size", "this run", "small"):
        own = of(together, name, f"{PERMUTATIONS}, uniform attention")
        if len(own):
            guess = own["attended"].mean()
            said.append(
                f"{own['relevant'].mean():.0%} of the steps ({name}; {counted(len(own), 'model')}; by chance "
                f"{guess:.0%})"
            )
            more.append(own["relevant"].min() > 2 * guess)
    if not said:
        return ""
    found = f"Their relevance is highest at the right place in {listed(said)}."
    if all(more):
        found += " So models find more than counts without places do (a state may know its place); how "
        found += "isn't tested."
    return found


def means(together: pd.DataFrame) -> pd.DataFrame:
    """Every setting and model: means over seeds at the end."""
    columns = {k: COLUMNS[k] for k in ("copied", "attended", "relevant", "least")}
    beside = {"attended_early": "on one before", "attended_late": "on one after"}
    columns |= beside
    found = together.groupby(["setting", "what"], sort=False)[[*columns]].mean().rename(columns=columns)
    found.insert(0, "seeds", together.groupby(["setting", "what"]).size())
    return found.reset_index().rename(columns={"what": "model"})


# Why about half


def two_ways(n: int) -> tuple[np.ndarray, dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """Times; D, p and the right symbol's probability, from a start a little above and below the standstill.

    Raises AssertionError if the flow near the standstill isn't what the text says it is.
    """
    near = np.linspace(0, n, 5)
    d, _ = copying.way_down((1e-6, 0), near, n)
    assert np.allclose(d, 1e-6 * np.cosh((1 - 1 / n) / n * near), rtol=1e-3)
    times = np.linspace(0, 150 * n, 301)
    ways = {}
    for start in (0.1, -0.1):
        d, p = copying.way_down((start, 0), times, n)
        ways[f"start at D = {start:+.1f}"] = d, p, copying.right_symbol(d, p, n)
    return times, ways


def longer(times: np.ndarray, ways: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> str:
    """Where the two ways lead: the figure's finding. ways: `two_ways`'s, that to the right symbol first."""
    (_, _, short), (_, _, long) = ways.values()
    k = len(times) // 5
    return f"In theory P(right symbol) is {short[k]:.2f} or {long[k]:.2f} at time {times[k]:g}"


def starts(n: int, count: int = 200) -> str:
    """How many random starts go either way, and whether the sign of D + x tells which."""
    drawn = np.random.default_rng(0).normal(0, 0.1, (count, 2))
    up = np.array([copying.way_down(one, np.array([0.0, 30.0 * n]), n)[0][-1] > 0 for one in drawn])
    told = (up == (drawn.sum(1) > 0)).mean()
    return (
        f"Of {count} random starts {up.mean():.0%} take the first way. The sign of D + x, where x is the "
        f"score of the right place, tells beforehand which way for {told:.0%} of them."
    )


# The foot


def answer(ends: pd.DataFrame, found: pd.DataFrame) -> list[str]:
    """The chapter's question, answered. ends: `carried`'s; found: `shares`'s."""
    own = found[found["what"] == PERMUTATIONS]
    said = []
    if len(own):
        start = "Yes" if (own["success"] > 0).any() else "Not in the usual time"
        said.append(f"{start}: {listed(of_each_size(found))} learn to copy permutations in the usual time.")
    on = of(ends, "trained longer")
    if len(on):
        said.append(also_longer(on))
    said.append("For a reader of heatmaps: the symbol without weight may be the answer.")
    return said


def also_longer(on: pd.DataFrame) -> str:
    """How many of the carried models that hadn't learnt do when they trained longer; of one at least."""
    far = (on["copied"] > GOOD).sum()
    learn, by = "learn it", ", looking away from the symbol that they write"
    if len(on) == 1:
        which, learn, by = "The one", "learns it", ", looking away from the symbol that it writes"
    elif far == len(on):
        which = f"All {len(on)}"
    else:
        which = f"{far or 'None'} of the {len(on)}"
        learn = "learn it" if far > 1 else "learns it"
    if not far:
        learn, by = learn if len(on) > 1 else "doesn't learn it, either,", ""
    return f"{which} that hadn't at full size {learn} when trained longer{by}."


def found_here(found: pd.DataFrame) -> pd.DataFrame:
    """The table at the chapter's foot: shares with their intervals."""
    rows = [(f"{row.what} ({row.setting}, {counted(row.seeds, 'seed')})", row.success, row.low, row.high)
            for row in found.itertuples()]  # fmt: skip
    return pd.DataFrame(rows, columns=["share that learns to copy", "found", "from", "to"])


def ran_with(p: Copying, seeds: list[int], control_seeds: list[int]) -> str:
    """What this chapter was run with."""
    said = f"Profile {p.profile}, seeds {', '.join(map(str, seeds))}"
    said += f", controls {', '.join(map(str, control_seeds))}" if control_seeds else ", no controls"
    return f"{said}; {p.given}." if p.given else f"{said}."


def best_and_worst(ends: pd.DataFrame, runs: list[Copies]) -> list[Copies]:
    """This chapter's runs of permutations with the main model, the best first."""
    own = ends[ends["what"] == PERMUTATIONS].sort_values("copied", ascending=False, kind="stable")
    by = {
        run.params.seed: run
        for run in runs
        if (run.params.corpus, run.params.encoder, run.params.attention) == ("copy-permutations", *MAIN)
    }
    return [by[seed] for seed in own["seed"]]


def apart(ends: pd.DataFrame) -> str:
    """How far the models that learn at full size and those that don't are apart after the usual steps."""
    own = of(ends, "full size")
    learnt, others = own[own["copied"] > GOOD], own[own["copied"] <= GOOD]
    if learnt.empty or others.empty:
        return ""
    return (
        f"After {of_profile(own).steps} steps {len(learnt)} of {len(own)} models copy {right_in(learnt)}, "
        f"the others at most {others['copied'].max():.0%}"
    )
