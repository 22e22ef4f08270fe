// Where a token of the plane would tie between two others: segments from the origin, and exact places on them.
'use strict';
const { common, hull } = require('./layers.js');
const { absolute, fraction, gcd, nearest, read, write } = require('./numbers.js');

//: directions with longer numbers are left out: their places would fill the screen with digits
const LONGEST = 1000000n;

/** <A x, y> of integer vectors of the plane. */
const form = ([[a, b], [, c]], x, y) => a * x[0] * y[0] + b * (x[0] * y[1] + x[1] * y[0]) + c * x[1] * y[1];

/** The segments 0 < t < reach of places t * direction at which token i has two neighbours w, v of the hull of the others as its maximisers. */
function tieLines(tokens, A, i) {
  const others = tokens.filter((_, j) => j !== i).map((row) => row.map(read));
  if (tokens[i].length !== 2 || others.length < 2) return [];
  const { num, den } = common(others), { num: matrix } = common(A.map((row) => row.map(read))), corners = hull(num).map((k) => num[k]);
  return corners.flatMap((w, k) => tieLine(w, corners[(k + 1) % corners.length], matrix, den));
}
/** The segment of an edge from w to v, whose direction x has <A x, w> = <A x, v> above all others; none where x itself is better at once. */
function tieLine(w, v, A, den) {
  const normal = [v[1] - w[1], w[0] - v[0]], [[a, b], [, c]] = A;
  const long = [c * normal[0] - b * normal[1], a * normal[1] - b * normal[0]], common = gcd(...long);
  if (common === 0n) return [];
  const direction = long.map((x) => x / common), score = form(A, direction, w);
  if (score <= 0n || direction.some((x) => absolute(x) > LONGEST)) return [];
  return [{ direction, reach: fraction(score, form(A, direction, direction) * den) }];
}

/** How many places a line has to one unit of t: as close to one another as the grid, and on it where it can be. */
const density = ({ direction: [x, y] }, grid) => grid * Math.ceil(Math.hypot(Number(x), Number(y)));
const place = ({ direction }, k, all) => direction.map((x) => write(fraction(BigInt(k) * x, BigInt(all))));

/** A place on the line that is nearest to a point, next to the point of it that is; null where all lines are farther than `within`. */
function nearestTie(lines, [px, py], grid, within) {
  let found = null, least = within;
  for (const line of lines) {
    const [x, y] = line.direction.map(Number), all = density(line, grid), last = lastPlace(line, all);
    const t = Math.min(Math.max((px * x + py * y) / (x * x + y * y), 1 / all), last / all), far = Math.hypot(px - t * x, py - t * y);
    if (last >= 1 && far < least) [least, found] = [far, place(line, Math.round(t * all), all)];
  }
  return found;
}
const lastPlace = ({ reach }, all) => Math.ceil(nearest(reach.n * BigInt(all), reach.d)) - 1;

/** From a place on a line the next one outwards, after the last one the first of the next line; the nearest one from elsewhere. */
function nextTie(lines, row, grid) {
  const [x, y] = row.map(read), on = lines.findIndex(({ direction: [a, b] }) => x.n * y.d * b === y.n * x.d * a && (x.n * a > 0n || y.n * b > 0n));
  if (on < 0) return nearestTie(lines, row.map(read).map(({ n, d }) => nearest(n, d)), grid, Infinity);
  const line = lines[on], all = density(line, grid), [from, along] = line.direction[0] === 0n ? [y, line.direction[1]] : [x, line.direction[0]];
  const k = Number((from.n * BigInt(all)) / (from.d * along)) + 1, next = lines[(on + 1) % lines.length];
  return k <= lastPlace(line, all) ? place(line, k, all) : place(next, 1, density(next, grid));
}

module.exports = { tieLines, nearestTie, nextTie };
