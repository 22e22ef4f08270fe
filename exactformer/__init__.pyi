"""The types of the public names: what __init__.py imports on first use, for those who read types, not code."""

from exactformer.arithmetic.ball import Ball as Ball
from exactformer.arithmetic.state import State as State
from exactformer.arithmetic.text import exact as exact
from exactformer.certificates.load import load as load
from exactformer.certificates.opened import Certificate as Certificate
from exactformer.checking import check as check
from exactformer.conjectures.hunt import hunt as hunt
from exactformer.conjectures.named_families import sample as sample
from exactformer.conjectures.statement import Statement as Statement
from exactformer.constructions.built import Built as Built
from exactformer.constructions.pipeline import construct as construct
from exactformer.crosscheck.subject import crosscheck as crosscheck
from exactformer.dynamics.limits import Limit as Limit
from exactformer.dynamics.limits import limit as limit
from exactformer.dynamics.orbit import Orbit as Orbit
from exactformer.dynamics.orbit import simulate as simulate
from exactformer.errors import Declined as Declined
from exactformer.errors import ExactformerError as ExactformerError
from exactformer.errors import InvalidInput as InvalidInput
from exactformer.errors import Malformed as Malformed
from exactformer.errors import MissingExtra as MissingExtra
from exactformer.errors import NoConstruction as NoConstruction
from exactformer.errors import NotExact as NotExact
from exactformer.errors import Undecided as Undecided
from exactformer.model.attention import SelfAttention as SelfAttention
from exactformer.model.dataset import Dataset as Dataset
from exactformer.model.dataset import Sequence as Sequence
from exactformer.model.feed_forward import FeedForward as FeedForward
from exactformer.model.matrix import Dense as Dense
from exactformer.model.matrix import Outer as Outer
from exactformer.model.matrix import Scalar as Scalar
from exactformer.model.matrix import Zero as Zero
from exactformer.model.tokens import Tokens as Tokens
from exactformer.model.transformer import Block as Block
from exactformer.model.transformer import Transformer as Transformer
from exactformer.report.page import write_report as write_report
from exactformer.report.plot import plot as plot
from exactformer.studies import mean_field as mean_field
from exactformer.studies import sentiment as sentiment
from exactformer.studies import time_delay as time_delay
from exactformer.training.loss import regularised_loss as regularised_loss
from exactformer.training.repair import Repaired as Repaired
from exactformer.training.repair import repair as repair
from exactformer.training.train import train as train

__version__: str
