"""Python and JavaScript with comments beside calls, and which comment each call has."""

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
