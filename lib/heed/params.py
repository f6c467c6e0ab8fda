"""Params: every parameter of a run, and the only home of their defaults.

What a run uses is resolved in this order, the later winning: the defaults below (the paper's own
description), params/profiles/PROFILE.yaml and its part under `encoders: ENCODER`, params/CORPUS.yaml, its
part under `encoders: ENCODER` and that under `profiles: PROFILE`, and what the reader gives (a notebook's
parameters and its `set`).
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from heed import paths
from heed.errors import HeedError, choose
from heed.registry import at_hand, corpora, entry_of, read_yaml, vectors, yaml_named


def _odd(width: int) -> int:
    if width < 1 or width % 2 == 0:
        raise ValueError("every width must be odd and positive, so that a state belongs to a token")
    return width


def _once(values: tuple) -> tuple:
    if len({f"{v:g}" if isinstance(v, float) else v for v in values}) < len(values):  # so they name rows
        raise ValueError("every value may stand there once, numbers to six digits")
    return values


Odd = Annotated[int, AfterValidator(_odd)]
RUN = r"^$|^[\w-]+/[\w-]+/[\w-]+/seed\d+$"


class Named(BaseModel):
    """What names a run; unknown names and values of another type raise."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @property
    def model_name(self) -> str:
        """The MODEL part of a run's path."""
        return f"{self.encoder}-{self.attention}"

    @property
    def renaming(self) -> dict[str, Any]:
        """The parameters of text, model and training that aren't default, JSON-ready."""
        return self.model_dump(mode="json", exclude=NAMING | COMPUTING, exclude_defaults=True)

    @property
    def variant(self) -> str:
        """The profile and 8 hex digits of `renaming`.

        So a parameter that heed learns later leaves the names of earlier runs as they are; run.json
        holds every value, and a folder whose values differ is refused.
        """
        digest = hashlib.sha256(json.dumps(self.renaming, sort_keys=True).encode())
        return f"{self.profile}-{digest.hexdigest()[:8]}"

    @property
    def path(self) -> str:
        """Where this run lies in a results folder: CORPUS/MODEL/VARIANT/seedN."""
        return f"{self.corpus}/{self.model_name}/{self.variant}/seed{self.seed}"

    @property
    def given(self) -> str:
        """What differs from the corpus's and the profile's own values; a path by its last name.

        Vectors that the profile asks for are given, too, since not every machine has them: a run is called
        the same wherever it was made.
        """
        return self.given_to((*RIVALS, *LYING))

    def given_to(self, read: tuple[str, ...]) -> str:
        """`given`, without what is for a run's rivals and not `read`: other tables don't depend on it."""
        names = {name: getattr(self, name) for name in NAMING}
        unread = COMPUTING | {*RIVALS, *LYING} - {*read}
        if getattr(self, "lie_weight", None):
            unread -= FORBIDDING
        own = resolve(names, asked=False).model_dump(mode="json", exclude=unread)
        values = self.model_dump(mode="json", exclude=unread)
        changed = {name: value for name, value in values.items() if value != own[name]}
        shown = {k: Path(v).name if isinstance(v, str) else v for k, v in changed.items()}
        return ", ".join(f"{name}={value}" for name, value in sorted(shown.items()))

    def subset(self, *names: str) -> dict[str, Any]:
        """These parameters alone, as JSON-ready values (to key a cache by what it depends on)."""
        return self.model_dump(mode="json", include=set(names))


