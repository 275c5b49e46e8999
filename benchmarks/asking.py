"""From a served vault to what it costs to ask: over a socket, and on the command line.

No concept is asked for twice in a run, so no figure can be one of a cache of replies.
"""

import os
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, median

from benchmarks.figures import Figure, figure, percentile, ratio_figure, rounded
from benchmarks.served import Served, ask, cpu_s, request, result

P50_MS_MAX = 1.0
P99_MS_MAX = 5.0
CLI_CPU_RATIO_MAX = 3.0
HUBS = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """Names of concepts, each for one question."""

    warm_up: list[str]
    hubs: list[str]  # most mentioned first
    others: list[str]
    command_line: list[str]


def choose(server: Served, queries: int, runs: int) -> Asked:
    """Return distinct concepts for ``queries`` questions and for two sets of ``runs`` commands.

    Each set has one more, to warm up with.

    Beside the hubs they are drawn by mentions, so frequent ones come more often, rare ones too.
    """
    rows = result(server.peer, "concepts", limit=100_000)["concepts"]
    rng = Random(1)  # noqa: S311 - the same every time is what is wanted
    # Efraimidis and Spirakis: the largest u ** (1 / weight) are a weighted draw without return.
    drawn = sorted(rows[HUBS:], key=lambda row: -(rng.random() ** (1 / row["mentionCount"])))
    names = [row["name"] for row in drawn]
    rest = min(queries, len(names) // 2) - HUBS
    return Asked(
        warm_up=names[rest + 2 * (runs + 1) :][:200],
        hubs=[row["name"] for row in rows[:HUBS]],
        others=names[:rest],
        command_line=names[rest:][: 2 * (runs + 1)],
    )


def concept_latency(server: Served, asked: Asked) -> Iterator[Figure]:
    """Yield how long a client waits for a concept at depth 2, in milliseconds."""
    for name in asked.warm_up:
        latency_ms(server, name)
    order = [*asked.hubs, *asked.others]
    Random(2).shuffle(order)  # noqa: S311 - the same every time is what is wanted
    began_s = cpu_s(server.pid)
    took_ms = {name: latency_ms(server, name) for name in order}
    mean_cpu_ms = (cpu_s(server.pid) - began_s) * 1000 / len(order)
    every_ms = list(took_ms.values())
    more = {"queries": len(order), "daemon_cpu_ms_mean": rounded(mean_cpu_ms)}
    yield figure("concept_p50_ms", median(every_ms), "ms", P50_MS_MAX, **more)
    p99_ms, mean_ms = percentile(every_ms, 0.99), rounded(fmean(every_ms))
    yield figure("concept_p99_ms", p99_ms, "ms", P99_MS_MAX, mean=mean_ms, **more)
    hubs_ms = [took_ms[name] for name in asked.hubs]
    yield figure("concept_hub_ms", max(hubs_ms), "ms", median=rounded(median(hubs_ms)))


def command_line(server: Served, asked: Asked) -> Iterator[Figure]:
    """Yield the CPU of ``clew concept`` over that of an interpreter that does nothing."""
    half = len(asked.command_line) // 2
    plain, json = asked.command_line[:half], asked.command_line[half:]
    yield ratio_figure("cli_cpu_ratio", _cli_pairs(server, plain, []), CLI_CPU_RATIO_MAX)
    pairs = _cli_pairs(server, json, ["--json"])
    yield ratio_figure("cli_json_cpu_ratio", pairs, CLI_CPU_RATIO_MAX)


def latency_ms(server: Served, name: str) -> float:
    line = request("concept", conceptName=name, depth=2)
    began_ns = time.perf_counter_ns()
    ask(server.peer, line)
    return (time.perf_counter_ns() - began_ns) / 1e6


def _cli_pairs(
    server: Served, names: Sequence[str], options: Sequence[str]
) -> list[tuple[float, float]]:
    clew = os.path.join(sysconfig.get_path("scripts"), "clew")
    nothing = [sys.executable, "-c", "pass"]
    asking = [[clew, "concept", name, "--vault", server.vault, *options] for name in names]
    _child_cpu_s(asking[0])  # writes the bytecode
    return [(_child_cpu_s(words), _child_cpu_s(nothing)) for words in asking[1:]]


def _child_cpu_s(words: list[str]) -> float:
    """Run a command to its end, its output thrown away; return its user and system time."""
    silence = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=silence)
    _, status, used = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{words} ended with status {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime
