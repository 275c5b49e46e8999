"""The comments that belong to calls, and to what is handed over."""

from typing import NamedTuple

from clew.text.code.comments import CALLS_A_COMMENT_MAX, CHARACTERS_MAX, COMMENTS_MAX
from tests.codes import code_file
from tests.tables import for_each_row

PYTHON = """
import store  # not of a call

# of the module
start()


def run(value=default()):  # of the default
    # of the first statement,
    # on two lines
    first(
        of_first()
    )
    beside()  # of this line
    # the one above does not
    both()  # the one beside comes first
    text("# not a comment")
    after_text("#")  # after a string

    # a blank line is between

    apart()
    # noqa: E501
    for_a_tool()
    # pragma: no cover
    for_another()  # type: ignore[x]  # the types are wrong
    last()  # why so  # noqa: S101
    # ----------
    ruled()
    long_one(  # of its first line
        1
    )
    # of the whole
    whole(
        1,
        inner(),
        # of the argument
        argued(),
    )
    closed(
        1,
    )  # of its last line
    several()  # goes on
               # below
    not_below()
    # of the condition
    if asked(1) and also(
        2
    ):
        in_block()
        # of the block
        in_block_too()
    # of the other
    elif other():
        pass
    # of what is returned
    return {
        # of the item
        "a": item,
        "b": other_item,  # of this item
        "c": called(),
    }


# of the function
@decorated(1)
def one(x=in_head()):
    in_body()


@near  # of the decorator
def two(): ...


# at the end
"""
PYTHON_EXPECTED = {
    "start": "of the module",
    "default": "of the default",
    "first": "of the first statement, on two lines",
    "of_first": "of the first statement, on two lines",
    "beside": "of this line",
    "both": "the one beside comes first",
    "text": "",
    "after_text": "after a string",
    "apart": "",
    "for_a_tool": "",
    "for_another": "the types are wrong",
    "last": "why so",
    "ruled": "",
    "long_one": "of its first line",
    "whole": "of the whole",
    "inner": "of the whole",
    "argued": "of the argument",
    "closed": "of its last line",
    "several": "goes on below",
    "not_below": "",
    "asked": "of the condition",
    "also": "of the condition",
    "in_block": "",
    "in_block_too": "of the block",
    "other": "of the other",
    "called": "of what is returned",
    "decorated": "of the function",
    "in_head": "",
    "in_body": "",
}

SCRIPT = """
// of the module
start();
/** Runs.
 * @param x what
 */
export function run(x = head()) {
  /* of the first statement,
   * on two lines
   */
  first();
  beside(); /* of this line */
  text("// not a comment");
  text2(`/* nor this */`); // after a string
  within(/* not at the end */ 1);

  // a blank line is between

  apart();
  // eslint-disable-next-line no-empty
  tool();
  two(); /* of the line,
            and the next */
  // of the whole
  whole(
    1,
    inner(),
    () => arrow(),
    () => {
      body();
    },
    // of the argument
    argued(),
  );
  closed(
    1,
  ); // of its last line
  // of the condition
  if (asked()) {
    inBlock();
  } else bare();
  // of the loop
  while (looped())
    bareToo();
  switch (x) {
    // of the case
    case 1:
      cased();
  }
  chained
    // of the step
    .step()
    .other(); // of the last step
  // of the options
  options({
    // of the option
    a: option(),
  });
}
// of the constant
const go = () => gone();
"""
SCRIPT_EXPECTED = {
    "start": "of the module",
    "head": "",
    "first": "of the first statement, on two lines",
    "beside": "of this line",
    "text": "",
    "text2": "after a string",
    "within": "",
    "apart": "",
    "tool": "",
    "two": "of the line, and the next",
    "whole": "of the whole",
    "inner": "of the whole",
    "arrow": "of the whole",
    "body": "",
    "argued": "of the argument",
    "closed": "of its last line",
    "asked": "of the condition",
    "inBlock": "",
    "bare": "",
    "looped": "of the loop",
    "bareToo": "",
    "cased": "",
    "step": "of the step",
    "other": "of the last step",
    "options": "of the options",
    "option": "of the option",
    "gone": "",
}