class Params(Named):
    """The parameters of one run."""

    # What a run is called by
    corpus: str = Field("planted", description="a corpus of data/registry.yaml or params/")
    encoder: Literal["bilstm", "cnn", "average", "gru", "none", "han", "transformer", "orthogonal"] = Field(
        "bilstm", description="what makes the states h; han: of sentences, from their words'"
    )
    attention: Literal["additive", "dot", "sparsemax", "entmax15", "uniform", "last"] = Field(
        "additive",
        description="what weighs the states; sparsemax and entmax15: additive scores, weights of exactly 0; "
        "uniform and last are baselines",
    )
    seed: int = Field(0, ge=0, lt=2**63, description="covers initialisation, order, random vectors, draws")
    profile: str = Field("paper", description="paper, paper2019, site, serrano or snell: whose protocol")

    # Text
    data_seed: int = Field(0, ge=0, lt=2**32, description="covers made corpora, splits heed draws, word2vec")
    tokenizer: str = Field(
        "en",
        description="spaCy's code of a language, `characters`, or `given` (cut at spaces)",
    )
    digits: Literal["qqq", "keep"] | None = Field(
        None, description="what becomes of a token with a digit; null: as the corpus has it, else qqq"
    )
    min_df: int = Field(1, ge=1, description="texts a word must occur in to enter the vocabulary")
    longer_than: int = Field(0, ge=0, description="keep texts of more than this many tokens")
    shorter_than: int | None = Field(None, gt=1, description="keep texts of fewer than this many tokens")
    drop_extremes: bool = Field(
        False,
        description="where no limit is given, drop a split's shortest and longest texts (the code's slip)",
    )
    vocabulary_from: Literal["train", "all"] = Field("train", description="the splits whose words count")
    without_dev: bool = Field(
        False, description="20news: divided into train and test alone, as the authors first had it"
    )

    # Made corpora (planted, indicator)
    made_train: int = Field(1200, gt=1, description="texts made for training")
    made_dev: int = Field(200, gt=1, description="texts made for choosing the epoch")
    made_test: int = Field(200, gt=1, description="texts made for testing")
    made_length: int = Field(20, ge=8, description="mean number of tokens of a made text")
    planted_words: int = Field(3, ge=1, description="sentiment words planted in a text of `planted`")
    negation: float = Field(0.3, ge=0, le=1, description="share of sentiment words after a negator")
    intensifiers: float = Field(0.2, ge=0, le=1, description="share of sentiment words after an intensifier")
    classes: int = Field(2, ge=2, le=5, description="classes of `planted`")
    sentences: int = Field(1, ge=1, description="sentences of a text of `planted`")
    indicator_share: float = Field(0.2, gt=0, lt=1, description="share of positives in `indicator`")

    # Word vectors
    vectors: str = Field(
        "random",
        description="random (N(0, 1)), zero, word2vec, a name in data/registry.yaml, or the path of a file",
    )
    vectors_from: tuple[str, ...] = Field((), description="corpora whose training texts train word2vec")
    unknown_vectors: Literal["random", "zero"] = Field("random", description="words that have no vector")
    embedding_dim: int = Field(300, ge=1)
    word2vec_window: int = Field(10, ge=1)
    word2vec_min_count: int = Field(2, ge=1)
    word2vec_epochs: int = Field(5, ge=1)
    unit_vectors: bool = Field(False, description="scale every word's initial vector to length 1")
    vectors_scale: float = Field(
        1.0, gt=0, description="factor of every initial word vector, drawn ones, too; after unit_vectors"
    )

    # Model
    input_scale: float = Field(
        1.0,
        gt=0,
        description="factor of the encoder's first weights of the word vectors; of a question's, too",
    )
    hidden: int = Field(128, ge=1, description="BiLSTM, BiGRU, HAN: size of a direction's state")
    cnn_filters: int = Field(64, ge=1, description="CNN: filters of each width")
    cnn_widths: tuple[Odd, ...] = Field((1, 3, 5, 7), min_length=1, description="CNN: odd kernel widths")
    average_dim: int = Field(256, ge=1, description="Average: size of the projection")
    average_activation: Literal["relu", "tanh"] = "relu"
    layers: int = Field(2, ge=1, description="transformer of drawn weights: layers of self-attention")
    heads: int = Field(4, ge=1, description="transformer of drawn weights: heads of a layer")
    head_size: int = Field(32, ge=1, description="transformer of drawn weights: columns of a head's values")
    pretrained: str = Field(
        "",
        description="transformer: name on the Hugging Face hub, or folder, of one that exists; then vectors, "
        "min_df and vocabulary_from don't count",
    )
    finetune: bool = Field(False, description="transformer: train what is pretrained, too")
    finetune_rate: float = Field(5e-5, gt=0, description="learning rate of what is pretrained")
    attend_markers: bool = Field(False, description="whether the start and end markers are attended to")
    attention_square: bool = Field(False, description="additive: W is H to H instead of H to H/2")
    attention_activation: Literal["tanh", "relu"] = Field("tanh", description="additive: between its layers")
    xavier: bool = Field(False, description="initial weights of decoder and GRU as Serrano & Smith draw them")
    dropout: float = Field(0, ge=0, lt=1, description="of the embedded words, in training")
    dropout_sentences: float = Field(0, ge=0, lt=1, description="HAN: of the sentences' vectors, in training")
    dropout_logits: float = Field(0, ge=0, lt=1, description="of the logits, in training")

    # Training
    batch_size: int = Field(32, ge=1)
    epochs: int = Field(8, ge=1)
    learning_rate: float = Field(1e-3, gt=0)
    weight_decay: float = Field(1e-5, ge=0)
    attention_weight_decay: float = Field(1e-5, ge=0)
    amsgrad: bool = False
    mean_loss: bool = Field(False, description="the loss of a batch is its mean (the code, QA), not its sum")
    class_weight: bool = Field(False, description="weigh the classes by the inverse of their frequency")
    select_on: Literal["dev", "test"] = Field("dev", description="the split that chooses the epoch")
    select_by: Literal["auc", "accuracy"] | None = Field(
        None, description="the score that chooses the epoch; null: the task's, AUC or (questions) accuracy"
    )
    stop_after: int | None = Field(None, ge=1, description="epochs without a better score that end training")
    plateau: bool = Field(False, description="halve the learning rate after an epoch without a better score")
    clip_norm: float | None = Field(None, gt=0, description="largest norm of a batch's mean gradient")
    first_epoch: bool = Field(True, description="whether the first epoch may be chosen")
    precision: Literal["float32", "float64"] = Field("float32", description="of training only")
    tokens_at_once: int = Field(
        16384, ge=1, description="padded tokens of a training batch; a larger one is cut, its gradients added"
    )

    # Repairs (chapter 14): what is added to a text's loss, that many times
    conicity_weight: float = Field(0, ge=0, description="its states' conicity (diversity)")
    tying: float = Field(0, ge=0, description="the mean distance of a state from its word's vector")
    masked_words: float = Field(
        0, ge=0, description="the cross-entropy of words that are hidden, told from their states"
    )
    erasure_weight: float = Field(
        0, ge=0, description="KL from attention to what erasing each weight does, as a distribution"
    )

    # Lies (chapter 14)
    lie_weight: float | None = Field(
        None, gt=0, description="λ: learn the labels with attention away from impermissible words"
    )
    impermissible: Literal["truth", "marks", "leave_one_out"] | tuple[str, ...] | None = Field(
        None,
        description="the deciding words, what people marked, the words of highest leave-one-out in `base`, "
        "or a list of words; null: the first of these that the corpus has",
    )
    impermissible_words: int = Field(
        20, ge=1, description="how many words of highest leave-one-out are impermissible"
    )

    # A model held against another run (chapter 07)
    base: str = Field("", pattern=RUN, description="path of a run in the results folder to learn from")
    kl_weight: float | None = Field(
        None,
        gt=0,
        description="λ: learn base's predictions, away from its attention; null: take its attention",
    )

    # A model that reads a part of each text (chapter 11)
    rationale: str | None = Field(
        None, description="the ranking by which base chose the words that are read; null: all are"
    )
    rationale_share: float = Field(0.2, gt=0, le=1, description="share of a text's words that are read then")

    # Measuring
    loo_how: Literal["fast", "plain"] = Field("fast", description="leave-one-out; plain: all forward passes")
    loo_tolerance: float = Field(
        1e-10, ge=0, description="a BiLSTM that comes this near to its usual states has forgotten; 0: never"
    )
    ranked_texts: int | None = Field(
        None,
        ge=1,
        description="at most so many test texts, evenly spaced, have the dear rankings; null: all",
    )
    permutations: int = Field(100, ge=1, description="drawn an instance")
    epsilon: float = Field(0.01, gt=0, lt=1, description="TVD up to which a prediction counts as kept")
    search_epsilon: float | None = Field(None, gt=0, lt=1, description="the search's own; epsilon if null")
    adversaries: int = Field(5, ge=1, description="k, searched for together")
    penalty: float = Field(500, gt=0, description="λ of the search's penalty")
    penalty_each: bool = Field(
        False, description="λ for each adversary (the code) instead of λ/k (the paper)"
    )
    mean_pairs: bool = Field(False, description="pair term: mean (the code) instead of sum over k(k-1)")
    search_steps: int = Field(500, ge=1)
    removed_texts: int = Field(
        100, ge=1, description="test texts, evenly spaced, whose words' removal is taken apart"
    )
    random_orders: int = Field(5, ge=1, description="erasure: random orders an instance")
    keep_last: bool = Field(
        True, description="erasure: a unit with attention stays; else the bias may decide"
    )
    explained_texts: int = Field(
        50, ge=1, description="chapter 11: test texts, evenly spaced, whose rankings are held to account"
    )
    surrogate_samples: int = Field(
        500, ge=1, description="LIME, KernelSHAP: altered texts an instance, beyond two a word"
    )
    game_orders: int = Field(
        500, ge=2, description="Shapley values of attention: pairs of orders drawn for long texts"
    )
    exact_words: int = Field(
        14, ge=1, le=20, description="chapter 11: words up to which every set of a text's words is read"
    )
    beam_words: int = Field(60, ge=1, description="chapter 11: words up to which the best order is sought")
    beam_width: int = Field(5, ge=1, description="chapter 11: sets kept at each step of that search")
    soft_draws: int = Field(5, ge=1, description="chapter 11: noisy texts drawn for a soft metric")
    significance: float = Field(0.05, gt=0, lt=1, description="p-value up to which a tau is significant")
    resamples: int = Field(1000, ge=1, description="of the bootstrap interval")
    other_seeds: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**63)], ...], AfterValidator(_once)] = Field(
        (50, 257, 500231, 100078, 12504, 90754789, 8988812, 2),
        min_length=1,
        description="of the models that a run is held against; its own is left out",
    )
    lambdas: Annotated[tuple[Annotated[float, Field(gt=0, lt=1e6)], ...], AfterValidator(_once)] = Field(
        (1e-4, 4e-4, 1.05e-3, 1.6e-3, 3e-3, 4e-3, 5e-3, 7e-3, 1e-2, 3e-2),
        min_length=1,
        description="kl_weight of each trained adversary, for the true TVD",
    )
    adversary_epochs: int = Field(80, ge=1, description="of a trained adversary, at most")
    patience: int = Field(
        10, ge=1, description="epochs without a better score that end an adversary's training"
    )
    adversary_select_on: Literal["dev", "test", "train"] | None = Field(
        None,
        description="the split whose objective chooses an adversary's epoch (train: theirs); null: select_on",
    )
    lie_weights: Annotated[tuple[Annotated[float, Field(gt=0, lt=1e6)], ...], AfterValidator(_once)] = Field(
        (0.1, 1.0), min_length=1, description="lie_weight of each lying model that a run is held against"
    )
    tvd_halved: bool = Field(
        False, description="half the TVD and half of lambdas, as the authors' code has it"
    )
    kl_reversed: bool = Field(False, description="KL(base, adversary), as Snell et al.'s slides have it")
    guided_dim: int = Field(
        128, ge=1, description="size of the token-wise model that takes others' attention"
    )
    watched_texts: int = Field(500, ge=1, description="test texts whose attention is watched in training")
    watch_every: int = Field(
        250, ge=1, description="steps between two looks at a model in training, after the first looks"
    )
    watch_epochs: int | None = Field(None, ge=1, description="of training that are watched; null: all")
    rationale_by: Annotated[tuple[str, ...], AfterValidator(_once)] = Field(
        ("attention", "gradient", "loo", "integrated_gradients_live"),
        description="the rankings on whose top words models are trained, beside random ones and the truth",
    )
    rationale_seeds: Annotated[tuple[Annotated[int, Field(ge=0, lt=2**63)], ...], AfterValidator(_once)] = (
        Field((50, 257), description="of those models, beside the run's own seed")
    )
    tokens_per_batch: int = Field(8192, ge=1, description="padded tokens of a batch in evaluation")
    device: Literal["cpu", "cuda"] = "cpu"
    sorted_by: str = Field("tau_gradient", description="chapter 05: the column that chooses the texts shown")
    texts_shown: int = Field(2, ge=1, description="chapter 05: texts from either end")
    threads: int = Field(1, ge=1, description="of one process; more gain little and change last digits")

    @property
    def reads_pieces(self) -> bool:
        """Whether its encoder is a transformer that exists, which reads words as pieces."""
        return self.encoder == "transformer" and bool(self.pretrained)

    @property
    def is_guided(self) -> bool:
        """Whether its attention is another run's, given text by text."""
        return bool(self.base) and not (self.kl_weight or self.lie_weight or self.rationale)

    @property
    def extra_losses(self) -> list[str]:
        """The names of what it is trained for beside its labels: a repair, a lie, another's predictions."""
        return [name for name in (*REPAIRING, "lie_weight", "kl_weight") if getattr(self, name)]

    @property
    def renaming(self) -> dict[str, Any]:
        """As of any run; a trained adversary, a liar, a rationale's reader by how it came to be, too."""
        left_out = NAMING | COMPUTING | MEASURING
        if self.kl_weight:
            left_out -= OPPOSING
        if self.lie_weight:
            left_out -= FORBIDDING
        if self.rationale:
            left_out -= {*CUTTING}
        return self.model_dump(mode="json", exclude=left_out, exclude_defaults=True)


