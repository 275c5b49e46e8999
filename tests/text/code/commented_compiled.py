"""Go, Rust, Java, C and C++ with comments beside calls, and which comment each call has."""

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
