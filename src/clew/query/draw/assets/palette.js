/**
 * Colours of the canvas. The eight hues keep apart for readers who see red and green alike, and
 * stand at 3:1 or more against their ground; the same slot is the same hue in both themes.
 */
const PALETTES = {
  light: {
    ground: "#faf9f6",
    ink: "#23262b",
    edge: "#6f7278",
    none: "#85888d",
    hues: ["#2677a1", "#b84316", "#177858", "#762b67", "#b77b0f", "#6281e9", "#6e3108", "#5240a8"],
  },
  dark: {
    ground: "#14171c",
    ink: "#e8e6e1",
    edge: "#9aa0a8",
    none: "#848a93",
    hues: ["#5ee7fa", "#cf613b", "#78f9b4", "#e39cb5", "#faca4b", "#6982ce", "#ed9235", "#cd99fe"],
  },
};

function hueOf(palette, community) {
  return community && community.slot >= 0 ? palette.hues[community.slot] : palette.none;
}

/** Follow the system's theme until the reader chooses one. */
function followTheme(button, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const apply = () => {
    const name = chosen ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = name;
    button.setAttribute("aria-pressed", String(name === "dark"));
    changed(PALETTES[name]);
  };
  system.addEventListener("change", apply);
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  apply();
}
