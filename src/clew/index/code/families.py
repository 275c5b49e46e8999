"""Families of languages, by how names are looked up in them. Knows no file."""

from dataclasses import dataclass

from clew.values.code.code_file import CodeFile


@dataclass(frozen=True, slots=True)
class Family:
    """Languages whose code can call each other, and what a bare name means in them."""

    name: str
    has_bare_members: bool = False  # a bare name may be a member of the class around it
    has_overloads: bool = False  # functions of one name in one scope may differ by parameters
    has_method_namespace: bool = False  # methods and variables have separate namespaces
    shares_folders: bool = False  # files of one folder know each other's names
    has_inner_scopes: bool = False  # a block or an anonymous function binds names of its own


PYTHON = Family("python")
SCRIPT = Family("script", has_inner_scopes=True)
GO = Family("go", shares_folders=True)
RUST = Family("rust", has_overloads=True)
JAVA = Family(
    "java",
    has_bare_members=True,
    has_overloads=True,
    has_method_namespace=True,
    shares_folders=True,
)
C = Family("c", has_bare_members=True, has_overloads=True)

_BY_LANGUAGE = {
    "python": PYTHON,
    "go": GO,
    "rust": RUST,
    "java": JAVA,
    "c": C,
    "cpp": C,
}


def family_of(file: CodeFile) -> Family:
    """Return the family of a file's language."""
    return _BY_LANGUAGE.get(file.language, SCRIPT)
