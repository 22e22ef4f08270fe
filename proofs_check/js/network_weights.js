// The weight string of a network (FORMAT.md, section 16, rules 2 and 3): which tensors it holds, its bytes, its numbers.
'use strict';
const fs = require('node:fs');
const { createHash } = require('node:crypto');
const { refuse, spend, atMost } = require('./budget.js');
const { malformed, fields } = require('./reader.js');

const LINE = 49152; // bytes of the weight string on every line of weights but the last
const ENTRY = 40; // operations to read one entry

/** [name, rows, columns] of every tensor in its order; those without rows are none. */
function tensors({ dim: d, hidden: m, blocks, shared, vocabulary, positions, types, classes, norm, embedding_norm, final_norm, head }) {
  const affine = (name, rows, columns) => [[name, rows, columns], [`${name} bias`, 1, rows]];
  const normed = (name, ...numbers) => numbers.flatMap((i) => [[`${name} gain${i}`, 1, d], [`${name} bias${i}`, 1, d]]);
  const block = (k) => [
    ...affine(`${k} qkv`, 3 * d, d), ...affine(`${k} out`, d, d), ...affine(`${k} up`, m, d), ...affine(`${k} down`, d, m),
    ...(norm === 'none' ? [] : normed(k, 1, 2)),
  ];
  const found = [['token', vocabulary, d], ['position', positions, d], ['type', types, d]];
  if (embedding_norm) found.push(...normed('embedding', ''));
  for (let k = 0; k < (shared ? 1 : blocks); k++) found.push(...block(k));
  if (final_norm) found.push(...normed('final', ''));
  if (head === 'free') found.push(['head', classes, d]);
  if (head !== 'none') found.push(['head bias', 1, classes]);
  return found.filter(([, rows]) => rows);
}
/** The bytes that a text in canonical base64 with padding writes. */
function base64(text) {
  if (typeof text !== 'string') malformed('expected base64');
  const found = Buffer.from(text, 'base64');
  return found.toString('base64') === text ? found : malformed('not canonical base64');
}
/** The weight string that the lines of weights spell. */
function embedded(lines, length, next) {
  if (lines !== Math.ceil(length / LINE)) malformed(`${length} bytes of weights stand on ${Math.ceil(length / LINE)} lines`);
  const parts = [];
  for (let i = 0; i < lines; i++) {
    const [index, text] = fields(next(), ['weights', 'f32'], 'line of weights');
    if (index !== i) malformed(`expected line ${i} of the weights`);
    parts.push(base64(text));
    if (i < lines - 1 && parts[i].length !== LINE) malformed(`a line of weights holds ${LINE} bytes`);
  }
  return Buffer.concat(parts);
}
/** The weight string in the file that the caller gave; its size is compared first. */
function beside(path, length) {
  if (path === null) refuse('declined', 'the weights are not in the certificate; give their file with --weights');
  const { size } = fs.statSync(path);
  if (size !== length) malformed(`--weights: the file has ${size} bytes, the weights have ${length}`);
  return fs.readFileSync(path);
}
/** Name -> { rows, columns, text } for a verified header; `next` reads a line, `path` is the file of --weights or null. */
function readWeights(net, next, path) {
  const listed = tensors(net), length = 4 * listed.reduce((n, [, rows, columns]) => n + rows * columns, 0);
  atMost(length, 'bytes');
  spend(ENTRY * (length / 4));
  const text = net.inline ? embedded(net.inline, length, next) : beside(path, length);
  if (text.length !== length) malformed(`the weights are ${text.length} bytes, not ${length}`);
  if (net.weights !== createHash('sha256').update(text).digest('hex')) malformed('the weights have another digest');
  if (net.inline && path !== null && !beside(path, length).equals(text)) refuse('rejected', '--weights: these are not the weights of the certificate');
  for (let k = 2; k < length; k += 4) {
    if (text[k] & 128 && (text[k + 1] & 127) === 127) malformed('a weight is infinite or no number');
  }
  const found = new Map();
  let start = 0;
  for (const [name, rows, columns] of listed) {
    found.set(name, { rows, columns, text: text.subarray(start, start + 4 * rows * columns) });
    start += 4 * rows * columns;
  }
  return found;
}
/** Exponent field E (at least 1) and fraction f of a word of binary32: it means f 2^(E - 150). */
function parts(word) {
  const E = (word >>> 23) & 255, f = word & 0x7fffff;
  return E ? [E, f | 0x800000] : [1, f];
}
/** The least e >= 0 such that 2^e times every entry is an integer. */
function leastExponent(text) {
  let e = 0;
  for (let k = 0; k < text.length; k += 4) {
    const [E, f] = parts(text.readUInt32LE(k));
    if (f) e = Math.max(e, 150 - E - (31 - Math.clz32(f & -f)));
  }
  return e;
}
/** 2^e times the entries, e at least the least exponent. */
function integers(text, e) {
  const found = new Array(text.length / 4);
  for (let k = 0; k < text.length; k += 4) {
    const word = text.readUInt32LE(k), [E, f] = parts(word), shift = E - 150 + e, signed = word >>> 31 ? -f : f;
    found[k / 4] = f === 0 ? 0n : shift >= 0 ? BigInt(signed) << BigInt(shift) : BigInt(signed / 2 ** -shift);
  }
  return found;
}
/** p bits hold the entries. */
function verifyHeld(text, p) {
  const e = leastExponent(text);
  if (e > p) refuse('declined', `${p} bits do not hold weights over 2^${e}; 149 always do`);
}
module.exports = { readWeights, leastExponent, integers, verifyHeld };
