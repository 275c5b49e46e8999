"""A web page that follows the vault, served to one browser on this machine.

Every user of the machine can reach the loopback address at which the page is served. So the address
that the browser opens has a token, which gives it a cookie; without the cookie nothing is answered.
The token is good for one visit, since other users may see it in the list of processes. Requests
with another host name are refused, which prevents DNS rebinding by a website.

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
_DRAWN_PAUSE_S = 1.0  # the shortest time between two drawings
_TOKEN_BYTES = 24


@dataclass(slots=True)
class Drawing:
    """The newest page, drawn again at the first request after a change of the vault.

    ``state`` returns the vault's revision and that of its communities; ``draw`` returns the page.
    Both raise ``NoDaemon`` or ``Refused``.
    """

    state: Callable[[], tuple[int, int]]
    draw: Callable[[], str]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _last_draw: tuple[tuple[int, int], float] | None = None  # the state, and monotonic seconds
    _version: int = 0
    _page: str = ""

    def newest(self) -> tuple[int, str]:
        """Return the version and the page; the version changes only if the page does."""
        with self._lock:
            now_s = time.monotonic()
            if self._last_draw is None or now_s - self._last_draw[1] >= _DRAWN_PAUSE_S:
                state = self.state()
                if self._last_draw is None or state != self._last_draw[0]:
                    page = self.draw()
                    self._version += page != self._page
                    self._page = page
                    self._last_draw = (state, time.monotonic())
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
        # The port is part of the name, since browsers send a cookie to all ports of a host.
        self.cookie = f"clew-map-{self.server_port}"
        self.secret = secrets.token_urlsafe(_TOKEN_BYTES)
        self._token: str | None = secrets.token_urlsafe(_TOKEN_BYTES)
        self._token_lock = threading.Lock()
        self._free_connections = threading.BoundedSemaphore(CONNECTIONS_MAX)
        self.address = f"http://{self.host}/?token={self._token}"

    def admits(self, token: str) -> bool:
        """Return whether ``token`` is the token of the address, and unused; then it is used up."""
        with self._token_lock:
            if self._token is None or not _equal(token, self._token):
                return False
            self._token = None
            return True

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a connection on a thread, or close it if there are too many."""
        if self._free_connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a connection; then let another one be admitted."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free_connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error: browsers may close connections at any time."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def setup(self) -> None:
        """Set the time limit for the client to send its request."""
        super().setup()
        self.connection.settimeout(self.server.request_seconds_max)

    def do_GET(self) -> None:
        """Answer a request, or refuse it."""
        address = urlsplit(self.path)
        token = parse_qs(address.query).get("token", [""])[0]
        if self.headers.get("Host") != self.server.host:
            self._send(HTTPStatus.MISDIRECTED_REQUEST, "This is not the address of the map.\n")
        elif self.server.admits(token):
            value = f"{self.server.cookie}={self.server.secret}; HttpOnly; SameSite=Strict; Path=/"
            self._go_to("/", {"Set-Cookie": value})
        elif not self._has_cookie():
            text = "The address of a map is good for one visit. Run `clew map --live` again.\n"
            self._send(HTTPStatus.FORBIDDEN, text)
        else:
            self._show(address.path)

    def _show(self, path: str) -> None:
        try:
            version, page = self.server.drawing.newest()
        except (NoDaemon, Refused) as error:
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n")
            return
        if path == "/version":
            self._send(HTTPStatus.OK, str(version))
        elif path == f"/map/{version}":
            self._send(HTTPStatus.OK, page, "text/html")
        elif path == "/" or path.startswith("/map/"):
            self._go_to(f"/map/{version}", {})
        else:
            self._send(HTTPStatus.NOT_FOUND, "There is no such page.\n")

    def _has_cookie(self) -> bool:
        """Return whether the browser has the cookie."""
        try:
            cookies = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.server.cookie)
        return found is not None and _equal(found.value, self.server.secret)

    def _go_to(self, path: str, headers: dict[str, str]) -> None:
        self._send(HTTPStatus.SEE_OTHER, "", headers={"Location": path, **headers})

    def _send(
        self,
        status: HTTPStatus,
        text: str,
        content_type: str = "text/plain",
        headers: dict[str, str] | None = None,
    ) -> None:
        body = text.encode("utf-8")
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{content_type}; charset=utf-8",
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
        """Return the name of the server in the headers of replies."""
        return "clew"

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the base's name
        """Log nothing: standard error is for messages to a person."""


def _equal(one: str, other: str) -> bool:
    """Compare two secrets in constant time, which reveals nothing of their common prefix."""
    return secrets.compare_digest(one.encode(), other.encode())
