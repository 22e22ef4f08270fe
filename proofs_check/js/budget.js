// What the checker is willing to read, hold and compute before it declines (FORMAT.md, section 8). Operations are some
// 25 nanoseconds and are charged by the length of the numbers, before the work is done.
'use strict';

const limits = { bytes: 2e9, line: 5e7, digits: 4000, bits: 200000, operations: 2e9, memory: 2e8 };
const spent = { operations: 0, memory: 0 };
/** Verdicts other than acceptance are thrown. */
const refuse = (verdict, why) => { throw Object.assign(new Error(why), { verdict }); };
const declined = (limit) => refuse('declined', `the limit --max-${limit} ${limits[limit]} was reached`);
const spend = (operations) => { if (!((spent.operations += operations) <= limits.operations)) declined('operations'); };
/** The amount, which is within the limit of that name. */
const atMost = (amount, limit) => (amount <= limits[limit] ? amount : declined(limit));
/** So many integers of so many bits are kept. */
const hold = (numbers, bits) => { if (!((spent.memory += (numbers * bits) / 8) <= limits.memory)) declined('memory'); };

const WORD = 1n << 63n;
const short = (integer) => integer < WORD && integer > -WORD;
/** The length of an integer in bits, at most 3 too many; 0 for those of one word. */
const bitsOf = (integer) => (short(integer) ? 0 : integer.toString(16).length * 4);
const longest = (integers) => integers.reduce((most, x) => Math.max(most, bitsOf(x)), 0);
/** Operations of a product or a quotient (the shorter number has so many other bits), and of a greatest common divisor
    by Euclid's algorithm. */
const productCost = (bits, other = bits) => 1 + 2 * (bits / 64) * Math.sqrt(Math.max(Math.min(1, bits / 64), other / 64));
const gcdCost = (bits) => 32 + 24 * bits + bits * bits / 96;
/** The integer, which is within the limits. */
function within(integer) {
  if (!short(integer) || limits.bits < 64) {
    if (BigInt.asIntN(limits.bits + 1, integer) !== integer) declined('bits');
    spend(productCost(bitsOf(integer)));
  }
  return integer;
}
module.exports = { limits, spent, refuse, declined, spend, hold, atMost, bitsOf, longest, productCost, gcdCost, within };
