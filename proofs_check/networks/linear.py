"""Linear maps of integers over 2^p, every entry of a matrix in one place of a long integer (section 16, Linear)."""

from collections.abc import Sequence

from ..core.budget import Budget
from .functions import up
from .weights import integers, least_exponent
from .work import linear_cost, packing_cost

Token = tuple[list[int], int]  # integers m and a radius r: every coordinate times 2^p is at most r away from its m
STEP = 32  # widths are multiples of so many bits


def bits_of(numbers: Sequence[int]) -> int:
    """The bits of the longest of some integers."""
    return max(max(numbers), -min(numbers)).bit_length()


def token_bits(token: Token) -> int:
    """The bits of the longest coordinate, or of the radius: it may be the longer one."""
    return max(bits_of(token[0]), token[1].bit_length())


class Matrix:
    """A matrix of entries w/2^e, e as small as possible, and a bias over 2^p.

    The columns are packed: column i is held as C_i = sum_j w_ji 2^(Bj). Then sum_i m_i C_i = sum_j y_j 2^(Bj) with the
    sums y_j = sum_i w_ji m_i, and as |y_j| < 2^(B-1), 2^(B-1) added to each, the y_j are the digits in base 2^B.
    """

    def __init__(self, shape: tuple[int, int], text: bytes, bias: Sequence[int], budget: Budget) -> None:
        self.rows, self.columns = shape
        self.text, self.bias, self.budget = text, bias, budget
        self.e = least_exponent(text)
        sums = [sum(map(abs, self.row(j))) for j in range(self.rows)]
        self.norm = max(sums)  # 2^e times the norm for the largest coordinate
        self.width = 0
        self.packed: list[int] = []

    def row(self, j: int) -> list[int]:
        """Row j times 2^e."""
        size = 4 * self.columns
        return integers(self.text[j * size : (j + 1) * size], self.e)

    def pack(self, need: int) -> None:
        """Holds the columns in places of at least so many bits."""
        width = STEP * -(-need // STEP)
        self.budget.spend(packing_cost(self.rows, self.columns, width))
        self.budget.hold(self.rows * self.columns, width - self.width)
        half, size = 1 << width - 1, width // 8
        self.halves = int.from_bytes(half.to_bytes(size, "little") * self.rows, "little")
        self.packed, self.width = [], width
        for column in zip(*map(self.row, range(self.rows))):
            digits = b"".join([(w + half).to_bytes(size, "little") for w in column])
            self.packed.append(int.from_bytes(digits, "little") - self.halves)

    def sums(self, m: Sequence[int], bits: int) -> list[int]:
        """The sums over i of w_ji m_i; m has so many bits at most."""
        need = bits + self.norm.bit_length() + 1
        self.budget.within(need, "bits")
        if need > self.width:
            self.pack(need)
        self.budget.spend(linear_cost(self.rows, self.columns, self.width, bits))
        total = sum([x * column for x, column in zip(m, self.packed)]) + self.halves
        half, size = 1 << self.width - 1, self.width // 8
        digits = total.to_bytes(size * self.rows, "little")
        starts = range(0, size * self.rows, size)
        return [int.from_bytes(digits[k : k + size], "little") - half for k in starts]

    def apply(self, token: Token) -> Token:
        """W x + b."""
        m, r = token
        found = [(y >> self.e) + b for y, b in zip(self.sums(m, token_bits(token)), self.bias)]
        return found, up(r * self.norm, 1 << self.e) + 1
