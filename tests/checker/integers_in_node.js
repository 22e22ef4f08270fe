// The primitives of integers.js on integers from stdin: node integers_in_node.js INTEGERS. A line has two integers in decimal
// digits; its answer has everything that is computed from them, and how each of them is held.
'use strict';
const { readFileSync } = require('fs');
const binary = ['add', 'mul', 'fdiv', 'gcd', 'equal', 'leq', 'lt'], unary = ['neg', 'half', 'is_odd', 'sign', 'size'];
const names = [...binary, ...unary].map((name) => `integer_${name}`);
const source = readFileSync(process.argv[2], 'utf8');
const outside = ['caml_jsbytes_of_string', 'caml_string_of_jsbytes', 'caml_invalid_argument'];
const whole = new Function(...outside, `${source}; return { ${['integer_of_string', 'integer_to_string', ...names]} };`);
const z = whole((text) => text, (text) => text, (why) => { throw new Error(why); });

function shown(x) {
  const safe = x >= -9007199254740991n && x <= 9007199254740991n;
  if (Object.is(x, -0) || safe !== (typeof x === 'number')) throw new Error(`held wrongly: ${typeof x} ${x}`);
  return z.integer_to_string(x);
}
for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
  const [x, y] = line.split(' ').map(z.integer_of_string);
  const found = binary.map((name) => (name === 'fdiv' && y === 0 ? '-' : shown(z[`integer_${name}`](x, y))));
  console.log([...found, ...unary.map((name) => shown(z[`integer_${name}`](x)))].join(' '));
}
