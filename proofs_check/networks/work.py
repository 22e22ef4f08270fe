"""What the arithmetic of networks costs, in operations of some 25 nanoseconds (FORMAT.md, sections 8 and 16).

The JavaScript checker has the same formulas: a limit that declines a file here declines it there.
"""


def words(bits: int) -> int:
    """Words of 64 bits."""
    return (bits >> 6) + 1


def exponential_cost(p: int, most: int) -> int:
    """Of one exponential at p bits, of an argument below 2^most."""
    s = p + most + 18
    return (s // 8 + most + 14) * (5 + (words(s) ** 2 >> 3))


def gelu_cost(square: int, p: int) -> int:
    """Of one gelu of an x with floor(x^2) = square."""
    P = p + 41 + 3 * square // 4
    terms = 8 + 2 * square + P // 3
    return 40 + terms * (4 + (words(P) ** 2 >> 2)) + exponential_cost(P, square.bit_length())


def linear_cost(rows: int, columns: int, width: int, bits: int) -> int:
    """Of a matrix with entries packed into columns, times a vector of integers of so many bits."""
    return 300 + columns * (4 + (words(rows * width) * (words(bits) + 1) >> 2)) + rows * (16 + words(width))


def packing_cost(rows: int, columns: int, width: int) -> int:
    """Of packing the entries of a matrix."""
    return rows * columns * (30 + words(width))


def dot_cost(length: int, bits: int) -> int:
    """Of a sum of so many products of integers of so many bits."""
    return 8 + length * (2 + words(bits) ** 2)


def entry_cost(bits: int) -> int:
    """Of some additions, shifts and a division by an integer of so many bits."""
    return 16 + words(bits) ** 2
