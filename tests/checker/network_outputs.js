// Standard input: lines { header, lines, ids, types }. Standard output: centres and radii at every position by the JavaScript checker.
'use strict';
const { createInterface } = require('node:readline');
const { parse } = require('../../proofs_check/js/reader.js');
const { readNetworkHeader } = require('../../proofs_check/js/network_claims.js');
const { readWeights } = require('../../proofs_check/js/network_weights.js');
const { Network, Undecided } = require('../../proofs_check/js/network.js');

createInterface({ input: process.stdin }).on('line', (text) => {
  const given = parse(Buffer.from(text)), header = given.get('header'), lines = given.get('lines'), ids = given.get('ids');
  const net = readNetworkHeader(header, header.get('claim'));
  try {
    const network = new Network(net, readWeights(net, () => lines.shift(), null));
    const found = network.outputs(ids, given.get('types'), [...ids.keys()]);
    console.log(JSON.stringify(found.map(({ m, r }) => [m.map(String), String(r)])));
  } catch (error) {
    if (!(error instanceof Undecided) && error.verdict !== 'declined') throw error; // bits that do not hold a weight
    console.log('null');
  }
});
