"""State that requests share: the model, slow work, locks, the time zone."""

import asyncio
from datetime import tzinfo
from functools import cached_property
from typing import Any

from clew.query.sessions.episodes import new_episode_cache
from clew.query.sessions.features import new_feature_cache
from clew.surface.server.answers.packs.context_cache import new_cache
from clew.surface.server.answers.packs.deliveries import Deliveries
from clew.surface.server.answers.query_model import QueryModel
from clew.surface.server.answers.windows.pipeline_cache import new_pipeline_cache
from clew.surface.server.answers.windows.traces import Traces
from clew.surface.server.beside import Beside
from clew.surface.server.shared_work import SharedWork, Threads
from clew.surface.server.timezone import local_zone


class QueryTools:
    """Holds the state that requests share besides the snapshot."""

    def __init__(self, model: str) -> None:
        self.model = QueryModel(model)
        self.shared_work = SharedWork()
        self.beside = Beside()
        self.contexts = new_cache()
        self.deliveries = Deliveries()
        self.episodes = new_episode_cache()
        self.turn_features = new_feature_cache()
        self.traces = Traces()
        self.pipelines = new_pipeline_cache()
        # The computation of node importance, for which no request waits.
        self.weighing: asyncio.Future[object] | None = None
        self.checking = asyncio.Lock()  # held while the index is compared with a rebuild
        self.drawing = asyncio.Lock()  # held while a graph is drawn
        # A cancelled request releases the lock, but its thread finishes the drawing. As there is
        # only one thread, the next drawing waits for it.
        self.drawing_thread = Threads(max_workers=1, thread_name_prefix="clew-draw")
        # Referenced here, since the loop holds only weak references to tasks.
        self._model_loading: asyncio.Future[Any] | None = None

    @cached_property
    def zone(self) -> tzinfo:
        """The time zone in which days begin, looked up at first use."""
        return local_zone()

    def load_model(self) -> None:
        """Begin to load the model, for the first query that needs it."""
        self._model_loading = asyncio.ensure_future(self.model.encoder())
