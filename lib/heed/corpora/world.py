"""A small world: people move between places, take things, leave them and hand them over.

A story is told in sentences of the form of bAbI's (Weston et al. 2015, tasks 1 to 3), so `solve`, which knows
verbs but neither names, places nor things, answers the official files' questions, too. Truth: the sentences
that support the answer, as there:

* task 1, `where is PERSON`: the person's last move;
* task 2, `where is the THING`: the last time that it was taken, left or handed over, and the move that
  brought its holder to where it is;
* task 3, `where was the THING before the PLACE`: that last time, and the moves that brought its holder to
  the place and to where it was before.

Each story has one question, asked when the story has `made_length` words, more or less, and only where these
sentences alone suffice to answer it.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from heed.errors import HeedError
from heed.params import Params

PEOPLE = ("ada", "ben", "cleo", "emil")
PLACES = ("attic", "cellar", "library", "porch", "studio", "yard")
THINGS = ("coin", "key", "lamp")
MOVES = ("moved to", "went to", "went back to", "travelled to", "journeyed to")
TAKES = ("took", "got", "grabbed", "picked up")
LEAVES = ("left", "dropped", "discarded", "put down")
HANDS = ("handed", "gave", "passed")
ACTS, GIVES, THERE = 0.65, 0.5, 0.2  # shares of events: with a thing at hand, of hand-overs, of `there`
QUESTIONS = ("where is {}", "where is the {}", "where was the {} before the {}")
KINDS = {verb.split()[0]: kind for kind in (MOVES, TAKES, LEAVES, HANDS) for verb in kind}
_OF_VERBS = {word for verb in (*MOVES, *TAKES, *LEAVES, *HANDS) for word in verb.split()}
_OTHERS = {".", "the", "to", "there", "where", "is", "was", "before"}
WORDS = tuple(sorted({*PEOPLE, *PLACES, *THINGS, *_OF_VERBS, *_OTHERS}))


class Story:
    """What the sentences so far say: who moved where, who had what, and where each thing has been.

    `moves` of a person and `been` of a thing are places, each with the number of the sentence that tells the
    move there; `holder` and `last` of a thing are who has it and the sentence that says so.
    """

    def __init__(self, sentences: Iterable[list[str]] = ()):
        self.moves, self.been = defaultdict(list), defaultdict(list)
        self.holder, self.last = {}, {}
        self.sentences: list[list[str]] = []
        for sentence in sentences:
            self.tell(sentence)

    def tell(self, sentence: list[str]) -> None:
        """Take in one more sentence. Raises HeedError if it isn't of the world's forms."""
        number = len(self.sentences)
        self.sentences.append(sentence)
        words = [word for word in sentence if word != "there"]
        kind = KINDS.get(words[1]) if len(words) > 3 else None
        if kind is None or (kind is HANDS and words[-2] != "to"):
            raise HeedError(f"world: {' '.join(sentence)!r} says neither a move nor what became of a thing.")
        who = words[0]
        if kind is MOVES:
            self._move(who, words[-1], number)
        elif kind is TAKES:
            self._pass(who, words[-1], who, number)
        elif kind is LEAVES:
            self._had(who, words[-1])
            self._pass(who, words[-1], None, number)
        else:
            thing, receiver = words[-3], words[-1]
            self._had(who, thing)
            self._pass(who, thing, receiver, number)

    def _move(self, who: str, place: str, number: int) -> None:
        """Somebody moves, and what they hold with them."""
        self.moves[who].append((place, number))
        for thing, holder in self.holder.items():
            if holder == who:
                self.been[thing].append((place, number))

    def _had(self, who: str, thing: str) -> None:
        """Who leaves a thing or hands it over and never took it had it all along."""
        if thing not in self.holder:
            self.been[thing] += self.moves[who]

    def _pass(self, who: str, thing: str, holder: str | None, number: int) -> None:
        """Where `who` is now, the thing comes into the hands of `holder`, or of nobody."""
        self.been[thing] += self.moves[who][-1:]
        self.last[thing] = number
        self.holder[thing] = holder

    def answer(self, question: list[str]) -> tuple[str, list[int]]:
        """The answer, and the numbers of the sentences that support it. Raises HeedError if there is none."""
        try:
            if len(question) == 3:  # where is PERSON
                place, move = self.moves[question[2]][-1]
                return place, [move]
            thing = question[3]
            if len(question) == 4:  # where is the THING
                place, move = self.been[thing][-1]
                return place, [self.last[thing], move]
            return self._before(thing, question[-1])  # where was the THING before the PLACE
        except LookupError as error:
            raise HeedError(f"world: the story doesn't say {' '.join(question)!r}.") from error

    def _before(self, thing: str, asked: str) -> tuple[str, list[int]]:
        """Where a thing was before it was last at a place; IndexError if the story doesn't say."""
        been = self.been[thing]
        there = [i for i, (place, _) in enumerate(been) if place == asked][-1]
        before = [i for i, (place, _) in enumerate(been[:there]) if place != asked][-1]
        place, move = been[before]
        _, move_to_asked = been[before + 1]
        return place, [self.last[thing], move_to_asked, move]


