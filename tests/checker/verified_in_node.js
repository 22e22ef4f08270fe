// The verdicts of the extracted checker, as js_of_ocaml made it, on some files: node verified_in_node.js SCRIPT FILE..
'use strict';
const { readFileSync } = require('fs');
const [script, ...files] = process.argv.slice(2);
require(script);
for (const file of files) console.log(globalThis.proofsCheckVerified(readFileSync(file, 'utf8')));
