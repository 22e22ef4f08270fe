// A moment of the film: layers between which the tokens glide, floats beside them, what is proved.
'use strict';
const { read, nearest } = require('./numbers.js');

const between = (x, y, share) => x.map((point, i) => point.map((a, c) => a + share * (y[i][c] - a)));

/** Leaders have colours in the order of their numbers; those of later layers come after. */
function ranksOf({ result, proof, proofStale }) {
  const known = new Set(result.exact.at(-1).leaders);
  if (proof?.leaders && !proofStale) proof.leaders.forEach((i) => known.add(i));
  return new Map([...known].map((i, rank) => [i, rank]));
}

/** Corners of a convex polygon in the order in which one passes them. */
function around(corners) {
  const middle = [0, 1].map((c) => corners.reduce((total, x) => total + x[c], 0) / corners.length);
  const angle = (x) => Math.atan2(x[1] - middle[1], x[0] - middle[0]);
  return [...corners].sort((x, y) => angle(x) - angle(y));
}

/** The corners of the polytope of the leaders, in order, where there is a plane to draw them in. */
function polytopeOf(app) {
  const { proof } = app;
  if (!proof?.approx_limits || app.proofStale || proof.approx_limits.length !== app.state.tokens.length) return null;
  const corners = proof.polytope.map((i) => proof.approx_limits[i]);
  return { limits: proof.approx_limits, kinds: proof.kinds, corners: app.dim === 2 ? around(corners) : [] };
}

/** The scene at a time, which may lie between two layers. */
function sceneAt(app, at) {
  const { exact, floats } = app.result, last = exact.length - 1, k = Math.min(Math.floor(at), last), next = Math.min(k + 1, last);
  const points = between(exact[k].points, exact[next].points, at - k);
  const past = points.length > 150 ? [] : points.map((now, i) => [...exact.slice(0, k + 1).map((layer) => layer.points[i]), now]);
  const same = (i) => exact[k].follows[i].join() === floats[k].follows[i].join();
  return {
    plane: app.plane, theme: app.theme(), step: app.state.grid, points, trails: at > 0 ? past : [],
    follows: exact[k].follows, leaders: new Set(exact[k].leaders), ranks: ranksOf(app), corners: exact[k].hull.map((i) => points[i]),
    floats: app.state.float ? between(floats[k].points, floats[next].points, at - k) : null,
    others: new Map(app.state.float ? [...points.keys()].filter((i) => !same(i)).map((i) => [i, floats[k].follows[i]]) : []),
    proof: polytopeOf(app), lit: app.lit, ellipse: app.ellipse, ties: app.hands.lines,
  };
}

//: the directions in which the ellipse has handles
const ENDS = [[1, 0], [0, 1], [Math.SQRT1_2, Math.SQRT1_2]];

/** The ellipse <A x, x> = 1 in the middle of the picture, with its handles. */
function ellipseOf(A, plane) {
  const [[a, b], [, c]] = A.map((row) => row.map((text) => { const { n, d } = read(text); return nearest(n, d); }));
  const radius = 0.3 * Math.min(plane.width, plane.height), middle = [plane.width / 2, plane.height / 2];
  const at = ([x, y]) => {
    const r = radius / Math.sqrt(a * x * x + 2 * b * x * y + c * y * y);
    return [middle[0] + r * x, middle[1] - r * y];
  };
  const curve = Array.from({ length: 120 }, (_, k) => at([Math.cos((k * Math.PI) / 60), Math.sin((k * Math.PI) / 60)]));
  /** <A u, u> for the direction u of a handle that is moved to a pixel. */
  const size = (end, [x, y]) => {
    const along = ((x - middle[0]) * ENDS[end][0] - (y - middle[1]) * ENDS[end][1]) / radius;
    return 1 / Math.max(along, 0.1) ** 2;
  };
  return { curve, ends: ENDS.map(at), size };
}

module.exports = { sceneAt, ellipseOf };
