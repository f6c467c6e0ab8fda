"""Classifiers of transformers, small and with drawn weights, in folders."""

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = "the film is not bad good at all una ##ffa ##ble un ##known fi ##ne . , ! \U0001f600".split()
SMALL = {
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 24,
    "num_labels": 3,
    "id2label": {0: "bad", 1: "so so", 2: "good"},
    "label2id": {"bad": 0, "so so": 1, "good": 2},
}
OTHER_NAMES = {  # DistilBERT's
    "hidden_size": "dim",
    "num_hidden_layers": "n_layers",
    "num_attention_heads": "n_heads",
    "intermediate_size": "hidden_dim",
}


def tokenizer():
    """Word pieces, as BERT's."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    codes = {word: k for k, word in enumerate([*marks, *WORDS])}
    made = Tokenizer(models.WordPiece(codes, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    named = dict(zip(("pad", "unk", "cls", "sep", "mask"), marks, strict=True))
    named = {f"{kind}_token": mark for kind, mark in named.items()}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=20, **named)


def build(kind: str, folder, seed=0, **more):
    """A classifier of this architecture with drawn weights, saved in a folder."""
    given = SMALL | more
    if kind == "distilbert":
        given = {OTHER_NAMES.get(name, name): value for name, value in given.items()}
    pieces = tokenizer()
    config = transformers.AutoConfig.for_model(
        kind, vocab_size=len(pieces), pad_token_id=pieces.pad_token_id, **given
    )
    torch.manual_seed(seed)
    model = transformers.AutoModelForSequenceClassification.from_config(config).eval()
    for weight in model.parameters():  # first weights are so small that all texts are alike
        weight.data.mul_(1 if weight.dim() == 1 else 12)
    model.save_pretrained(folder)
    pieces.save_pretrained(folder)
    return folder
