"""One page in a browser, with its requests, policy violations and errors; the readers of pages."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Request

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


class Contexts:
    """One browser context for each reader, in which all pages for that reader are opened.

    Pages keep nothing in a context: what they store belongs to a tab. The first page of a context
    stays blank and open, since a process that starts anew for each page takes half of its time.
    """

    def __init__(self, browser: "Browser") -> None:
        self._browser = browser
        self._by_reader: dict[Reader, BrowserContext] = {}

    def of(self, reader: Reader) -> "BrowserContext":
        """Return the context for a reader."""
        if reader not in self._by_reader:
            context = self._browser.new_context(
                viewport={"width": reader.width, "height": reader.height},
                color_scheme=reader.scheme,
                reduced_motion=reader.motion,
                bypass_csp=reader.lawless,
            )
            context.new_page()
            self._by_reader[reader] = context
        return self._by_reader[reader]


class Opened:
    """A page that is open; ``close`` closes it."""

    def __init__(self, context: "BrowserContext", address: str) -> None:
        self.context = context
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.context.on("request", self._note_request)
        self.page = self.context.new_page()
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.add_init_script(WATCH)
        self.page.goto(address)

    def _note_request(self, request: "Request") -> None:
        self.requests.append(request.url)

    def close(self) -> None:
        """Close the page, and all that it opened; leave the blank page of its context."""
        self.context.remove_listener("request", self._note_request)
        for page in self.context.pages[1:]:
            page.close()

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