GO = """package main

func run() {
	// of the first statement,
	// on two lines
	first(
		ofFirst(),
	)
	beside() // of this line
	text("// not a comment")
	text2(`
// nor this`)

	// a blank line is between

	apart()
	//nolint:errcheck
	tool()
	// of the condition
	if asked() {
		inBlock()
	}
	/* of the whole */
	whole(
		inner(),
		func() {
			body()
		},
	)
	switch x {
	// of the case
	case 1:
		cased()
	}
	// of the last
	defer last()
}
"""
GO_EXPECTED = {
    "first": "of the first statement, on two lines",
    "ofFirst": "of the first statement, on two lines",
    "beside": "of this line",
    "text": "",
    "text2": "",
    "apart": "",
    "tool": "",
    "asked": "of the condition",
    "inBlock": "",
    "whole": "of the whole",
    "inner": "of the whole",
    "body": "",
    "cased": "",
    "last": "of the last",
}

RUST = """
fn run() {
    // of the first statement,
    // on two lines
    first();
    beside(); // of this line
    text("// not a comment");
    text2(r#"
    // nor this"#);

    /* a blank line is between */

    apart();
    /// of a statement, like a document
    documented();
    // of the match
    match asked() {
        // of the arm
        1 => arm(),
        _ => { in_block(); }
    }
    // of the closure
    let x = closure(|| {
        body();
    });
    chained
        // of the step
        .step()
        .last(); // of the last step
    // of the macro
    print!("{}", 1);
}
"""
RUST_EXPECTED = {
    "first": "of the first statement, on two lines",
    "beside": "of this line",
    "text": "",
    "text2": "",
    "apart": "",
    "documented": "of a statement, like a document",
    "asked": "of the match",
    "arm": "of the arm",
    "in_block": "",
    "closure": "of the closure",
    "body": "",
    "step": "of the step",
    "last": "of the last step",
    "print!": "of the macro",
}

JAVA = """
class A {
  // of the field
  int field = made();

  /** Runs. */
  @Override
  void run() {
    // of the first statement,
    // on two lines
    first();
    beside(); // of this line
    text("// not a comment");

    // a blank line is between

    apart();
    // NOLINT
    tool();
    // of the condition
    if (asked())
      bare();
    else { inBlock(); }
    // of the closure
    closure(() -> {
      body();
    });
    /* of the result */
    return new Made(
      inner());
  }
}
"""
JAVA_EXPECTED = {
    "made": "of the field",
    "first": "of the first statement, on two lines",
    "beside": "of this line",
    "text": "",
    "apart": "",
    "tool": "",
    "asked": "of the condition",
    "bare": "",
    "inBlock": "",
    "closure": "of the closure",
    "body": "",
    "Made": "of the result",
    "inner": "of the result",
}

C = """
static int run(void) {
  /* of the first statement,
   * on two lines */
  first();
  beside(); // of this line
  text("/* not a comment */");
  many();   /* goes on  */
            /* below */
  below();

  /* a blank line is between */

  apart();
  // NOLINTNEXTLINE
  tool();
  // of the condition
  if (asked(1,
            also()))
    bare();
  // of the loop
  for (int i = begun(); i < ended(); i++) {
    in_block();
  }
  // of the result
  return last();
}
"""
C_EXPECTED = {
    "first": "of the first statement, on two lines",
    "beside": "of this line",
    "text": "",
    "many": "goes on below",
    "below": "",
    "apart": "",
    "tool": "",
    "asked": "of the condition",
    "also": "of the condition",
    "bare": "",
    "begun": "of the loop",
    "ended": "of the loop",
    "in_block": "",
    "last": "of the result",
}
CPP_MORE = """
class B {
  // of the member
  int size = made();
  void go() {
    // of the closure
    closure([] {
      body();
    });
    new Made(); // of the instance
  }
};
"""
CPP_EXPECTED = C_EXPECTED | {
    "made": "of the member",
    "closure": "of the closure",
    "body": "",
    "Made": "of the instance",
}


