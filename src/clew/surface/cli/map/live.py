"""A web page that follows the vault, served to one browser on this machine.

The page is served at a loopback address, which every user of the machine can reach. So the address
that is opened carries a token that is good for one visit, since other users may see it in the list
of processes; it gives the browser a cookie, without which nothing is answered. Requests that name
another host are refused, so that no website can have its own name point here.

The page's address ends in its version, and ``/version`` names the newest.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from clew.surface.client import NoDaemon, Refused

ADDRESS = "127.0.0.1"
CONNECTIONS_MAX = 16
_REQUEST_SECONDS_MAX = 5.0
_DRAWN_PAUSE_S = 1.0  # at least between two drawings
_TOKEN_BYTES = 24


@dataclass(slots=True)
class Drawing:
    """The newest page, drawn again when the vault has changed and somebody asks.

    ``state`` returns the vault's revision and that of its communities; ``draw`` returns the page.
    Both raise ``NoDaemon`` or ``Refused``.
    """

    state: Callable[[], tuple[int, int]]
    draw: Callable[[], str]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _drawn: tuple[tuple[int, int], float] | None = None  # the state, and when
    _version: int = 0
    _page: str = ""

    def newest(self) -> tuple[int, str]:
        """Return the version and the page; equal pages have one version."""
        with self._lock:
            now_s = time.monotonic()
            if self._drawn is None or now_s - self._drawn[1] >= _DRAWN_PAUSE_S:
                state = self.state()
                if self._drawn is None or state != self._drawn[0]:
                    page = self.draw()
                    self._version += page != self._page
                    self._page = page
                    self._drawn = (state, time.monotonic())
            return self._version, self._page


class PageServer(ThreadingHTTPServer):
    """Serves a drawing until it is closed, to the browser that opens ``address`` first."""

    daemon_threads = True
    request_queue_size = CONNECTIONS_MAX

    def __init__(self, drawing: Drawing, request_seconds_max: float = _REQUEST_SECONDS_MAX) -> None:
        super().__init__((ADDRESS, 0), _Handler)
        self.drawing = drawing
        self.request_seconds_max = request_seconds_max
        self.host = f"{ADDRESS}:{self.server_port}"
        # Cookies do not tell ports apart.
        self.cookie = f"clew-map-{self.server_port}"
        self.secret = secrets.token_urlsafe(_TOKEN_BYTES)
        self._token: str | None = secrets.token_urlsafe(_TOKEN_BYTES)
        self._token_lock = threading.Lock()
        self._room = threading.BoundedSemaphore(CONNECTIONS_MAX)
        self.address = f"http://{self.host}/?token={self._token}"

    def admits(self, token: str) -> bool:
        """Whether ``token`` is the one of the address, and this is its first use."""
        with self._token_lock:
            if self._token is None or not _equal(token, self._token):
                return False
            self._token = None
            return True

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a connection on a thread, or close it where there are too many."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a connection; then there is room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser that closes a connection is no fault."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def setup(self) -> None:
        """Give the client only so long to send its request."""
        super().setup()
        self.connection.settimeout(self.server.request_seconds_max)

    def do_GET(self) -> None:
        """Answer a request, or refuse it."""
        address = urlsplit(self.path)
        token = parse_qs(address.query).get("token", [""])[0]
        if self.headers.get("Host") != self.server.host:
            self._say(HTTPStatus.MISDIRECTED_REQUEST, "This is not the address of the map.\n")
        elif self.server.admits(token):
            value = f"{self.server.cookie}={self.server.secret}; HttpOnly; SameSite=Strict; Path=/"
            self._go_to("/", {"Set-Cookie": value})
        elif not self._is_known():
            text = "The address of a map is good for one visit. Run `clew map --live` again.\n"
            self._say(HTTPStatus.FORBIDDEN, text)
        else:
            self._show(address.path)

    def _show(self, path: str) -> None:
        try:
            version, page = self.server.drawing.newest()
        except (NoDaemon, Refused) as error:
            self._say(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n")
            return
        if path == "/version":
            self._say(HTTPStatus.OK, str(version))
        elif path == f"/map/{version}":
            self._say(HTTPStatus.OK, page, "text/html")
        elif path == "/" or path.startswith("/map/"):
            self._go_to(f"/map/{version}", {})
        else:
            self._say(HTTPStatus.NOT_FOUND, "There is no such page.\n")

    def _is_known(self) -> bool:
        """Whether the browser has the cookie."""
        try:
            cookies = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.server.cookie)
        return found is not None and _equal(found.value, self.server.secret)

    def _go_to(self, path: str, headers: dict[str, str]) -> None:
        self._say(HTTPStatus.SEE_OTHER, "", headers={"Location": path, **headers})

    def _say(
        self,
        status: HTTPStatus,
        text: str,
        kind: str = "text/plain",
        headers: dict[str, str] | None = None,
    ) -> None:
        body = text.encode("utf-8")
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Content-Security-Policy": "frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        """Return the name of the server that replies give."""
        return "clew"

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the base's name
        """Log nothing: standard error is for messages to a person."""


def _equal(one: str, other: str) -> bool:
    """Compare two secrets in a time that does not tell how much of them is equal."""
    return secrets.compare_digest(one.encode(), other.encode())