def solve(words: list[str], question: list[str]) -> tuple[str, np.ndarray]:
    """The answer to a question on a passage, and which of its tokens are of the supporting sentences.

    Raises HeedError where a sentence isn't of the world's forms or the passage doesn't say.
    """
    told = Story(sentence.split() for sentence in " ".join(words).split(" . "))
    answer, facts = told.answer(question)
    return answer, supporting(words, facts)


def supporting(words: list[str], facts: Iterable[int]) -> np.ndarray:
    """Which tokens are of the sentences of these numbers; a stop between two sentences is of neither."""
    stops = np.array(words) == "."
    return np.isin(stops.cumsum(), list(facts)) & ~stops


def make(task: int, rng: np.random.Generator, p: Params) -> tuple[list[str], str, np.ndarray, list[str]]:
    """One story of a task: words, answer, truth, question.

    The answer is where the simulation has it; the sentences say less, as nobody tells where all began.
    """
    length = rng.integers(round(0.6 * p.made_length), round(1.4 * p.made_length) + 1)
    place = {who: _one(rng, PLACES) for who in PEOPLE}
    trail = {thing: [_one(rng, PLACES)] for thing in THINGS}  # where it has been
    story, words, asked = Story(), 0, None
    while asked is None:
        sentence = _event(task, rng, place, trail, story.holder)
        story.tell(sentence)
        words += len(sentence) + 1  # and a stop
        if words >= length:
            asked = _question(task, rng, story)
    question, facts = asked
    if task == 1:
        answer = place[question[2]]
    elif task == 2:
        answer = trail[question[3]][-1]
    else:
        been = trail[question[3]]
        answer = been[_last(been, question[-1]) - 1]
    passage = " . ".join(map(" ".join, story.sentences)).split()
    return passage, answer, supporting(passage, facts), question


def _event(task: int, rng: np.random.Generator, place: dict, trail: dict, holder: dict) -> list[str]:
    """Somebody does something that can be done there and then: the sentence, and the world after it."""
    who = _one(rng, PEOPLE)
    has = [thing for thing in THINGS if holder.get(thing) == who]
    lie_there = [t for t in THINGS if holder.get(t) is None and trail[t][-1] == place[who]]
    near = [other for other in PEOPLE if other != who and place[other] == place[who]]
    if task > 1 and has + lie_there and rng.random() < ACTS:
        thing = _one(rng, has + lie_there)
        if thing in has and near and rng.random() < GIVES:
            verb, receiver = _one(rng, HANDS), _one(rng, near)
            return f"{who} {verb} the {thing} to {receiver}".split()
        there = " there" if rng.random() < THERE else ""
        verb = _one(rng, LEAVES) if thing in has else _one(rng, TAKES)
        return f"{who} {verb} the {thing}{there}".split()
    place[who] = _one(rng, [there for there in PLACES if there != place[who]])
    for thing in has:
        trail[thing].append(place[who])
    return f"{who} {_one(rng, MOVES)} the {place[who]}".split()


def _question(task: int, rng: np.random.Generator, story: Story) -> tuple[list[str], list[int]] | None:
    """A question that the story answers, and that its supporting sentences answer alone; None if none is."""
    if task == 1:
        about = [(person,) for person in PEOPLE]
    elif task == 2:
        about = [(thing,) for thing in THINGS]
    else:
        about = [(thing, place) for thing in THINGS for place in PLACES]
    for i in rng.permutation(len(about)):
        question = QUESTIONS[task - 1].format(*about[i]).split()
        try:
            answer, facts = story.answer(question)
            supporting_alone = Story(story.sentences[fact] for fact in sorted(facts))
            answer_alone, _ = supporting_alone.answer(question)
        except HeedError:
            continue
        if answer_alone == answer:
            return question, facts
    return None


def _one(rng: np.random.Generator, options):
    """One of them, each as likely."""
    return options[rng.integers(len(options))]


def _last(places: list[str], place: str) -> int:
    """Where in the list the place stands last."""
    return len(places) - 1 - places[::-1].index(place)
