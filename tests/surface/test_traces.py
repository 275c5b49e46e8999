"""The last assemblies: how many are remembered, in which order, and for whom."""

from clew.surface.server.answers.windows.traces import Traces
from clew.values.windows import assemble_replies as replies
from tests.surface.test_pipeline_cache import WindowServing, request
from tests.vaults import NOW_S


def traced(task: str) -> replies.TracedAssembly:
    serving = WindowServing()
    serving.assemble(request(task), NOW_S)
    (last,) = serving.tools.traces.last(1, shows_private=False)
    serving.loop.close()
    return last


def test_the_last_assemblies_are_remembered_newest_first_by_what_they_saw() -> None:
    traces = Traces()
    public, private = traced("public"), traced("private")
    traces.add(public, shows_private=False)
    traces.add(private, shows_private=True)
    assert traces.last(9, shows_private=True) == (private, public)
    assert traces.last(9, shows_private=False) == (public,)
    later = traced("later")
    for _ in range(32):
        traces.add(later, shows_private=False)
    assert traces.last(99, shows_private=False) == (later,) * 32
    assert traces.last(99, shows_private=True) == (later,) * 32


def test_the_last_one_is_told_first() -> None:
    traces = Traces()
    tasks = [traced(task) for task in ("a", "b")]
    for each in tasks:
        traces.add(each, shows_private=False)
    assert traces.last(1, shows_private=False) == (tasks[1],)


def test_a_long_task_is_cut() -> None:
    assert traced("x" * 900).task == "x" * 200 + "…"
