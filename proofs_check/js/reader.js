// Bytes -> lines -> strict JSON -> exact numbers (FORMAT.md, section 1). A line is not given to JSON.parse: that keeps
// the last of two equal keys, reads 1.0 and 1e3 as integers and has no cap on the nesting.
'use strict';
const fs = require('node:fs');
const { limits, declined } = require('./budget.js');
const { malformed, gcd, number } = require('./fractions.js');

const MAX_DEPTH = 8;

/** The lines of an open file without their LF; each is valid until the next one is asked for. */
function* lines(fd) {
  const chunk = Buffer.allocUnsafe(1 << 20);
  let pieces = [], length = 0, total = 0;
  for (let got; (got = fs.readSync(fd, chunk, 0, chunk.length, null)) > 0;) {
    if ((total += got) > limits.bytes) declined('bytes');
    for (let start = 0, end; start < got; start = end + 1) {
      const lf = chunk.subarray(0, got).indexOf(0x0a, start);
      end = lf < 0 ? got : lf;
      if ((length += end - start) > limits.line) declined('line');
      pieces.push(lf < 0 ? Buffer.from(chunk.subarray(start, end)) : chunk.subarray(start, end)); // the chunk is reused
      if (lf < 0) continue;
      yield pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
      [pieces, length] = [[], 0];
    }
  }
  if (pieces.length) malformed('the last line does not end with LF');
}
/** One line -> Map | array | string | integer | true | false | null. */
function parse(bytes) {
  let at = 0;
  const bad = (expected) => malformed(`expected ${expected} at byte ${at} of the line`);
  const blanks = () => { while (bytes[at] === 0x20) at++; return String.fromCharCode(bytes[at] ?? 0); };
  const text = (start, end) => bytes.toString('latin1', start, end);
  function string() {
    const start = at++;
    let escaped = false;
    for (; bytes[at] !== 0x22; at++) {
      if (!(bytes[at] >= 0x20 && bytes[at] <= 0x7e)) bad('a byte 0x20..0x7E or the end of the string');
      if (bytes[at] === 0x5c) { escaped = true; at++; } // whatever follows, a quote too, belongs to the escape
    }
    at++;
    if (!escaped) return text(start + 1, at - 1);
    try { return JSON.parse(text(start, at)); } catch { return malformed('a string has an escape unknown to JSON'); }
  }
  /** What stands between brackets, separated by commas; `item` reads one. */
  function list(close, depth, item) {
    if (depth > MAX_DEPTH) bad(`a nesting of at most ${MAX_DEPTH}`);
    at++;
    if (blanks() !== close) do item(); while (blanks() === ',' && ++at);
    if (blanks() !== close) bad('a comma or a closing bracket');
    at++;
  }
  function member(members, depth) {
    if (blanks() !== '"') bad('a key');
    const key = string();
    if (members.has(key)) malformed(`the key ${JSON.stringify(key).slice(0, 80)} stands twice in one object`);
    if (blanks() !== ':') bad('a colon');
    at++;
    members.set(key, value(depth));
  }
  function value(depth) {
    const head = blanks();
    if (head === '"') return string();
    const items = head === '[' ? [] : head === '{' ? new Map() : null; // a Map: "__proto__" is a key like any other
    if (head === '[') list(']', depth + 1, () => items.push(value(depth + 1)));
    if (head === '{') list('}', depth + 1, () => member(items, depth + 1));
    if (items) return items;
    const atom = /^(?:true|false|null|0|[1-9][0-9]{0,14})(?![0-9A-Za-z.+-])/.exec(text(at, at + 17));
    if (!atom) bad('a value (integers: >= 0, at most 15 digits)');
    at += atom[0].length;
    return JSON.parse(atom[0]);
  }
  const result = value(0);
  return blanks() && at === bytes.length ? result : bad('the end of the line');
}
/** The values of exactly these keys, in this order. */
function fields(object, keys, what) {
  if (!(object instanceof Map)) malformed(`${what}: expected an object`);
  for (const key of keys) if (!object.has(key)) malformed(`${what}: the key "${key}" is missing`);
  if (object.size > keys.length) malformed(`${what}: expected the keys ${keys.join(', ')} and no other`);
  return keys.map((key) => object.get(key));
}
/** A nonempty list of numbers, of the given length if one is given. */
function vector(value, length, what) {
  if (!Array.isArray(value) || value.length === 0) malformed(`${what}: expected a nonempty list of numbers`);
  if (value.length !== (length ?? value.length)) malformed(`${what}: expected ${length} entries, got ${value.length}`);
  return value.map(number);
}
module.exports = { malformed, lines, parse, fields, gcd, number, vector };
