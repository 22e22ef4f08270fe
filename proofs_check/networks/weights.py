"""The weight string and its numbers (FORMAT.md, section 16, rules 2 and 3)."""

import base64
import binascii
import hashlib
import os
import struct

from ..core.certificate import Certificate
from ..core.lines import count
from ..core.verdict import Json, Refusal, holds, well_formed
from .architecture import Architecture, Shape, tensors

LINE = 49_152  # bytes of the weight string on every line of weights but the last
ENTRY = 40  # operations to read one entry


def read_weights(file: Certificate, net: Architecture) -> dict[str, tuple[Shape, bytes]]:
    """The tensors of the weight string by name: shape and bytes."""
    listed = tensors(net)
    length = 4 * sum(rows * columns for _, (rows, columns) in listed)
    file.budget.within(length, "bytes")
    file.budget.spend(ENTRY * (length // 4))
    text = embedded(file, length) if file.header["inline"] else beside(file, length)
    well_formed(len(text) == length, f"the weights are {len(text)} bytes, not {length}")
    digest = hashlib.sha256(text).hexdigest()
    well_formed(file.header["weights"] == digest, f"the digest of the weights is {digest}")
    if file.header["inline"] and file.weights is not None:
        holds(beside(file, length) == text, "--weights: these are not the weights of the certificate")
    verify_finite(text)
    found, start = {}, 0
    for name, (rows, columns) in listed:
        found[name] = (rows, columns), text[start : start + 4 * rows * columns]
        start += 4 * rows * columns
    return found


def embedded(file: Certificate, length: int) -> bytes:
    """The weight string that the lines of weights spell, so many bytes at most."""
    lines, parts = file.header["inline"], []
    well_formed(lines == -(-length // LINE), f"{length} bytes of weights stand on {-(-length // LINE)} lines")
    for line in range(lines):
        index, text = file.lines.fields("weights", "f32")
        well_formed(count(index, 0) == line, f"expected line {line} of the weights")
        parts.append(canonical_base64(text))
        well_formed(line == lines - 1 or len(parts[-1]) == LINE, f"a line of weights holds {LINE} bytes")
    return b"".join(parts)


def canonical_base64(text: Json) -> bytes:
    """The bytes that a text in canonical base64 with padding writes."""
    well_formed(type(text) is str and text.isascii(), "expected base64")
    try:
        found = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise Refusal("malformed", "not base64") from None
    well_formed(base64.b64encode(found) == text.encode(), "not canonical base64")
    return found


def beside(file: Certificate, length: int) -> bytes:
    """The weight string in the file that the caller gave with --weights; its size is compared first."""
    if file.weights is None:
        raise Refusal("declined", "the weights are not in the certificate; give their file with --weights")
    size = os.path.getsize(file.weights)
    well_formed(size == length, f"--weights: the file has {size} bytes, the weights have {length}")
    with open(file.weights, "rb") as stream:
        return stream.read(length)


def verify_finite(text: bytes) -> None:
    """No entry has exponent 255, which would be infinite or no number."""
    pairs = zip(text[2::4], text[3::4])
    well_formed(not any(high & 127 == 127 and low & 128 for low, high in pairs), "a weight is infinite or no number")


def least_exponent(text: bytes) -> int:
    """The least e >= 0 such that 2^e times every entry is an integer; entries are binary32, little-endian."""
    # exponent field E and fraction f mean (f + 2^23) 2^(E - 150); with E = 0 they mean f 2^-149
    e = 0
    for start in range(0, len(text), LINE):
        for word in unpacked(text[start : start + LINE]):
            E, f = word >> 23 & 255, word & 0x7FFFFF
            f |= 0x800000 if E else 0
            if f << max(E, 1) & (1 << 150 - e) - 1:
                e = 150 - max(E, 1) - trailing_zeros(f)
    return e


def integers(text: bytes, e: int) -> list[int]:
    """2^e times the entries, e at least the least exponent."""
    found = []
    for word in unpacked(text):
        E, f = word >> 23 & 255, word & 0x7FFFFF
        shift = (E or 1) - 150 + e
        f |= 0x800000 if E else 0
        f = f << shift if shift >= 0 else f >> -shift
        found.append(-f if word >> 31 else f)
    return found


def unpacked(text: bytes) -> tuple[int, ...]:
    """The words of 32 bits, little-endian."""
    return struct.unpack(f"<{len(text) // 4}I", text)


def trailing_zeros(f: int) -> int:
    """How often 2 divides f > 0."""
    return (f & -f).bit_length() - 1


def fixed(text: bytes, p: int) -> list[int]:
    """2^p times the entries; declined unless these are integers."""
    verify_held(least_exponent(text), p)
    return integers(text, p)


def verify_held(e: int, p: int) -> None:
    """p bits hold numbers over 2^e."""
    if e > p:
        raise Refusal("declined", f"{p} bits do not hold weights over 2^{e}; 149 always do")
