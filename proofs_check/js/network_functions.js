// Roots, exponentials and activations of integers over 2^p (FORMAT.md, section 16, Arithmetic and functions). A function returns
// [m, r]: the true value times 2^p is at most r away from m. `>>` rounds down, also negatives; `/` does not, so `down` divides.
'use strict';

const abs = (x) => (x < 0n ? -x : x);
/** a/b rounded down and up, b > 0. */
const down = (a, b) => (a >= 0n ? a / b : -((b - 1n - a) / b));
const up = (a, b) => -down(-a, b);
/** The least k with |x| < 2^k. */
function bitLength(x) {
  const text = abs(x).toString(16);
  return 4 * (text.length - 1) + 32 - Math.clz32(parseInt(text[0], 16));
}
/** The integer root: Newton's steps fall from above until they would rise. */
function isqrt(n) {
  if (n === 0n) return 0n;
  const half = BigInt(Math.max(0, (bitLength(n) - 50) >> 1)); // what is left has at most 52 bits: a double holds it
  let x = BigInt(Math.floor(Math.sqrt(Number(n >> (2n * half)))) + 2) << half;
  for (let y = (x + n / x) >> 1n; y < x; y = (x + n / x) >> 1n) x = y;
  return x;
}
/** 2^p e^(-t/2^p) for t >= 0: halved k times, Taylor, squared k times. */
function exponential(t, p) {
  if (t >= p << p) return [0n, 1n];
  const k = BigInt(32 - Math.clz32(Number(t >> p)) + 6), s = p + k + 12n, y = (t << (s - p)) >> k;
  let term = 1n << s, total = term, j = 0n;
  while (term > 0n) {
    j++;
    term = ((term * y) >> s) / j;
    if (j & 1n) total -= term; else total += term;
  }
  let error = 2n * j + 2n;
  for (let i = 0n; i < k; i++) [total, error] = [(total * total) >> s, 2n * error + 2n];
  return [total >> (s - p), up(error, 1n << (s - p)) + 1n];
}
/** About one * arctan(1/n). */
function arctangentOfInverse(n, one) {
  let term = one / n, total = term;
  for (let k = 3n; term > 0n; k += 2n) {
    term /= n * n;
    total += k & 2n ? -(term / k) : term / k;
  }
  return total;
}
/** 2^bits pi, less than 2 away (Machin). */
function pi(bits) {
  const one = 1n << (bits + 16n);
  return (4n * (4n * arctangentOfInverse(5n, one) - arctangentOfInverse(239n, one))) >> 16n;
}
const kept = new Map();
/** What activations need at p bits: where the tails begin, 2^G/sqrt(2 pi), 2^(p+16) sqrt(8/pi). */
function constants(p) {
  if (!kept.has(p)) {
    const root = isqrt(2n * p) + 1n, tail = root > 16n ? root : 16n, G = p + 44n + (3n * tail * tail) / 4n;
    const omega = isqrt((1n << (3n * G)) / (2n * pi(G)));
    kept.set(p, { tail, G, omega, root: isqrt((1n << (2n * (p + 16n) + G + 3n)) / pi(G)) });
  }
  return kept.get(p);
}
const linear = (x) => [x > 0n ? x : 0n, 1n];
/** 2^p f(x/2^p), f(x) = x Phi(x) = x/2 + phi(x) x^2 (1 + x^2/3 + x^4/15 + ..). */
function gelu(x, p) {
  const { tail, G, omega } = constants(p);
  if (abs(x) > tail << p) return linear(x);
  const g = 41n + (3n * ((x * x) >> (2n * p))) / 4n, P = p + g, y = (x * x << P) >> (2n * p);
  let term = 1n << P, total = term, n = 1n;
  while (term > 0n) {
    n += 2n;
    term = ((term * y) >> P) / n;
    total += term;
  }
  const [E, a] = exponential(y >> 1n, P), body = (((((E * (omega >> (G - P))) >> P) * y) >> P) * total) >> P;
  const error = (a + 5n) * (((y * total) >> (2n * P)) + 2n) + (total >> P) + 1n + 10n * (n + 2n) + 256n * n * n + 4n;
  return [(body >> g) + (x >> 1n), (error >> g) + 3n];
}
/** 2^p f(x/2^p), f(x) = x/(1 + e^-w), w = sqrt(8/pi) (x + 0.044715 x^3). */
function geluTanh(x, p) {
  const { tail, root } = constants(p);
  if (abs(x) > tail << p) return linear(x);
  const P = p + 16n, a = abs(x) << 16n, v = a + (44715n * a * a * a) / (1000000n << (2n * P));
  const [E, error] = exponential((v * root) >> P, P), q = (a << P) / ((1n << P) + E);
  return [(x >= 0n ? q : q - a) >> 16n, 2n + ((tail * (error + 2n * tail + tail ** 3n / 10n + 8n) + 1n) >> 16n)];
}
module.exports = { abs, down, up, bitLength, isqrt, exponential, constants, gelu, geluTanh };