class Classifying(Params):
    """The parameters of a transformer that classifies by its own attention, [CLS]'s (chapter 13).

    Of the text and of training they mean what `Params` says: its model's don't count but for pretrained,
    layers, heads and head_size.
    """

    encoder: Literal["transformer-cls"] = Field(
        "transformer-cls", description="a whole transformer: what exists, fine-tuned, or drawn and trained"
    )
    attention: Literal["own"] = Field("own", description="what the last layer's first position pays")
    longest: int = Field(256, ge=3, description="pieces of a text that it reads, marks included")
    epochs: int = Field(3, ge=1)
    learning_rate: float = Field(5e-5, gt=0, description="falls to 0 in a line")
    weight_decay: float = Field(0.01, ge=0)
    asked_texts: int = Field(500, ge=1, description="test texts, evenly spaced, whose attention is measured")

    @property
    def called(self) -> str:
        """The model, for a sentence."""
        if not self.pretrained:
            return f"a small transformer trained on {self.corpus}"
        return f"{Path(self.pretrained).name}, fine-tuned on {self.corpus}"


class Copying(Named):
    """The parameters of a run of chapter 09, which copies sequences. Defaults: profile `paper`."""

    corpus: Literal["copy-permutations", "copy-chosen", "copy-iid"] = Field(
        "copy-permutations", description="what is copied: all symbols, some of more, or any with repetition"
    )
    encoder: Literal["lstm", "bilstm"] = Field("lstm", description="one direction, or two (a control)")
    attention: Literal["bilinear", "uniform", "none"] = Field(
        "bilinear", description="uniform and none (no context at all) are controls"
    )
    seed: int = Field(0, ge=0, description="covers initialisation and the sequences drawn")
    profile: str = Field("paper", description="paper, small or heads: params/copying")
    heads: tuple[Annotated[int, Field(ge=0)], ...] = Field(
        (),
        description="seeds of several heads' first weights; all else then starts alike; (): one, with seed",
    )
    length: int = Field(40, ge=1, description="symbols of a sequence")
    symbols: int | None = Field(
        None, ge=1, description="to draw from; null: as many as length, of copy-chosen half as many again"
    )
    hidden: int = Field(256, ge=1, description="size of embedding and states")
    batch_size: int = Field(128, ge=1, description="new sequences a step")
    steps: int = Field(200, ge=1)
    learning_rate: float = Field(1e-3, gt=0)
    every: int = Field(10, ge=1, description="steps between two looks")
    looked_at: int = Field(50, ge=1, description="new sequences of a look")
    precision: Literal["float32", "float64"] = Field("float32", description="of training and looking")
    device: Literal["cpu"] = "cpu"
    threads: int = Field(1, ge=1, description="of one process; more gain little and change last digits")

    @property
    def drawn_from(self) -> int:
        """The number of symbols there are."""
        return self.symbols or self.length * (3 if self.corpus == "copy-chosen" else 2) // 2


