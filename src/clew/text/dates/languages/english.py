"""English words that say that a query is about notes, or about what their writer did.

Tables of other languages have words for these, so that they hold for all languages.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOTE_WORDS = _words(
    "note notes journal journals diary diaries entry entries memo memos meeting meetings standup "
    "standups draft drafts todo todos"
)
# Words for notes that also name an event: "who was at the meeting last week".
EVENTS = _words("meeting meetings standup standups")
# Words for notes that tell nothing about the content of the notes.
PLAIN_NOTE_WORDS = _words("note notes entry entries")
# Verbs after "I" or "we" whose result is in notes: "what did I write", "what have we changed".
ACTS = _words(
    "do did doing done write wrote written writing work worked working read reading learn learned "
    "learnt learning note noted noting add added adding change changed changing edit edited "
    "editing create created creating update updated updating log logged logging"
)
# These words may be between a word for notes and a date: "notes I have written in March".
WRITING_WORDS = _words(
    "written wrote made taken created added changed edited modified updated logged dated that "
    "which were was have i i've we we've"
)
WORK = _words("work worked working")  # followed by "on": "what did I work on last week"
# These words may be between "I" and what was done: "what have I been reading".
BEFORE_ACTS = _words("have had been was were also just actually really mostly mainly all")
NOT_DONE_YET = _words("to can could should would must may might")  # before verbs like those of ACTS
# Verbs that ask for the notes of a time: "what happened last week", "what was going on in March".
HAPPENED = _words("happen happens happened happening occur occurs occurred occurring")
GOING_ON = _words("go goes going went")  # followed by "on"
SUMMARIES = _words("summary summarize summarise recap overview rundown")  # of that time's notes
# These words only ask for something; a query begins and ends with its other words.
REQUEST_WORDS = _words(
    "the my our all any find get list display show see me give please first i've done"
)
FIRST_PERSON = _words("i i'm i've i'd me my mine we we're we've we'd us our ours")
SHOWING = _words("show give find tell")  # verbs whose "me" makes no query personal
SUBJECTS = _words("i i've i'd we we've we'd")
MONTH_VERBS = _words("may march")  # months only with a capital letter, or after a preposition
ANYTHING = _words("anything everything something thing things stuff")
