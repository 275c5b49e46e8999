"""Measure ``concept`` queries: latency over the socket, CPU time of the command line.

Each concept is requested once in a run, so no reply comes from a cache.
"""

import os
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, median

from benchmarks.daemon import Served, ask, cpu_s, request, result
from benchmarks.figures import Figure, figure, percentile, ratio_figure, rounded

P50_MS_MAX = 1.0
P99_MS_MAX = 5.0
CLI_CPU_RATIO_MAX = 3.0
HUBS = 20


@dataclass(frozen=True, slots=True)
class ConceptNames:
    """Names of concepts, each to be used in one query."""

    warm_up: list[str]
    hubs: list[str]  # most mentioned first
    others: list[str]
    command_line: list[str]


def choose_concepts(server: Served, queries: int, runs: int) -> ConceptNames:
    """Return distinct concepts for ``queries`` queries and for two sets of ``runs`` commands.

    Each set has one more command, to warm up. The hubs are the most mentioned concepts;
    the others are sampled with their mentions as weights.
    """
    rows = result(server.peer, "concepts", limit=100_000)["concepts"]
    rng = Random(1)  # noqa: S311 - every run must be the same
    # Weighted sampling without replacement: the largest u ** (1 / weight), Efraimidis and Spirakis.
    sampled = sorted(rows[HUBS:], key=lambda row: -(rng.random() ** (1 / row["mentionCount"])))
    names = [row["name"] for row in sampled]
    other_count = min(queries, len(names) // 2) - HUBS
    return ConceptNames(
        warm_up=names[other_count + 2 * (runs + 1) :][:200],
        hubs=[row["name"] for row in rows[:HUBS]],
        others=names[:other_count],
        command_line=names[other_count:][: 2 * (runs + 1)],
    )


def concept_latency(server: Served, names: ConceptNames) -> Iterator[Figure]:
    """Yield the latency of ``concept`` queries at depth 2."""
    for name in names.warm_up:
        latency_ms(server, name)
    order = [*names.hubs, *names.others]
    Random(2).shuffle(order)  # noqa: S311 - every run must be the same
    began_s = cpu_s(server.pid)
    took_ms = {name: latency_ms(server, name) for name in order}
    mean_cpu_ms = (cpu_s(server.pid) - began_s) * 1000 / len(order)
    every_ms = list(took_ms.values())
    more = {"queries": len(order), "daemon_cpu_ms_mean": rounded(mean_cpu_ms)}
    yield figure("concept_p50_ms", median(every_ms), "ms", P50_MS_MAX, **more)
    p99_ms, mean_ms = percentile(every_ms, 0.99), rounded(fmean(every_ms))
    yield figure("concept_p99_ms", p99_ms, "ms", P99_MS_MAX, mean=mean_ms, **more)
    hubs_ms = [took_ms[name] for name in names.hubs]
    yield figure("concept_hub_ms", max(hubs_ms), "ms", median=rounded(median(hubs_ms)))


def command_line(server: Served, names: ConceptNames) -> Iterator[Figure]:
    """Yield the CPU time of ``clew concept`` divided by that of ``python -c pass``."""
    half = len(names.command_line) // 2
    text_pairs = _cli_pairs(server, names.command_line[:half], [])
    yield ratio_figure("cli_cpu_ratio", text_pairs, CLI_CPU_RATIO_MAX)
    json_pairs = _cli_pairs(server, names.command_line[half:], ["--json"])
    yield ratio_figure("cli_json_cpu_ratio", json_pairs, CLI_CPU_RATIO_MAX)


def latency_ms(server: Served, name: str) -> float:
    """Return the latency of one ``concept`` query."""
    line = request("concept", conceptName=name, depth=2)
    began_ns = time.perf_counter_ns()
    ask(server.peer, line)
    return (time.perf_counter_ns() - began_ns) / 1e6


def _cli_pairs(
    server: Served, names: Sequence[str], options: Sequence[str]
) -> list[tuple[float, float]]:
    clew = os.path.join(sysconfig.get_path("scripts"), "clew")
    no_op = [sys.executable, "-c", "pass"]
    commands = [[clew, "concept", name, "--vault", server.vault, *options] for name in names]
    _child_cpu_s(commands[0])  # The first run compiles the modules.
    return [(_child_cpu_s(words), _child_cpu_s(no_op)) for words in commands[1:]]


def _child_cpu_s(words: list[str]) -> float:
    """Run a command without output; return its user and system time."""
    discard_output = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=discard_output)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{words} ended with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime
