/** Search as one types: names and display names, whatever their case and accents, and with slips. */
const FOUND_MAX = 12;

/** Without accents, case and odd spaces; a name that is nothing but marks stays as it is. */
function folded(text) {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").toLowerCase();
  return plain.trim() || text.toLowerCase();
}

const TYPED_MAX = 60; // characters that are compared letter by letter

/**
 * Return concepts that hold the text: those that begin with it, then words that do, then others. If
 * none does, those with the fewest slips between.
 */
function searchFor(index, text) {
  const wanted = folded(text.trim());
  if (!wanted) return [];
  const ranked = [[], [], []];
  for (const { concept, keys } of index) {
    const place = Math.min(...keys.map((key) => placeOf(wanted, key)));
    if (place < 3) ranked[place].push(concept);
  }
  const found = ranked.flat();
  return (found.length ? found : nearest(index, wanted)).slice(0, FOUND_MAX);
}

function nearest(index, wanted) {
  const most = slipsAllowed(wanted.length);
  if (most === 0 || wanted.length > TYPED_MAX) return [];
  return index
    .map(({ concept, keys }) => ({ concept, slips: Math.min(...keys.map((key) => slipsTo(wanted, key))) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips)
    .map(({ concept }) => concept);
}

function placeOf(wanted, key) {
  const at = key.indexOf(wanted);
  if (at < 0) return 3;
  if (at === 0) return 0;
  return /[\p{L}\p{N}]/u.test(key[at - 1]) ? 2 : 1;
}

/** The search box: a combobox whose list is walked by the arrow keys. */
function followSearch(ranked, palette, { chosen, cleared }) {
  const [input, list, none] = ["query", "found", "none"].map((id) => document.getElementById(id));
  const index = ranked.map((concept) => ({
    concept,
    keys: [folded(concept.shown), folded(concept.name), folded(concept.name.replaceAll("-", " "))],
  }));
  let found = [];
  let at = -1;

  const mark = (place) => {
    at = place;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    const item = list.children[at];
    if (item) input.setAttribute("aria-activedescendant", item.id);
    else input.removeAttribute("aria-activedescendant");
    item?.scrollIntoView({ block: "nearest" });
  };
  const show = () => {
    found = searchFor(index, input.value);
    list.replaceChildren(...found.map((concept, i) => optionOf(concept, i, palette(), take)));
    list.hidden = found.length === 0;
    none.hidden = found.length > 0 || !input.value.trim();
    input.setAttribute("aria-expanded", String(found.length > 0));
    mark(found.length ? 0 : -1);
  };
  const clear = () => {
    input.value = "";
    show();
  };
  const take = (concept) => {
    clear();
    chosen(concept);
  };
  const keys = {
    ArrowDown: () => found.length && mark((at + 1) % found.length),
    ArrowUp: () => found.length && mark((at - 1 + found.length) % found.length),
    Enter: () => found[at] && take(found[at]),
    Escape: () => (input.value ? clear() : cleared()),
  };
  input.addEventListener("input", show);
  input.addEventListener("blur", () => (list.hidden = true));
  input.addEventListener("focus", () => (list.hidden = found.length === 0));
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (!Object.hasOwn(keys, event.key) || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function optionOf(concept, place, palette, take) {
  const item = element("li", { id: `found-${place}`, role: "option" }, [
    swatch(hueOf(palette, concept.community)),
    nameOf(concept.shown),
    element("span", { class: "count" }, [String(concept.notes)]),
  ]);
  // Before the box loses focus, which would close the list.
  item.addEventListener("pointerdown", (event) => event.preventDefault());
  item.addEventListener("click", () => take(concept));
  return item;
}