class Translating(Named):
    """The parameters of a run of chapter 09b, which translates. Defaults: profile `paper`."""

    corpus: Literal["multi30k", "made-de-en"] = Field("multi30k", description="pairs of sentences")
    encoder: Literal["bilstm"] = "bilstm"
    attention: Literal["bilinear", "uniform"] = Field("bilinear", description="uniform: for r'")
    seed: int = Field(0, ge=0, description="covers initialisation and order")
    profile: str = Field("paper", description="paper, short or small: params/translating")
    pieces: int = Field(8000, ge=8, description="joint word pieces of both languages, at most")
    cut: Literal["unigram", "word"] = Field("unigram", description="SentencePiece's model, or whole words")
    longest: int = Field(250, ge=3, description="pieces of a sentence, with its marks")
    hidden: int = Field(256, ge=1, description="size of embedding and of a direction's states")
    layers: int = Field(2, ge=1)
    dropout: float = Field(0.5, ge=0, lt=1, description="of embeddings and between layers, in training")
    batch_size: int = Field(16, ge=1)
    epochs: int = Field(20, ge=1)
    learning_rate: float = Field(1e-3, gt=0)
    precision: Literal["float32", "float64"] = Field("float32", description="of training and looking")
    watch_every: int = Field(2000, ge=1, description="steps between two looks, after the first looks")
    watched_texts: int = Field(100, ge=1, description="dev pairs that are watched")
    beam: int = Field(5, ge=1, description="width of the search for the best translation")
    translated: int | None = Field(None, ge=1, description="test sentences translated; null: all")
    made_train: int = Field(2000, ge=1, description="pairs made for training")
    made_test: int = Field(100, ge=1, description="pairs made for watching, and for testing")
    device: Literal["cpu"] = "cpu"
    threads: int = Field(1, ge=1, description="of one process; more gain little and change last digits")


