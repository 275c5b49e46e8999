"""The legs that search runs, in their order: each sees the hits of those before it."""

from clew.query.search.legs.base import Leg
from clew.query.search.legs.keyword import KeywordLeg
from clew.query.search.legs.semantic import SemanticLeg
from clew.query.search.legs.spread import GraphLeg
from clew.query.search.legs.temporal import TemporalLeg

LEGS: tuple[Leg, ...] = (KeywordLeg(), SemanticLeg(), GraphLeg(), TemporalLeg())
