// A layer as SVG, with every colour written out, so that what is saved looks like what is seen.
'use strict';
const { nearest } = require('./numbers.js');
const { SLICES, CORNERS, colour, shape } = require('./palette.js');

const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, sans-serif';
const px = (x) => (Math.abs(x) < 1e5 ? x.toFixed(1) : x > 0 ? '99999' : '-99999');
const pair = ([x, y]) => `${px(x)},${px(y)}`;
const line = (a, b, attributes) => `<line x1="${px(a[0])}" y1="${px(a[1])}" x2="${px(b[0])}" y2="${px(b[1])}" ${attributes}/>`;
const group = (parts, attributes = '') => (parts.length ? `<g ${attributes}>${parts.join('')}</g>` : '');

/** Lines of the rational grid, and the axes; where the grid is too fine to see, every tenth, hundredth, .. line. */
function grid({ plane, theme, step }) {
  if (plane.dim > 2) return space(plane, theme);
  let gap = 1 / step;
  while (gap * plane.scale < 14) gap *= gap > 0.999 || step % 10 === 0 ? 10 : Math.round(1 / gap);
  const [left, top] = plane.point(0, 0), [right, low] = plane.point(plane.width, plane.height), parts = [];
  for (let x = Math.ceil(left / gap) * gap; x < right && parts.length < 400; x += gap) {
    const at = plane.screen([x, 0])[0];
    parts.push(line([at, 0], [at, plane.height], ''));
  }
  const bottom = plane.dim === 1 ? 0 : low ?? 0, above = plane.dim === 1 ? -1 : top ?? 0;
  for (let y = Math.ceil(bottom / gap) * gap; y < above && parts.length < 800; y += gap) {
    const at = plane.screen([0, y])[1];
    parts.push(line([0, at], [plane.width, at], ''));
  }
  const [x, y] = plane.screen([0, 0]);
  const axes = line([x, 0], [x, plane.height], '') + line([0, y], [plane.width, y], '');
  return `<g stroke="${theme.grid}">${parts.join('')}</g><g stroke="${theme.axis}" stroke-width="1.5">${axes}</g>`;
}

/** The three axes of space with their names. */
function space(plane, theme) {
  const origin = plane.screen([0, 0, 0]), reach = (0.42 * Math.min(plane.width, plane.height)) / plane.scale;
  return ['x', 'y', 'z'].map((name, c) => {
    const end = plane.screen([0, 1, 2].map((k) => (k === c ? reach : 0)));
    const text = `<text x="${px(end[0] + 6)}" y="${px(end[1])}" fill="${theme.soft}" font-size="13" font-family="${FONT}">${name}</text>`;
    return line(origin, end, `stroke="${theme.axis}" stroke-width="1.5"`) + text;
  }).join('');
}

/** A token's mark: a star for a leader, the shape of its leader for a follower, a cut disc for a tie. */
function mark(at, ranks, leads, theme) {
  const place = `transform="translate(${pair(at)})" stroke="${theme.edge}" stroke-width="1.2"`;
  if (leads !== undefined) return `<polygon ${place} points="${CORNERS.star}" fill="${colour(leads, theme)}"/>`;
  const distinct = [...new Set(ranks)];
  if (distinct.length > 1) return `<g ${place}>${slices(distinct.slice(0, SLICES).map((rank) => colour(rank, theme)))}</g>`;
  const form = shape(distinct[0]), fill = `fill="${colour(distinct[0], theme)}"`;
  if (form === 'circle') return `<circle ${place} r="7.5" ${fill}/>`;
  return `<polygon ${place.replace(')"', form === 'cross' ? ') rotate(45)"' : ')"')} points="${CORNERS[form]}" ${fill}/>`;
}

function slices(colours) {
  const corner = (k) => { const t = (2 * Math.PI * k) / colours.length - Math.PI / 2; return `${(7.5 * Math.cos(t)).toFixed(2)} ${(7.5 * Math.sin(t)).toFixed(2)}`; };
  return colours.map((fill, k) => `<path d="M0 0L${corner(k)}A7.5 7.5 0 ${colours.length < 2 ? 1 : 0} 1 ${corner(k + 1)}Z" fill="${fill}"/>`).join('');
}

/** An arrow from a token to one that it follows, stopping short of the mark. */
function arrow(from, to, attributes) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(dx, dy);
  if (length < 22) return '';
  const [u, v] = [dx / length, dy / length], tip = [to[0] - 11 * u, to[1] - 11 * v];
  const wing = (side) => [tip[0] - 7 * u + side * 3.2 * v, tip[1] - 7 * v - side * 3.2 * u];
  return `<path d="M${pair([from[0] + 9 * u, from[1] + 9 * v])}L${pair(tip)}M${pair(wing(1))}L${pair(tip)}L${pair(wing(-1))}" fill="none" ${attributes}/>`;
}

/** The arrow of a token that ties with itself. */
const loop = ([x, y], attributes) => `<path d="M${pair([x - 6, y - 6])}C${pair([x - 30, y - 22])} ${pair([x - 12, y - 36])} ${pair([x - 2, y - 10])}M${pair([x - 8, y - 15])}L${pair([x - 2, y - 10])}L${pair([x - 1, y - 18])}" fill="none" ${attributes}/>`;