# Corpora that are no texts, by their `task` in the registry: whose parameters their runs have.
OF_TASK = {"copying": Copying, "translation": Translating}
# What names a run beside its variant, and what says how it is computed or shown: it changes no result.
NAMING = {"corpus", "encoder", "attention", "seed", "profile"}
# What only a measure depends on: it doesn't rename the run, its table remembers it and is made anew.
RESAMPLING = ("significance", "resamples")
SEARCHING = (
    "epsilon",
    "search_epsilon",
    "adversaries",
    "penalty",
    "penalty_each",
    "mean_pairs",
    "search_steps",
)
LEAVING = ("loo_how", "loo_tolerance")
ERASING = ("random_orders", "keep_last")
# How a trained adversary is trained; a run that is none only measures by it.
OPPOSING = {"adversary_epochs", "adversary_select_on", "patience", "tvd_halved", "kl_reversed"}
RIVALS = ("other_seeds", "lambdas", "guided_dim", *sorted(OPPOSING))
# Which words a liar was trained to look away from; a run that is none only measures by it.
FORBIDDING = {"impermissible", "impermissible_words"}
LYING = ("lie_weights", *sorted(FORBIDDING))
# What mends a model in training: 0 of one that isn't mended.
REPAIRING = ("conicity_weight", "tying", "masked_words", "erasure_weight")
REMOVING = ("removed_texts",)
EXPLAINING = ("explained_texts", "surrogate_samples", "game_orders")
ORDERING = ("exact_words", "beam_words", "beam_width", "soft_draws")
WATCHING = ("watched_texts", "watch_every", "watch_epochs")
RANKING = ("ranked_texts",)
ASKING = ("asked_texts", "permutations", "epsilon")  # of a transformer by its own attention
# What the words depend on that a rationale's reader reads; and which readers there are.
CUTTING = ("rationale_share", *LEAVING)
RATIONALES = ("rationale_by", "rationale_seeds", *CUTTING)
MEASURING = {
    "permutations",
    *RANKING,
    *LEAVING,
    *ERASING,
    *SEARCHING,
    *RESAMPLING,
    *RIVALS,
    *LYING,
    *REMOVING,
    *EXPLAINING,
    *ORDERING,
    *WATCHING,
    *ASKING,
    *RATIONALES,
}
COMPUTING = {"device", "threads", "tokens_per_batch", "sorted_by", "texts_shown"}


