"""Find circles of notes that replace each other, so that none of them is live.

Source: Tarjan, "Depth-first search and linear graph algorithms", 1972; here without recursion.
"""

from clew.index.successors.successor_index import SuccessorIndex

CIRCLES_MAX = 1_000  # that are reported
Successors = dict[str, list[str]]


def circles(index: SuccessorIndex) -> tuple[tuple[str, ...], ...]:
    """Return one circle of each group of notes that all lead to each other, sorted.

    It is a shortest circle that begins with the first note of the group, by path.
    """
    if index.known_circles is None:
        index.known_circles = tuple(_circles(index))
    return index.known_circles


def _circles(index: SuccessorIndex) -> list[tuple[str, ...]]:
    successors = {path: sorted(index.successors(path)) for path in sorted(index.replaced)}
    shortest = [
        _shortest(group, successors)
        for group in _groups(successors)
        if len(group) > 1 or group[0] in successors.get(group[0], ())
    ]
    return sorted(shortest)[:CIRCLES_MAX]


def _groups(successors: Successors) -> list[list[str]]:
    """Return the strongly connected components."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_paths: dict[str, None] = {}  # a stack, in the order of discovery
    groups: list[list[str]] = []
    for root in successors:
        if root in numbers:
            continue
        walk = [(root, iter(successors[root]))]
        numbers[root] = lowest[root] = len(numbers)
        open_paths[root] = None
        while walk:
            path, remaining = walk[-1]
            step = next(remaining, None)
            if step is None:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    lowest[above] = min(lowest[above], lowest[path])
                if lowest[path] == numbers[path]:
                    groups.append(_closed(open_paths, path))
            elif step not in numbers:
                numbers[step] = lowest[step] = len(numbers)
                open_paths[step] = None
                walk.append((step, iter(successors.get(step, ()))))
            elif step in open_paths:
                lowest[path] = min(lowest[path], numbers[step])
    return groups


def _closed(open_paths: dict[str, None], first: str) -> list[str]:
    """Pop the paths down to ``first`` from the stack; return them."""
    group: list[str] = []
    while not group or group[-1] != first:
        group.append(open_paths.popitem()[0])
    return group


def _shortest(group: list[str], successors: Successors) -> tuple[str, ...]:
    """Return a shortest circle through the first note of a group."""
    first, members = min(group), set(group)
    before: dict[str, str] = {}
    waiting = [first]
    for path in waiting:
        for step in successors[path]:
            if step == first:
                circle = [path]
                while circle[-1] != first:
                    circle.append(before[circle[-1]])
                return tuple(reversed(circle))
            if step in members and step not in before:
                before[step] = path
                waiting.append(step)
    raise AssertionError("each note of a group leads back to the first")