/** Whom every token follows; where float64 sees others, those too, in red. */
function arrows({ plane, theme, points, follows, others }) {
  const at = points.map((point) => plane.screen(point));
  const most = follows.reduce((total, C) => total + C.length, 0) > 1500 ? 1 : Infinity; // a picture, not a hairball
  const from = (C, i, attributes) => C.filter((j) => j !== i).slice(0, most).map((j) => arrow(at[i], at[j], attributes));
  const loops = follows.flatMap((C, i) => (C.length > 1 && C.includes(i) ? [loop(at[i], `stroke="${theme.soft}"`)] : []));
  const wrong = [...others].flatMap(([i, C]) => from(C, i, `stroke="${theme.float}" stroke-width="4.5" opacity="0.55"`));
  return [...wrong, ...loops, ...follows.flatMap((C, i) => from(C, i, `stroke="${theme.soft}" opacity="0.7"`))];
}

const outline = (plane, points, attributes) => `<polygon points="${points.map((point) => pair(plane.screen(point))).join(' ')}" ${attributes}/>`;

/** The polytope of the leaders and every proved limit that is no leader. */
function proved({ plane, theme, proof }) {
  if (!proof) return '';
  const body = proof.corners.length > 1 ? outline(plane, proof.corners, `fill="${theme.polytopeFill}" stroke="${theme.polytope}" stroke-width="1.5"`) : '';
  const ends = proof.limits.map((point, i) => {
    const [x, y] = plane.screen(point);
    return proof.kinds[i] === 'vertex' ? '' : `<path d="M${px(x - 6)} ${px(y)}L${px(x)} ${px(y - 6)}L${px(x + 6)} ${px(y)}L${px(x)} ${px(y + 6)}Z" fill="none" stroke="${theme.polytope}" stroke-width="2"/>`;
  });
  return body + ends.join('');
}

/** The ellipse <A x, x> = r^2 around the middle of the picture. */
function ellipse({ theme, ellipse: points }) {
  if (!points) return '';
  const path = `<polygon points="${points.curve.map(pair).join(' ')}" fill="none" stroke="${theme.accent}" stroke-width="1.5" stroke-dasharray="7 3"/>`;
  return path + points.ends.map((at) => `<circle cx="${px(at[0])}" cy="${px(at[1])}" r="5" fill="${theme.paper}" stroke="${theme.accent}" stroke-width="2"/>`).join('');
}

/** Where the token that is held would tie between two others. */
const ties = ({ plane, theme, ties: lines }) => lines.map(({ direction, reach }) => {
  const t = nearest(reach.n, reach.d);
  return line(plane.screen([0, 0]), plane.screen(direction.map((x) => t * Number(x))), `stroke="${theme.accent}" stroke-width="2" stroke-linecap="round" stroke-dasharray="0.1 5"`);
});

/** Where float64 is instead, with a line from the exact place. */
function floats({ plane, theme, points, floats: others }) {
  if (!others) return '';
  return group(others.map((other, i) => {
    const [a, b] = [plane.screen(points[i]), plane.screen(other)];
    const far = Math.hypot(a[0] - b[0], a[1] - b[1]) > 3;
    const ring = `<circle cx="${px(b[0])}" cy="${px(b[1])}" r="${far ? 9 : 11}" fill="none" stroke-width="${far ? 2 : 1}" opacity="${far ? 1 : 0.35}"/>`;
    return (far ? line(a, b, 'stroke-dasharray="3 3"') : '') + ring;
  }), `stroke="${theme.float}"`);
}

/** Everything of one moment. */
function picture(scene) {
  const { plane, theme, points, trails, leaders, follows, ranks, lit, corners } = scene;
  const at = points.map((point) => plane.screen(point));
  const names = points.length <= 60 ? at.map(([x, y], i) => `<text x="${px(x + 11)}" y="${px(y - 8)}">${i}</text>`) : [];
  const paths = trails.map((trail, i) => `<polyline points="${trail.map((point) => pair(plane.screen(point))).join(' ')}" stroke="${colour(ranks.get(follows[i][0]), theme)}"/>`);
  const order = [...at.keys()].sort((i, j) => leaders.has(i) - leaders.has(j)); // a star is never hidden
  const marks = order.map((i) => mark(at[i], follows[i].map((j) => ranks.get(j)), leaders.has(i) ? ranks.get(i) : undefined, theme));
  const halos = [...lit].filter((i) => at[i]).map((i) => `<circle cx="${px(at[i][0])}" cy="${px(at[i][1])}" r="17" fill="none" stroke="${theme.lit}" stroke-width="3"/>`);
  return [
    `<rect width="${plane.width}" height="${plane.height}" fill="${theme.paper}"/>`,
    grid(scene),
    corners.length > 1 ? outline(plane, corners, `fill="${theme.hullFill}" stroke="${theme.hull}" stroke-dasharray="5 4"`) : '',
    proved(scene),
    ellipse(scene),
    group(paths, 'fill="none" stroke-width="1.5" opacity="0.55"'),
    group(ties(scene)),
    group(arrows(scene)),
    group(halos),
    group(marks),
    floats(scene),
    group(names, `fill="${theme.ink}" font-size="12" font-family="${FONT}" paint-order="stroke" stroke="${theme.paper}" stroke-width="3"`),
  ].join('');
}

/** A picture as a file of its own. */
function standalone(scene, caption = '') {
  const { width, height } = scene.plane;
  const text = caption ? `<text x="12" y="${height - 12}" fill="${scene.theme.soft}" font-size="13" font-family="${FONT}">${caption}</text>` : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${picture(scene)}${text}</svg>`;
}

module.exports = { picture, standalone };