def kind_of(corpus: Any, encoder: Any = None) -> type[Named]:
    """The parameters that the runs on a corpus have; those of this encoder."""
    kind = OF_TASK.get(corpora().get(str(corpus), {}).get("task"), Params)
    return Classifying if kind is Params and encoder in encoders_of(Classifying) else kind


def encoders_of(kind: type[Named]) -> tuple[str, ...]:
    """The encoders that runs of this kind may have."""
    return kind.model_fields["encoder"].annotation.__args__


def is_sequences(name: str) -> bool:
    """Whether a corpus is sequences to be copied or translated, of chapter 09, and no texts."""
    return kind_of(name) is not Params


def _part(home: Path, values: dict, key: str, name: str) -> dict:
    """Take `key` out of a file's values; what it says for one name."""
    parts = values.pop(key, {})
    part = parts.get(name, {}) if isinstance(parts, dict) else None
    if not isinstance(part, dict):
        raise HeedError(f"{home}: `{key}` must map names to parameters. Correct the file.")
    return part


def vectors_asked(corpus: str, profile: str) -> str | None:
    """The paper's own word vectors, for which params/CORPUS.yaml asks under a profile; None: for none."""
    home = paths.PARAMS / f"{corpus}.yaml"
    of_profile = _part(home, dict(read_yaml(home)), "profiles", profile) if home.exists() else {}
    name = of_profile.get("vectors")
    return name if name in vectors() else None


