"""Opening an embedding model: the builtin one, one in a folder, or one in the Hugging Face cache.

Nothing here uses the network: a model of the Hugging Face hub must be in its cache already. A fault
of the files raises ``ModelUnavailable``, even a panic in the Rust code that reads them. If the
system cannot read those of the package for now, that is an ``OSError``.

The builtin model is read with tokenizers alone, after a check of its sha256. This takes 110 ms of
CPU time and 13 MB of memory; its vectors stay in the mapped file. All others are loaded by
model2vec, which knows their layouts. This takes 450 ms and 77 MB, in part because it imports a
downloader.
"""

import hashlib
import json
import os
import pathlib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import safetensors
from tokenizers import Tokenizer

from clew.disk.mapped_pages import mapped, release_pages
from clew.embed.encoder import Encoder, TokenVectors
from clew.embed.noise import BUILTIN_NOISE
from clew.embed.safetensors_file import arrays_of
from clew.embed.wordpieces import is_panic
from clew.values.arrays import AnyArray
from clew.values.errors import ModelUnavailable

if TYPE_CHECKING:
    from model2vec import StaticModel

T = TypeVar("T")

BUILTIN = "builtin"
FILE_BYTES_MAX = 1024 * 1024 * 1024
DIMENSIONS_MAX = 4_096

_FILES = ("model.safetensors", "tokenizer.json", "config.json")  # model2vec's file names
_BUILTIN_FINGERPRINT = "6a0b85395df94a8170d1f843d86e1d6047b26f4e0a2b77b60e3108bae2370e3c"
_BUILTIN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "builtin")
_HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_HINT = "give the absolute path of a folder that model2vec saved, or 'builtin'"
_DTYPES = ("int8", "float16", "float32", "float64")


def open_model(name: str, hub: str | None = None) -> Encoder:
    """Return the encoder of a model.

    ``name``: ``builtin``, the absolute path of a folder, or an id of the Hugging Face hub, such as
    ``minishlab/potion-base-8M``, of a model that was fetched before. ``hub``: the folder of the
    hub's cache; ``None`` leaves it to huggingface_hub, which reads ``HF_HOME`` when it is imported.

    Raises:
        ModelUnavailable: the model is not on this machine, or its files cannot be used.
        OSError: the files of the model in the package cannot be read now.
    """
    if name == BUILTIN:
        return _builtin()
    if os.path.isabs(name):
        return _foreign(name)
    if _HUB_ID.fullmatch(name):
        return _foreign(_cached(name, hub))
    raise ModelUnavailable(
        f"no model is named {name!r}",
        f"give {BUILTIN!r}, the absolute path of a folder, or an id of the Hugging Face hub",
    )


def fingerprint(contents: Sequence[bytes | memoryview]) -> str:
    """Return the sha256 of a model's files in hex; the length of each file is hashed before it."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.hexdigest()


def _builtin() -> Encoder:
    paths = [os.path.join(_BUILTIN_FOLDER, file) for file in _FILES]
    try:
        tensors, (tokenizer_json, config) = _mapped(paths[0]), map(_read, paths[1:])
    except FileNotFoundError:
        tensors, tokenizer_json, config = memoryview(b""), b"", b""
    if fingerprint([tensors, tokenizer_json, config]) != _BUILTIN_FINGERPRINT:
        raise ModelUnavailable("the model in clew's package is damaged", "install clew again")
    arrays = arrays_of(tensors)
    vectors = token_vectors(arrays["embeddings"], arrays["weights"], None)
    max_length = json.loads(config)["max_length"]
    tokenizer = Tokenizer.from_buffer(tokenizer_json)
    release_pages(tensors)
    return Encoder(tokenizer, vectors, max_length, _BUILTIN_FINGERPRINT, noise=BUILTIN_NOISE)


def _mapped(path: str) -> memoryview:
    with open(path, "rb") as file:
        return mapped(file)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _cached(name: str, hub: str | None) -> str:
    """Return the folder of a model in the hub's cache."""
    import huggingface_hub  # noqa: PLC0415 - unused for the builtin model

    try:
        return huggingface_hub.snapshot_download(name, cache_dir=hub, local_files_only=True)
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"the model {name} is not in the Hugging Face cache of this machine",
            f"fetch it once where there is a network: hf download {name}",
        ) from error


