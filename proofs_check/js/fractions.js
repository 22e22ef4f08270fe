// Greatest common divisors and canonical numbers; the page of `exactformer play` computes with this file, too.
'use strict';
const { limits, refuse, declined, spend, bitsOf, gcdCost } = require('./budget.js');

const malformed = (why) => refuse('malformed', why);

/** gcd(|a|, |b|). The doubles here are integers below 2^53, for which % is exact. */
function gcd(a, b) {
  if (a < 0n) a = -a;
  if (b < 0n) b = -b;
  if (b > 1n << 128n) spend(gcdCost(bitsOf(b)));
  while (b > 9007199254740991n) [a, b] = [b, a % b];
  if (b === 0n) return a;
  let x = Number(b), y = Number(a % b);
  while (y !== 0) [x, y] = [y, x % y];
  return BigInt(x);
}
/** A canonical number -> { n, d } in lowest terms, d > 0. */
function number(text) {
  if (typeof text !== 'string') malformed('expected a number, written as a string');
  if (text.length > limits.digits) declined('digits');
  const match = /^(0|-?[1-9][0-9]*)(?:\/([1-9][0-9]*))?$/.exec(text);
  if (!match) malformed(`${JSON.stringify(text).slice(0, 80)} is not a canonical number`);
  const n = BigInt(match[1]), d = BigInt(match[2] ?? 1);
  if (match[2] && (d === 1n || gcd(n, d) !== 1n)) malformed(`${text.slice(0, 80)} is not in lowest terms`);
  return { n, d };
}
module.exports = { malformed, gcd, number };