def general_vectors(corpus: str, profile: str) -> dict[str, str]:
    """What to give a run so that it has general pretrained vectors where its profile asks for such.

    Nothing if it has those for which it asks, or asks for none; else spaCy's if they are on this machine.
    """
    asked = vectors_asked(corpus, profile)
    if asked is None or at_hand(asked) or not at_hand("en_core_web_md"):
        return {}
    return {"vectors": "en_core_web_md"}


def resolve(given: dict[str, Any], asked: bool = True) -> Named:
    """Build Params from what the reader gives, over the corpus's and the profile's values.

    Where the vectors that a profile asks for aren't on this machine, what else would stand does. asked:
    False: as if they never were.
    Raises HeedError, naming the parameter, for an unknown name or a value that can't be.
    """
    return _built(*_merged(given, asked))


def resolve_seeds(given: dict[str, Any], seeds: Iterable[int]) -> list[Named]:
    """What `resolve` makes of these for each of the seeds; the files in params/ are read once."""
    kind, merged = _merged(given)
    return [_built(kind, merged | {"seed": seed}) for seed in seeds]


def _merged(given: dict[str, Any], asked: bool = True) -> tuple[type[Named], dict[str, Any]]:
    """Of which kind these parameters are, and their values with those of the corpus and the profile."""
    kind = kind_of(given.get("corpus"), given.get("encoder"))
    fields = kind.model_fields
    for name in given:
        choose("parameter", name, fields)
    named = {name: given.get(name, fields[name].default) for name in ("corpus", "encoder", "attention")}
    corpus = named["corpus"]
    entry_of(corpus)  # there is one, and its file is sound
    folder = paths.PARAMS / ("profiles" if issubclass(kind, Params) else kind.__name__.lower())
    shared = yaml_named("profile", given.get("profile", fields["profile"].default), folder)
    others = encoders_of(Classifying) if kind is Params else ()
    choose("encoder", named["encoder"], (*encoders_of(kind), *others))
    choose("attention", named["attention"], fields["attention"].annotation.__args__)

    home = paths.PARAMS / f"{corpus}.yaml"
    of_corpus = {k: v for k, v in read_yaml(home).items() if k != "own"} if home.exists() else {}
    of_corpus_encoder = _part(home, of_corpus, "encoders", named["encoder"])
    of_profile = dict(_part(home, of_corpus, "profiles", shared.stem))
    if of_profile.get("vectors") in vectors() and not (asked and at_hand(of_profile["vectors"])):
        del of_profile["vectors"]
    of_all = dict(read_yaml(shared))
    of_encoder = _part(shared, of_all, "encoders", named["encoder"])
    layers = [
        (shared, of_all),
        (shared, of_encoder),
        (home, of_corpus),
        (home, of_corpus_encoder),
        (home, of_profile),
    ]
    for path, names in layers:
        for name in names:
            choose(f"parameter in {path}:", name, fields)
    return kind, {name: value for _, layer in [*layers, (None, given)] for name, value in layer.items()}


def _built(kind: type[Named], merged: dict[str, Any]) -> Named:
    """The parameters of these values. Raises HeedError for one that can't be."""
    try:
        return kind(**merged)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        expected = first["msg"][0].lower() + first["msg"][1:]
        raise HeedError(f"parameter {name} = {first['input']!r}: {expected}.") from None
