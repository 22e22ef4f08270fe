"""The types of the public names: what __init__.py imports on first use, for those who read types, not code."""

from exactformer import languages as languages
from exactformer import papers as papers
from exactformer import sklearn as sklearn
from exactformer.arithmetic.ball import Ball as Ball
from exactformer.arithmetic.decimals import decimals as decimals
from exactformer.arithmetic.state import State as State
from exactformer.arithmetic.text import exact as exact
from exactformer.certificates.certificate import Certificate as Certificate
from exactformer.checking import check as check
from exactformer.conjectures.hunt import hunt as hunt
from exactformer.conjectures.own import conjecture as conjecture
from exactformer.conjectures.statement import Statement as Statement
from exactformer.constructions.built_transformer import Built as Built
from exactformer.constructions.pipeline import construct as construct
from exactformer.dynamics.limits import Limit as Limit
from exactformer.dynamics.limits import limit as limit
from exactformer.dynamics.orbit import Orbit as Orbit
from exactformer.dynamics.orbit import simulate as simulate
from exactformer.dynamics.stabilisation import stabilisation_case as stabilisation_case
from exactformer.errors import Declined as Declined
from exactformer.errors import ExactformerError as ExactformerError
from exactformer.errors import InvalidInput as InvalidInput
from exactformer.errors import Malformed as Malformed
from exactformer.errors import MissingExtra as MissingExtra
from exactformer.errors import MissingOption as MissingOption
from exactformer.errors import NoConstruction as NoConstruction
from exactformer.errors import NotAccepted as NotAccepted
from exactformer.errors import NotExact as NotExact
from exactformer.errors import SchedulerUnreachable as SchedulerUnreachable
from exactformer.errors import Undecided as Undecided
from exactformer.evaluate.domain_decision import Decision as Decision
from exactformer.evaluate.network_answer import NetworkAnswer as NetworkAnswer
from exactformer.float_comparison.exports import export as export
from exactformer.float_comparison.subject import crosscheck as crosscheck
from exactformer.instances.named_families import sample as sample
from exactformer.languages.recogniser import Recogniser as Recogniser
from exactformer.loading import load as load
from exactformer.model.architecture import Architecture as Architecture
from exactformer.model.attention import SelfAttention as SelfAttention
from exactformer.model.dataset import Dataset as Dataset
from exactformer.model.dataset import Sequence as Sequence
from exactformer.model.domain import Domain as Domain
from exactformer.model.feed_forward import FeedForward as FeedForward
from exactformer.model.head_rules import HeadRule as HeadRule
from exactformer.model.heads import Head as Head
from exactformer.model.heads import MultiHeadAttention as MultiHeadAttention
from exactformer.model.heads import MultiHeadBlock as MultiHeadBlock
from exactformer.model.matrix import Dense as Dense
from exactformer.model.matrix import Outer as Outer
from exactformer.model.matrix import Scalar as Scalar
from exactformer.model.matrix import Sparse as Sparse
from exactformer.model.matrix import Zero as Zero
from exactformer.model.network import Network as Network
from exactformer.model.tokens import Tokens as Tokens
from exactformer.model.transformer import Block as Block
from exactformer.model.transformer import Transformer as Transformer
from exactformer.play.widget import PlayWidget as PlayWidget
from exactformer.report.citations import cite as cite
from exactformer.report.page import write_report as write_report
from exactformer.report.plot import plot as plot
from exactformer.studies import mean_field as mean_field
from exactformer.studies import sentiment as sentiment
from exactformer.studies import time_delay as time_delay
from exactformer.training.loss import regularised_loss as regularised_loss
from exactformer.training.network_training import train_network as train_network
from exactformer.training.repair import Repaired as Repaired
from exactformer.training.repair import repair as repair
from exactformer.training.train import train as train

__version__: str

meanfield = mean_field
delay = time_delay
