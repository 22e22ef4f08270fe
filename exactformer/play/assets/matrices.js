// Symmetric positive definite matrices, decided exactly.
'use strict';
const { read, write } = require('./numbers.js');
const { common } = require('./layers.js');

/** Why A is not symmetric positive definite, by its leading minors; null if it is. */
function whyNotDefinite(A) {
  const rows = A.map((row) => row.map(read));
  for (const [i, row] of rows.entries()) {
    for (const [j, x] of row.entries()) {
      if (x === null) return `A: ${JSON.stringify(A[i][j])} is not a number.`;
      if (j < i && write(x) !== write(rows[j][i])) return `A is not symmetric: rows ${j + 1} and ${i + 1} disagree.`;
    }
  }
  const { num } = common(rows);
  for (let size = 1; size <= num.length; size++) {
    const minor = determinant(num.slice(0, size).map((row) => row.slice(0, size)));
    if (minor <= 0n) return `A is not positive definite: its leading ${size}\u2009\u00d7\u2009${size} minor is ${minor === 0n ? 'zero' : 'negative'}.`;
  }
  return null;
}

/** The determinant of an integer matrix, by Bareiss' elimination without fractions. */
function determinant(matrix) {
  const M = matrix.map((row) => [...row]), n = M.length;
  let previous = 1n, sign = 1n;
  for (let k = 0; k < n - 1; k++) {
    const pivot = M.findIndex((row, i) => i >= k && row[k] !== 0n);
    if (pivot < 0) return 0n;
    if (pivot !== k) { [M[k], M[pivot]] = [M[pivot], M[k]]; sign = -sign; }
    for (let i = k + 1; i < n; i++) {
      for (let j = k + 1; j < n; j++) M[i][j] = (M[i][j] * M[k][k] - M[i][k] * M[k][j]) / previous;
    }
    previous = M[k][k];
  }
  return sign * M[n - 1][n - 1];
}

module.exports = { whyNotDefinite, determinant };
