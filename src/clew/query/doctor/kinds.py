"""The kinds of problems and suggestions: what each means, and what to do about it.

In the advice, FILE stands for the path of a row, quoted for a shell, and VALUE for its value.
"""

from typing import NamedTuple

UNLINKED = "unlinkedMention"
AMBIGUOUS = "linkAmbiguous"
DUPLICATE = "likelyDuplicate"
SUGGESTIONS = (AMBIGUOUS, DUPLICATE, UNLINKED)  # nothing is wrong with the index because of them


class Kind(NamedTuple):
    """The meaning of all rows of one code, and the advice."""

    about: str
    fix: str


_CAPPED = "links, tags or headings beyond the limit, which are ignored"
_RULES = (
    'the keys are ignore = ["name"] and, under [merge], "name" = ["other name"]: change the line'
)
KINDS = {
    "aliasContested": Kind(
        "aliases that several notes claim or that name another note, so they lead nowhere",
        "keep it in one note only, or remove it if it is the name of another: VALUE",
    ),
    "appJsonInvalid": Kind(
        "Obsidian's settings cannot be read, so its excluded files are not left out",
        "python3 -m json.tool .obsidian/app.json",
    ),
    "binary": Kind(
        "files that look binary, indexed by name alone",
        "rename FILE, or list it in `ignore` under [vault] in the config",
    ),
    "codeRootTooLarge": Kind(
        "files of code beyond the limit, which are not read",
        "name smaller folders under [code] roots in the config, or list files in .gitignore",
    ),
    "codeRootUnavailable": Kind(
        "folders of code that cannot be read; what was known of them is kept",
        "bring the folder back, or take it out of [code] roots in the config",
    ),
    "codeSkipped": Kind(
        "code that is too large, or takes too much work to read", "divide the file, or the block"
    ),
    "conceptRulesInvalid": Kind("lines of .clew/concepts.toml that are not used", _RULES),
    "dailyNotesInvalid": Kind(
        "the format of daily notes cannot be used for dates",
        "change the date format in Obsidian's settings of daily notes",
    ),
    "encoding": Kind(
        "text that is not UTF-8, with damaged characters replaced",
        "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW && mv NEW FILE",
    ),
    "fieldInvalid": Kind(
        "front matter values of the wrong kind, which are ignored",
        "change the value in FILE, or remove its key",
    ),
    "frontmatterInvalid": Kind(
        "front matter that is not valid YAML, of which no key counts",
        "put text with a colon, a bracket or a quote into quotes: title: 'a: b'",
    ),
    "frontmatterUnclosed": Kind(
        "front matter without an end, read as text", "add a line --- below the last key"
    ),
    "headingsCapped": Kind(_CAPPED, "divide the note"),
    "ignoreFilterInvalid": Kind(
        "excluded files of Obsidian that are no pattern, so they are not left out",
        "change it in Obsidian's settings, Files and links, Excluded files: VALUE",
    ),
    "ignorePatternInvalid": Kind(
        "patterns in the config that leave nothing out",
        "change it in `ignore` under [vault]: VALUE",
    ),
    "linksCapped": Kind(_CAPPED, "divide the note"),
    "nameUndecodable": Kind(
        "names of files that are not UTF-8", "convmv -f latin1 -t utf8 --notest FILE"
    ),
    "notRegular": Kind("pipes, sockets and devices, which are never opened", "remove FILE"),
    "quarantined": Kind(
        "notes that ended the indexer twice, indexed by name alone",
        "change FILE, and please report it with the daemon's log (clew logs)",
    ),
    "ruleInvalid": Kind(
        "rules in .clew/rules that are not used", "clew rules check, then change them"
    ),
    "supersededBroken": Kind(
        "superseded_by and supersedes in front matter that lead to no note, and have no effect",
        "name a note of this vault in FILE: VALUE",
    ),
    "supersededCircular": Kind(
        "notes that replace each other in a circle, so that none of them counts as superseded",
        "remove a superseded_by or supersedes from FILE: VALUE",
    ),
    "symlink": Kind(
        "symbolic links, which are not followed",
        'cp --remove-destination "$(readlink -f FILE)" FILE',
    ),
    "tagsCapped": Kind(_CAPPED, "divide the note"),
    "tooComplex": Kind("notes nested too deep, read line by line", "divide the note"),
    "tooLarge": Kind(
        "notes over the limit of bytes, indexed by name alone",
        "divide the note, or raise max_note_bytes under [vault] in the config",
    ),
    "tooManyConcepts": Kind(
        "notes with so many concepts that they count in no community",
        "divide the note, or raise max_concepts under [communities] in the config",
    ),
    "unreadable": Kind("files and folders that cannot be read", "chmod u+rX FILE"),
    AMBIGUOUS: Kind("links that may mean several notes", "write the folder too: [[folder/VALUE]]"),
    DUPLICATE: Kind(
        "concepts that are likely one under two names",
        "if so, add under [merge] in .clew/concepts.toml: VALUE",
    ),
    UNLINKED: Kind(
        "notes that another note names without a link", "write [[VALUE]] if it means that note"
    ),
}
UNKNOWN = Kind("other problems", "see the message")
