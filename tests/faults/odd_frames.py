"""Hostile frames, made from a seed, each with the replies that the protocol requires.

A frame is one line. JSON is built as bytes, so that it can be wrong in any way. The expected
replies come from the standard library's parser, made as strict as the protocol.
"""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

BATCH_CALLS_MAX = 100
_SMALL_INTEGER = 2**53

COMMON: dict[str, bytes] = {
    "waitFresh": b"true",
    "waitFor": b'["a.md"]',
    "waitFreshMs": b"100",
    "asOf": b'"2026-01-01"',
}
LIST = {**COMMON, "limit": b"3", "cursor": b'"1"'}
FIELDS: dict[str, dict[str, bytes]] = {
    "hello": {**COMMON, "protocol": b"1"},
    "status": COMMON,
    "sync": {**COMMON, "full": b"false"},
    "doctor": {**LIST, "deep": b"false", "dump": b"false", "code": b'"fieldInvalid"'},
    "verify": {**COMMON, "text": b'"memory://a.md"'},
    "why": {**COMMON, "uri": b'"memory://a.md"'},
    "read": {**COMMON, "uri": b'"a.md"', "title": b'"b"', "lines": b"[1,2]"},
    "links": {**LIST, "uri": b'"a"'},
    "backlinks": {**LIST, "uri": b'"a"', "conceptName": b'"hub"'},
    "unresolved": LIST,
    "orphans": LIST,
    "tags": {**LIST, "prefix": b'"t"'},
    "recent": {**LIST, "since": b'"2020-01-01"', "by": b'"read"'},
    "concepts": {**LIST, "prefix": b'"h"', "sort": b'"recent"'},
    "path": {**COMMON, "from": b'"hub"', "to": b'"c1"', "maxHops": b"3"},
    "graph": {
        **COMMON,
        "conceptName": b'"hub"',
        "depth": b"2",
        "maxNodes": b"9",
        "format": b'"mermaid"',
    },
    "concept": {
        **COMMON,
        "conceptName": b'"hub"',
        "depth": b"2",
        "maxEntities": b"5",
        "includeContent": b"true",
    },
}
VALUES = (
    *(b"null", b"true", b"0", b"-1", b"1.5", b"1e3", b"-0", b'""', b'"x"', b"[]", b"{}", b"[1,2]"),
    *(b'{"a":1}', b"[[[[]]]]", b"[null,null]", b"[2,1]", b"[0,0]", b"9223372036854775808"),
    *(b"1" * 400, b"1e999", b"-1e999", b"1e-999", b"NaN", b"Infinity", b"-Infinity", b"0x10"),
    *(b"01", b"+1", b".5", b"5.", b"'x'", b"undefined", b"True", b'"\\u0000"', b'"\\ud800"'),
    *(b'"\\udc00\\ud800"', b'"\xff"', b'"\xed\xa0\x80"', b'"a\nb"'.replace(b"\n", b"\x01")),
    *(b'"memory://../../etc/passwd"', b'"memory://%00"', b'"memory://%ff.md"', b'"/proc/self/mem"'),
    *(b'"' + b"x" * 5_000 + b'"', "\u202e\u0301".encode().join([b'"'] * 2), b'"2026-13-45"'),
    *(b'"' + b"../" * 1_000 + b'"', b'"0000-00-00"', b'"9999-12-31T23:59:60Z"', b'"[[hub]]"'),
)


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected replies: the number of lines, and the ids that must be among them."""

    least: int
    most: int
    ids: tuple[Any, ...] = ()


NOTHING = Expected(0, 0)
ONE = Expected(1, 1)
PERHAPS = Expected(0, 1)


class _AmbiguousJson(Exception):
    """JSON that parsers may read differently."""


def expected(line: bytes) -> Expected:
    """Return the expected replies to a line."""
    if not line.strip(b" \t\r"):
        return NOTHING
    if not line.strip():
        return PERHAPS
    try:
        value = _strict(line)
    except (_AmbiguousJson, RecursionError):
        return ONE if b'"id"' in line and line.lstrip().startswith(b"{") else PERHAPS
    except ValueError:
        return ONE
    if isinstance(value, list):
        return _expected_of_batch(value)
    return _expected_of_call(value)


def _expected_of_batch(calls: list[Any]) -> Expected:
    if not 1 <= len(calls) <= BATCH_CALLS_MAX:
        return ONE
    each = [_expected_of_call(call) for call in calls]
    ids = tuple(call_id for one in each for call_id in one.ids)
    return Expected(max(one.least for one in each), max(one.most for one in each), ids)


def _expected_of_call(call: Any) -> Expected:
    if not isinstance(call, dict):
        return ONE
    is_call = call.get("jsonrpc") == "2.0" and isinstance(call.get("method"), str)
    if "id" not in call:
        if not is_call:
            return ONE
        is_plain = call.keys() <= {"jsonrpc", "method", "params"}
        return NOTHING if is_plain and isinstance(call.get("params", {}), dict) else PERHAPS
    call_id = call["id"]
    is_certain = isinstance(call_id, str) or (
        isinstance(call_id, int) and not isinstance(call_id, bool) and abs(call_id) < _SMALL_INTEGER
    )
    return Expected(1, 1, (call_id,)) if is_certain and is_call else ONE


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise _AmbiguousJson("duplicate keys")
    return dict(pairs)


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _integer(digits: str) -> int:
    if len(digits) > 19:
        raise _AmbiguousJson("more digits than 64 bits hold")
    return int(digits)


def _fraction(digits: str) -> float:
    if math.isinf(value := float(digits)):
        raise _AmbiguousJson("more than a double holds")
    return value


def _strict(line: bytes) -> Any:
    """Parse JSON strictly by RFC 8259."""
    text = line.decode()
    value = json.loads(
        text,
        parse_constant=_refuse,
        parse_int=_integer,
        parse_float=_fraction,
        object_pairs_hook=_pairs,
    )
    if any(0xD800 <= int(code, 16) <= 0xDFFF for code in _escapes(text)):
        raise _AmbiguousJson("a surrogate by escape")
    return value


def _escapes(text: str) -> Iterable[str]:
    return (part[:4] for part in text.split("\\u")[1:] if _is_hex(part[:4]))


def _is_hex(text: str) -> bool:
    return len(text) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in text)


class Frames:
    """A source of hostile frames; the same seed gives the same ones."""

    def __init__(self, seed: int, methods: Iterable[str], more: list[bytes]) -> None:
        self._rng = random.Random(seed)
        self._methods = sorted(set(methods) - {"shutdown"})
        self._more = more
        self._number = 0
        self._kinds: list[tuple[Callable[[], bytes], int]] = [
            (self._valid, 20),
            (self._wrong_value, 25),
            (self._mutated, 25),
            (self._wrong_envelope, 8),
            (self._batch, 6),
            (self._random_bytes, 5),
            (self._nested, 3),
            (self._long, 1),
            (self._given, 7),
        ]

    def one(self) -> bytes:
        """Return the next frame, without a line end."""
        functions = [kind for kind, _ in self._kinds]
        (make,) = self._rng.choices(functions, [share for _, share in self._kinds])
        return make().replace(b"\n", b" ")

    def _id(self) -> bytes:
        self._number += 1
        return b'"f%d"' % self._number if self._number % 2 else b"%d" % self._number

    def _call(self, method: bytes, params: dict[str, bytes]) -> bytes:
        body = b",".join(b'"%b":%b' % (name.encode(), value) for name, value in params.items())
        return b'{"jsonrpc":"2.0","id":%b,"method":"%b","params":{%b}}' % (self._id(), method, body)

    def _params(self, method: str) -> dict[str, bytes]:
        fields = FIELDS.get(method, COMMON)
        count = self._rng.randint(0, len(fields))
        return {name: fields[name] for name in self._rng.sample(sorted(fields), count)}

    def _valid(self) -> bytes:
        method = self._rng.choice(self._methods)
        call = self._call(method.encode(), self._params(method))
        return call if self._rng.random() < 0.8 else self._without_id(call)

    @staticmethod
    def _without_id(call: bytes) -> bytes:
        before, _, rest = call.partition(b'"id":')
        return before + rest.partition(b",")[2]

    def _wrong_value(self) -> bytes:
        method = self._rng.choice(self._methods)
        params = self._params(method)
        name = self._rng.choice([*FIELDS.get(method, COMMON), "unknown", "", "from", "__class__"])
        params[name] = self._rng.choice(VALUES)
        call = self._call(method.encode(), params)
        if self._rng.random() < 0.1:  # the same key twice
            call = call[:-2] + b',"%b":1}}' % name.encode()
        return call

    def _mutated(self) -> bytes:
        line = bytearray(self._rng.choice([self._valid, self._wrong_value, self._batch])())
        for _ in range(self._rng.randint(1, 6)):
            place = self._rng.randrange(len(line) + 1)
            change = self._rng.randrange(5)
            if change == 0:
                line[place : place + self._rng.randint(1, 20)] = b""
            elif change == 1:
                line[place:place] = self._rng.randbytes(self._rng.randint(1, 4))
            elif change == 2:
                line[place : place + 1] = bytes([self._rng.choice(b'"\\{}[]:,0e-\x00\xff ')])
            elif change == 3:
                line[place:place] = line[: self._rng.randint(1, 40)]
            else:
                del line[max(1, place) :]
        return bytes(line)

    def _wrong_envelope(self) -> bytes:
        value = self._rng.choice(VALUES)
        where = self._rng.randrange(5)
        call = self._call(self._rng.choice(self._methods).encode(), {})
        if where == 0:
            return call.replace(b'"2.0"', value)
        if where == 1:
            return b'{"jsonrpc":"2.0","id":%b,"method":"status"}' % value
        if where == 2:
            return b'{"jsonrpc":"2.0","id":%b,"method":%b}' % (self._id(), value)
        if where == 3:
            return call.replace(b'"params":{}', b'"params":' + value)
        return self._rng.choice([value, b"", b" ", b"\r", b"\xef\xbb\xbf" + call, call + b"}"])

    def _batch(self) -> bytes:
        count = self._rng.choice([0, 1, 2, 3, 5, 10, 99, 100, 101])
        makers = [self._valid, self._wrong_value, self._wrong_envelope]
        if self._rng.random() < 0.2:
            calls = [self._without_id(self._call(b"tags", {})) for _ in range(count)]
        else:
            calls = [self._rng.choice(makers)() for _ in range(count)]
        return b"[" + b",".join(calls) + b"]"

    def _random_bytes(self) -> bytes:
        return self._rng.randbytes(self._rng.choice([1, 5, 50, 500, 5_000]))

    def _nested(self) -> bytes:
        depth = self._rng.choice([10, 500, 5_000, 100_000])
        opener, closer = self._rng.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"[{", b"}]")])
        value = opener * depth + b"1" + closer * self._rng.choice([0, depth])
        return self._rng.choice([value, self._call(b"concept", {"conceptName": value})])

    def _long(self) -> bytes:
        size = self._rng.choice([10_000, 100_000, 900_000])
        name = self._rng.choice([b"conceptName", b"x"])
        return self._call(b"concept", {name.decode(): b'"' + b"y" * size + b'"'})

    def _given(self) -> bytes:
        return self._rng.choice(self._more) if self._more else self._wrong_value()


def ids_missing(wanted: Iterable[Any], found: Iterable[Any]) -> Counter[Any]:
    """Return the expected ids that are missing, with repetitions."""
    return Counter(wanted) - Counter(found)
