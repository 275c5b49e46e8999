"""The subcommands of ``clew session``, as rows of the table; each has the name of its method."""

from clew.surface.cli.table import CURSOR, LIMIT, QUERY, TEXT, Argument, Command, Option

_SESSION = Option(("--session",), "sessionId", TEXT, "Of this session; else what all share.")
_KEY = Argument("key", "key", "The name of the value.")

SESSION_COMMANDS = (
    Command(
        "session.append",
        "Add a turn to a session.",
        'clew session append monday user "the gauge at Muros is late again"',
        (
            Argument("session", "sessionId", "Any name of a session."),
            Argument("role", "role", "Who speaks: user, assistant or a name."),
            Argument("text", "content", "What was said."),
        ),
    ),
    Command(
        "session.delete",
        "Forget a session: its turns and values.",
        "clew session delete monday",
        (Argument("session", "sessionId", "The name of the session."),),
    ),
    Command(
        "session.list",
        "List sessions, those used last first: kept ones, and notes of type session.",
        "clew session list",
        (),
        (LIMIT, CURSOR),
    ),
    Command(
        "session.recall",
        "List turns of any session that speak of something, best first.",
        "clew session recall late gauge --session monday",
        (QUERY,),
        (
            Option(("--session",), "sessionId", TEXT, "The present session; its turns weigh more."),
            LIMIT,
        ),
    ),
    Command(
        "session.show",
        "Print the turns of a session, in their order.",
        "clew session show monday",
        (Argument("session", "sessionId", "The name of the session, as `session list` has it."),),
        (LIMIT, CURSOR),
    ),
)
SCRATCH_COMMANDS = (
    Command(
        "session.scratch.set",
        "Set a value.",
        "clew session scratch set plan 'first the clocks' --session monday",
        (_KEY, Argument("value", "value", "Any text.")),
        (_SESSION,),
    ),
    Command(
        "session.scratch.get",
        "Print a value.",
        "clew session scratch get plan --session monday",
        (_KEY,),
        (_SESSION,),
    ),
    Command(
        "session.scratch.list",
        "List the keys of values, those set last first.",
        "clew session scratch list",
        (),
        (_SESSION, LIMIT, CURSOR),
    ),
    Command(
        "session.scratch.clear",
        "Remove a value, or all values of the session.",
        "clew session scratch clear plan --session monday",
        (Argument("key", "key", "Only the value with this name.", required=False),),
        (_SESSION,),
    ),
)
