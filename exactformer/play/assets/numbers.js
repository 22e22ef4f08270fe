// Fractions {n, d} in lowest terms: read from what people type, written canonically, shown short.
'use strict';
const { gcd } = require('./fractions.js');

const DIGITS = 4000; // the longest number that can be typed
const NUMBER = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?(?:\/(\d+))?$/;

const lcm = (a, b) => (a / gcd(a, b)) * b;
const absolute = (x) => (x < 0n ? -x : x);

/** n/d in lowest terms, with d > 0. */
function fraction(n, d = 1n) {
  const g = gcd(n, d) * (d < 0n ? -1n : 1n);
  return { n: n / g, d: d / g };
}

/** The number that a text writes: 3, -1/2, 0.1 (one tenth), 1e-3; null for anything else. */
function read(text) {
  const plain = String(text).replace(/\s+/g, '').replace('\u2212', '-').replace(/^([+-]?)\./, '$10.');
  const found = plain.length <= DIGITS ? NUMBER.exec(plain) : null;
  if (!found) return null;
  const [, sign, whole, digits = '', exponent = '0', below = '1'] = found;
  if (BigInt(below) === 0n) return null;
  const power = Number(exponent);
  const n = BigInt(whole + digits) * 10n ** BigInt(Math.max(0, power));
  const d = BigInt(below) * 10n ** BigInt(digits.length + Math.max(0, -power));
  return fraction(sign === '-' ? -n : n, d);
}

/** Canonical text: 0, an integer, or p/q. */
const write = ({ n, d }) => (d === 1n ? `${n}` : `${n}/${d}`);

const plus = (x, y) => fraction(x.n * y.d + y.n * x.d, x.d * y.d);
const minus = (x, y) => fraction(x.n * y.d - y.n * x.d, x.d * y.d);
const times = (x, y) => fraction(x.n * y.n, x.d * y.d);
const negative = ({ n, d }) => ({ n: -n, d });

const bits = (x) => absolute(x).toString(16).length * 4;

/** The float64 next to n/d, also where both are too long to be floats themselves. */
function nearest(n, d) {
  if (absolute(n) <= 9007199254740991n && d <= 9007199254740991n) return Number(n) / Number(d);
  const shift = bits(d) - bits(n) + 80;
  const top = shift > 0 ? n << BigInt(shift) : n, low = shift < 0 ? d << BigInt(-shift) : d;
  const quotient = top / low, exact = quotient * low === top; // 76 bits or more; the last one says that digits follow
  const half = Math.trunc(shift / 2);
  return Number(exact ? quotient : quotient + (n < 0n ? -1n : 1n)) * 2 ** -half * 2 ** -(shift - half);
}

/** n/d for drawing: a few units of the last place do not matter. */
function roughly(n, d) {
  const above = Number(n), below = Number(d); // either may be past the range of floats, where their quotient is not
  return Number.isFinite(above) && Number.isFinite(below) ? above / below : nearest(n, d);
}

/** The multiple of 1/denominator nearest to a float. */
const snapped = (x, denominator) => fraction(BigInt(Math.round(x * denominator)), BigInt(denominator));

/** A number as people read it: itself where it is short, else a decimal that says that it is cut. */
function short(text, longest = 9) {
  if (text.length <= longest) return text;
  const { n, d } = read(text) ?? long(text);
  const value = nearest(n, d);
  const size = Math.abs(value);
  return `\u2248${size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : value.toPrecision(5).replace(/\.?0+$/, '')}`;
}

/** A canonical text of any length. */
function long(text) {
  const [n, d = '1'] = text.split('/');
  return { n: BigInt(n), d: BigInt(d) };
}

module.exports = { gcd, lcm, absolute, fraction, read, long, write, plus, minus, times, negative, nearest, roughly, snapped, short };
