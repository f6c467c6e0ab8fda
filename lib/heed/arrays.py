"""Arrays as people bring them: tensors with gradients, lists, Series, numbers of any type.

Each function gives float64 (flags: bool) or raises HeedError: one sentence that begins with the array's name.
"""

import operator

import numpy as np

from heed.errors import HeedError, why

ROUNDING = 1e-6  # by how much weights may miss a sum of 1
HALF = 1e-2  # the same of numbers of two bytes, float16 and bfloat16
LARGEST = 1e100  # beyond it products overflow; no model's numbers come near


def plain(value):
    """What numpy can read: tensors, alone or in a list, without their gradients and on the CPU."""
    if hasattr(value, "detach"):
        tensor = value.detach().cpu().to_dense()
        return (tensor.double() if tensor.is_floating_point() else tensor).numpy()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ma.MaskedArray):
        return value.astype(float).filled(np.nan)
    return value


def numbers(value, name: str) -> np.ndarray:
    """Numbers of any shape, which may be NaN: what is missing is."""
    if value is None:
        raise HeedError(f"{name}: expected numbers, none are given.")
    try:
        array = np.asarray(plain(value))
        if array.dtype.kind == "O" and not any(isinstance(item, str | bytes) for item in array.flat):
            array = array.astype(float)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise HeedError(f"{name}: expected numbers ({why(error)}).") from None
    if array.dtype.kind not in "biuf":
        raise HeedError(f"{name}: expected numbers, not of text or of anything else.")
    return np.asarray(array, dtype=float)


def finite(value, name: str) -> np.ndarray:
    """Numbers that can be computed with, of any shape."""
    array = numbers(value, name)
    good = np.abs(array) <= LARGEST
    if not good.all():
        place = np.argwhere(~good)[0]
        which = f"number {_place(place)}" if array.ndim else "it"
        raise HeedError(f"{name}: expected finite numbers, {which} {_oddity(array[tuple(place)])}.")
    return array


def distributions(value, name: str) -> np.ndarray:
    """Weights that sum to 1 along the last axis; of two bytes they miss it by rounding, and are rescaled."""
    array = numbers(value, name)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise HeedError(f"{name}: expected weights that sum to 1, there are none.")
    is_half = getattr(getattr(value, "dtype", None), "itemsize", 8) == 2
    rounding = HALF if is_half else ROUNDING
    if array.size == 0:
        return array
    if array.min() >= 0 and array.max() <= 2 and np.abs(array.sum(-1) - 1).max() <= rounding:
        return array / array.sum(-1, keepdims=True) if is_half else array
    with np.errstate(over="ignore", invalid="ignore"):
        good = (array >= 0).all(-1) & (np.abs(array.sum(-1) - 1) <= rounding)
    place = np.argwhere(~good)[0]
    one = f"{name}[{_place(place)}]" if array.ndim > 1 else name
    raise HeedError(_no_distribution(array[tuple(place)], one))


def attention(value, length: int, name: str = "attention") -> np.ndarray:
    """The weights of so many tokens, shape (T,)."""
    shape = value.shape if isinstance(value, np.ndarray) else numbers(value, name).shape
    if shape != (length,):
        given = shape[0] if len(shape) == 1 else f"an array of shape {shape}, not"
        raise HeedError(f"{name}: {given} weights for {length} tokens; give one weight a token.")
    return distributions(value, name)


def flags(value, length: int, name: str, of: str) -> np.ndarray:
    """Booleans, one for each of so many tokens or classes (`of`), shape (length,)."""
    is_bool = isinstance(value, np.ndarray) and value.dtype == bool
    array = value if is_bool else numbers(value, name)
    if not (is_bool or ((array == 0) | (array == 1)).all()):
        raise HeedError(f"{name}: expected True or False for each of the {length} {of}.")
    if array.shape != (length,):
        given = len(array) if array.ndim == 1 else f"an array of shape {array.shape}, not"
        raise HeedError(f"{name}: {given} flags for {length} {of}; give one each.")
    return array.astype(bool)


def words(value, name: str) -> list[str]:
    """A list of texts, such as tokens or the names of classes; numbers become text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return list(value)
    single = isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__")
    if single or isinstance(value, set | frozenset):
        raise HeedError(f"{name}: expected a list of words, in their order, not a {type(value).__name__}.")
    items = plain(value)
    items = np.atleast_1d(items).tolist() if isinstance(items, np.ndarray) else list(items)
    for n, item in enumerate(items):
        if item is None or isinstance(item, float) and np.isnan(item):
            raise HeedError(f"{name}: number {n} is missing; give a word for each.")
        if isinstance(item, list | tuple | dict | np.ndarray):
            raise HeedError(f"{name}: number {n} is a list itself; give one list of words.")
    return [str(item) for item in items]


def index(value, length: int, name: str) -> int:
    """A whole number from 0 to length - 1."""
    try:
        number = np.asarray(plain(value)).item()
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        found = operator.index(number)
    except (TypeError, ValueError, RuntimeError):
        found = None
    if found is None or not 0 <= found < length:
        said = "" if found is None else f", not {found}"
        raise HeedError(f"{name}: expected a whole number from 0 to {length - 1}{said}.")
    return found


def one_number(value, name: str) -> float:
    """A single finite number."""
    number = finite(value, name)
    if number.size != 1:
        raise HeedError(f"{name}: expected one number, not {number.size}.")
    return number.item()


def _place(place: np.ndarray) -> str:
    """An element's place in its array, for a sentence."""
    return ", ".join(map(str, place))


def _oddity(number: float) -> str:
    """Why a number can't be computed with."""
    if np.isnan(number):
        return "is not a number"
    return "is infinite" if np.isinf(number) else f"is {number:g}"


def _no_distribution(weights: np.ndarray, name: str) -> str:
    """Why these weights (T,) are no distribution."""
    for t, weight in enumerate(weights):
        if not abs(weight) <= LARGEST:
            return f"{name}: weight {t} {_oddity(weight)}; weights are numbers from 0 to 1."
        if weight < 0:
            return f"{name}: weight {t} is {weight:g}; a weight can't be below 0."
    return f"{name}: the weights sum to {weights.sum():.9g}, they must sum to 1."