class Case(NamedTuple):
    path: str
    text: str
    expected: dict[str, str]


CASES = (
    Case("a.py", PYTHON, PYTHON_EXPECTED),
    Case("a.js", SCRIPT, SCRIPT_EXPECTED),
    Case("a.ts", SCRIPT, SCRIPT_EXPECTED),
    Case("a.tsx", SCRIPT, SCRIPT_EXPECTED),
    Case("a.go", GO, GO_EXPECTED),
    Case("a.rs", RUST, RUST_EXPECTED),
    Case("a.java", JAVA, JAVA_EXPECTED),
    Case("a.c", C, C_EXPECTED),
    Case("a.cpp", C + CPP_MORE, CPP_EXPECTED),
)


def comments(path: str, text: str) -> dict[str, str]:
    return {call.name: call.comment for call in code_file(path, text).calls}


@for_each_row(("path", "text", "expected"), CASES)
def test_comments_of_calls(path: str, text: str, expected: dict[str, str]) -> None:
    assert comments(path, text) == expected


@for_each_row(("path", "text"), [(case.path, case.text) for case in CASES])
def test_windows_line_ends_change_nothing(path: str, text: str) -> None:
    assert comments(path, text.replace("\n", "\r\n")) == comments(path, text)


@for_each_row("path", [case.path for case in CASES])
def test_code_without_comments_has_none(path: str) -> None:
    text = next(case.text for case in CASES if case.path == path)
    bare = "\n".join(line for line in text.split("\n") if not set(line) & set("#/*"))
    assert not any(comments(path, bare).values())


PASSED = """
def run(): ...

# of the table
TABLE = {
    # of the item
    "a": run,
    "b": run,  # beside
    "c": run,
}
start(
    run  # of the argument
)
"""


def test_comments_of_what_is_handed_over() -> None:
    shown = [(each.line, each.comment) for each in code_file("a.py", PASSED).passed]
    assert shown == [
        (7, "of the item"),
        (8, "beside"),
        (9, "of the table"),
        (12, "of the argument"),
    ]


LONG = "word " * 60


@for_each_row(
    ("comment", "expected"),
    [
        ("# " + LONG, ("word " * (CHARACTERS_MAX // 5)).strip() + " …"),
        ("# " + "x" * 200, ""),
        ("# " + "海" * 200, "海" * CHARACTERS_MAX + " …"),
        ("#", ""),
        ("#!", ""),
        ("# see #12", "see #12"),
        ("# a: b", "a: b"),
        ("# Returns:", ""),
    ],
)
def test_the_text_of_a_comment(comment: str, expected: str) -> None:
    assert comments("a.py", f"{comment}\nabove()\nbeside()  {comment}\n") == {
        "above": expected,
        "beside": expected,
    }


def test_a_comment_is_given_to_few_calls() -> None:
    names = [f"f{number}" for number in range(CALLS_A_COMMENT_MAX + 3)]
    calls = ", ".join(f"{name}()" for name in names)
    for text in (f"# why\n[{calls}]\n", f"[{calls}]  # why\n"):
        given = [name for name, comment in comments("a.py", text).items() if comment]
        assert given == names[:CALLS_A_COMMENT_MAX]


def test_only_the_first_comments_of_a_file_are_kept() -> None:
    text = "".join(f"# why\nf{number}()\n" for number in range(COMMENTS_MAX + 5))
    assert [name for name, comment in comments("a.py", text).items() if not comment] == [
        f"f{COMMENTS_MAX + number}" for number in range(5)
    ]


def test_a_file_may_be_comments_alone() -> None:
    assert comments("a.py", "# only\n# these") == {}
