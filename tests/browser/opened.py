"""One page in a browser, with its requests, policy violations and errors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Scheme: TypeAlias = Literal["light", "dark"]

LAYOUT_MS_MAX = 60_000

# Runs before any script of the page.
WATCH = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) =>
  refused.push(event.violatedDirective + " " + event.blockedURI));
window.frames_ = [];
let last = null;
const tick = (now) => {
  if (document.documentElement.dataset.layout) {
    if (last !== null) frames_.push([now - last, document.documentElement.dataset.layout]);
    last = now;
  }
  requestAnimationFrame(tick);
};
requestAnimationFrame(tick);
"""


@dataclass(frozen=True, slots=True)
class Reader:
    """The settings of the person who reads the page."""

    width: int = 1280
    height: int = 800
    scheme: Scheme = "light"
    motion: Literal["reduce", "no-preference"] = "reduce"
    lawless: bool = False  # the page's policy is not enforced, which axe needs


class Opened:
    """A page that is open."""

    def __init__(self, browser: "Browser", address: str, reader: Reader) -> None:
        self.context = browser.new_context(
            viewport={"width": reader.width, "height": reader.height},
            color_scheme=reader.scheme,
            reduced_motion=reader.motion,
            bypass_csp=reader.lawless,
        )
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page = self.context.new_page()
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.add_init_script(WATCH)
        self.page.goto(address)

    def settled(self) -> "Opened":
        """Wait until the layout has settled and is drawn."""
        self.page.wait_for_selector("html[data-layout=settled]", timeout=LAYOUT_MS_MAX)
        self.two_frames()
        return self

    def two_frames(self) -> None:
        self.run(
            "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
        )

    def run(self, script: str, argument: object = None) -> Any:
        return self.page.evaluate(script, argument)

    def text(self, selector: str) -> str:
        return str(self.run("(s) => document.querySelector(s).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        found = self.run(
            "(s) => [...document.querySelectorAll(s)].map((e) => e.textContent)", selector
        )
        return [str(text) for text in found]

    def shown(self, selector: str) -> bool:
        return bool(self.page.is_visible(selector))

    def box(self, selector: str) -> dict[str, float]:
        found: dict[str, float] = self.run(
            "(s) => document.querySelector(s).getBoundingClientRect().toJSON()", selector
        )
        return found

    def look_up(self, text: str) -> None:
        """Open a concept with the keyboard."""
        self.page.keyboard.press("/")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Enter")

    def refused(self) -> list[str]:
        return [str(line) for line in self.run("() => refused")]