def _foreign(folder: str) -> Encoder:
    """Return the encoder of a model that model2vec loads from a folder."""
    paths = _paths(folder)
    digest = fingerprint([_content(path) for path in paths])
    model = _loaded(folder, paths)
    try:
        vectors = token_vectors(model.embedding, model.weights, model.token_mapping)
        _check_ids(model.tokenizer, vectors)
    except ValueError as error:
        raise _unusable(paths[0], error) from error
    if model.max_length is not None and model.max_length < 1:
        raise _unusable(paths[2], ValueError(f"max_length is {model.max_length}"))
    return Encoder(model.tokenizer, vectors, model.max_length, digest)


def _paths(folder: str) -> tuple[str, str, str]:
    """Return the paths of the vectors, the tokenizer and the settings of the model in a folder."""
    from model2vec.persistence.datamodels import FOLDER_LAYOUTS  # noqa: PLC0415 - see the top

    # model2vec would look for a missing folder on the network.
    if not os.path.isdir(folder):
        raise ModelUnavailable(f"there is no folder {folder}", _HINT)
    for layout in FOLDER_LAYOUTS:
        files = layout.with_parent(pathlib.Path(folder))
        if files.is_valid():
            return str(files.embeddings), str(files.tokenizer), str(files.config)
    missing = [file for file in _FILES if not os.path.exists(os.path.join(folder, file))]
    raise ModelUnavailable(f"{folder} holds no model: {missing[0]} is missing", _HINT)


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise _unusable(path, error) from error
    if len(content) > FILE_BYTES_MAX:
        raise _unusable(path, ValueError(f"it has over {FILE_BYTES_MAX} bytes"))
    return content


def _loaded(folder: str, paths: Sequence[str]) -> "StaticModel":
    from model2vec import StaticModel  # noqa: PLC0415 - see the top

    model, error = _try(lambda: StaticModel.from_pretrained(folder))
    if model is not None:
        return model
    tensors, tokenizer, config = paths
    reads: tuple[tuple[str, Callable[[], object]], ...] = (
        (config, lambda: _check_settings(config)),
        (tokenizer, lambda: Tokenizer.from_file(tokenizer)),
        (tensors, lambda: safetensors.safe_open(tensors, framework="numpy")),
    )
    for path, read in reads:
        _, blamed = _try(read)
        if blamed is not None:
            raise _unusable(path, blamed) from blamed
    raise _unusable(folder, error) from error


def _check_settings(path: str) -> None:
    """Raise an error if a file holds no JSON object; model2vec checks the values."""
    if not isinstance(json.loads(_content(path)), dict):
        raise TypeError("it holds no JSON object")


def _try(read: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    """Return the result of ``read`` and ``None``, or ``None`` and the error or panic raised."""
    try:
        return read(), None
    except BaseException as error:
        if isinstance(error, Exception) or is_panic(error):
            return None, error
        raise


def _unusable(path: str, error: BaseException | None) -> ModelUnavailable:
    return ModelUnavailable(f"the model cannot be used: {path}: {error}", _HINT)


def token_vectors(
    table: AnyArray, weights: AnyArray | None, mapping: AnyArray | None
) -> TokenVectors:
    """Check a model's arrays, and return them in the form that the encoder takes.

    ``table``: shape (row_count, dimensions). ``weights`` and ``mapping`` (from token to row) have
    one entry for each token, and may be left out.

    Raises:
        ValueError: a shape, a type or a number is invalid.
    """
    if table.ndim != 2 or not 1 <= table.shape[1] <= DIMENSIONS_MAX or not len(table):
        raise ValueError(f"its vectors have the shape {table.shape}")
    if table.dtype.name not in _DTYPES:
        raise ValueError(f"its vectors are of type {table.dtype.name}")
    rows = np.arange(len(table)) if mapping is None else mapping
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError(f"its mapping has the shape {rows.shape} and the type {rows.dtype.name}")
    if not ((rows >= 0) & (rows < len(table))).all():
        raise ValueError("its mapping names rows that are not there")
    factors = np.ones(len(rows)) if weights is None else weights
    if factors.shape != rows.shape or factors.dtype.kind != "f":
        raise ValueError(f"it has {len(rows)} tokens and weights of the shape {factors.shape}")
    if not (np.isfinite(table).all() and np.isfinite(factors).all()):
        raise ValueError("some of its vectors or weights are not finite")
    return TokenVectors(table, factors.astype(np.float32), rows.astype(np.int64))


def _check_ids(tokenizer: Tokenizer, vectors: TokenVectors) -> None:
    """Raise ``ValueError`` if the tokenizer has ids without a vector."""
    id_count = max(tokenizer.get_vocab().values()) + 1
    if id_count > len(vectors.rows):
        raise ValueError(f"it has vectors for {len(vectors.rows)} tokens of {id_count}")
