"""Ask the method ``code`` of a vault made of texts."""

from collections.abc import Mapping
from typing import Any

from clew.engine.apply import Engine
from clew.engine.snapshot import Snapshot
from clew.query.code.code import code
from clew.query.slices import finished
from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code
from clew.values.code.replies import CodeEntity, CodeReply
from clew.values.requests import Code
from clew.values.vault import Batch, ReadCode, Stamp
from tests.vaults import snapshot_of

AUTH = """# Auth

Why tokens: `AuthService` is asked before each call.

```python
class Service: ...

class AuthService(Service):
    def login(self, user):
        self.check(user)
        return make_token(user)

    def check(self, user): ...
```

```python
def handle(request):
    service = AuthService()
    service.login(request.user)
```
"""
NOTES = {
    "Auth.md": AUTH,
    "Decision.md": "# Decision\nWe keep AuthService.login() small, and AuthService too.\n",
    "Flow.md": "The flow.\n```python\ndef go(x): x.login(1); other()\n```\nSee `AuthService`.\n",
    "Far.md": "Nothing of it: authservice, Auth, login.\n",
}


def add_code(engine: Engine, path: str, text: str) -> None:
    file, _ = parse_code(path, text, BY_NAME["python"])
    engine.apply(Batch(code=(ReadCode(path, Stamp(1, 1, 1, 1), file),)))


def asked(notes: Mapping[str, str] | Snapshot, name: str, **fields: Any) -> CodeReply:
    snapshot = notes if isinstance(notes, Snapshot) else snapshot_of(notes)
    return finished(code(snapshot, Code(name=name, **fields)))


def only(reply: CodeReply) -> CodeEntity:
    (entity,) = reply.entities
    return entity
