/** How far a misspelt word is from a name: missing, extra, wrong and exchanged letters. */

/** How many slips a text of so many letters may have. */
function slipsAllowed(length) {
  return length < 4 ? 0 : length < 8 ? 1 : 2;
}

/**
 * The least number of slips that make `typed` the beginning of `name`, or `most` + 1 if there are
 * more. Each missing, extra, wrong letter or exchange of neighbours is one (optimal string
 * alignment: Damerau 1964; Wagner and Fischer 1974).
 */
function slipsToBeginning(typed, name, most) {
  const width = Math.min(name.length, typed.length + most);
  let [older, before] = [[], Array.from({ length: width + 1 }, (_, at) => at)];
  for (let row = 1; row <= typed.length; row += 1) {
    const now = [row];
    for (let at = 1; at <= width; at += 1) {
      const same = typed[row - 1] === name[at - 1];
      let least = Math.min(before[at - 1] + !same, before[at] + 1, now[at - 1] + 1);
      const exchanged = row > 1 && at > 1 && typed[row - 1] === name[at - 2] && typed[row - 2] === name[at - 1];
      if (exchanged) least = Math.min(least, older[at - 2] + 1);
      now.push(least);
    }
    if (Math.min(...now) > most) return most + 1;
    [older, before] = [before, now];
  }
  return Math.min(most + 1, ...before);
}

/** The least slips from `typed` to the beginning of any word of `key`. */
function slipsTo(typed, key) {
  const most = slipsAllowed(typed.length);
  let least = most + 1;
  for (const { index } of key.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)) {
    least = Math.min(least, slipsToBeginning(typed, key.slice(index, index + typed.length + most), most));
  }
  return least;
}
