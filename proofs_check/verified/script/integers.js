// TRUSTED. The integers of z.ml. One is a number of JavaScript as long as it is safe, of absolute value below 2^53, where
// + - * / on integers are exact if what they give is such an integer; else it is a BigInt. The number 0 is never -0.

//Provides: shortest
function shortest(x) { return x > -BigInt(9007199254740992) && x < BigInt(9007199254740992) ? Number(x) : x; }

//Provides: integer_of_string
//Requires: caml_jsbytes_of_string, caml_invalid_argument, shortest
function integer_of_string(word) {
  var digits = caml_jsbytes_of_string(word);
  if (!/^-?[0-9]+$/.test(digits)) caml_invalid_argument("Z.of_string");
  return shortest(BigInt(digits));
}

//Provides: integer_to_string
//Requires: caml_string_of_jsbytes
function integer_to_string(x) { return caml_string_of_jsbytes(String(x)); }

//Provides: integer_add
//Requires: shortest
function integer_add(x, y) {
  if (typeof x == "number" && typeof y == "number") {
    var sum = x + y;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return shortest(BigInt(x) + BigInt(y));
}

//Provides: integer_mul
//Requires: shortest
function integer_mul(x, y) {
  if (typeof x == "number" && typeof y == "number") {
    var product = x * y;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return shortest(BigInt(x) * BigInt(y));
}

//Provides: integer_neg
function integer_neg(x) { return typeof x == "number" ? 0 - x : -x; }

//Provides: integer_fdiv
//Requires: shortest
function integer_fdiv(x, y) { // rounded down; y is not 0
  if (typeof x != "number" || typeof y != "number") { x = BigInt(x); y = BigInt(y); }
  var rest = x % y, quotient = (x - rest) / y;
  if (rest != 0 && rest < 0 != y < 0) quotient--;
  return typeof quotient == "number" ? quotient + 0 : shortest(quotient);
}

//Provides: integer_gcd
//Requires: shortest, integer_neg
function integer_gcd(x, y) {
  while (y != 0) {
    var wide = typeof x != "number" || typeof y != "number";
    var rest = wide ? shortest(BigInt(x) % BigInt(y)) : x % y;
    x = y;
    y = rest;
  }
  return x < 0 ? integer_neg(x) : x;
}

//Provides: integer_half
//Requires: shortest
function integer_half(x) { return typeof x == "number" ? Math.floor(x / 2) : shortest(x >> BigInt(1)); }

//Provides: integer_is_odd
function integer_is_odd(x) { return +(typeof x == "number" ? x % 2 != 0 : BigInt.asUintN(1, x) == 1); }

//Provides: integer_sign
function integer_sign(x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }

//Provides: integer_equal
function integer_equal(x, y) { return +(x === y); }

//Provides: integer_leq
function integer_leq(x, y) { return +(x <= y); }

//Provides: integer_lt
function integer_lt(x, y) { return +(x < y); }

//Provides: integer_size
function integer_size(x) { // in words of 64 bits, for what work costs
  if (typeof x == "number") return 1;
  for (var words = 1, y = x < 0 ? -x : x; words < 16; words++) if (BigInt.asUintN(64 * words, y) === y) return words;
  return Math.ceil(y.toString(16).length / 16);
}

//Provides: export_checker
//Requires: caml_string_of_jsstring, caml_jsstring_of_string
function export_checker(answer) {
  globalThis.proofsCheckVerified = function (text) {
    return caml_jsstring_of_string(answer(caml_string_of_jsstring(text)));
  };
  return 0;
}
