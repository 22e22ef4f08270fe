// A film as GIF: frames of RGBA pixels, at most 256 colours, compressed by LZW. Nothing but bytes.
'use strict';

class Bytes {
  constructor() { [this.parts, this.current] = [[], []]; }
  push(...bytes) {
    this.current.push(...bytes);
    if (this.current.length > 60000) this.flush();
  }
  flush() { this.parts.push(Uint8Array.from(this.current)); this.current = []; }
  short(x) { this.push(x & 255, x >> 8); }
  text(text) { this.push(...[...text].map((c) => c.charCodeAt(0))); }
}

/** The codes of LZW for a row of colour numbers, in blocks of at most 255 bytes. */
function compress(pixels, out) {
  const CLEAR = 256, END = 257;
  let codes = new Map(), next = 258, width = 9, held = 0, count = 0, block = [];
  const emit = (code) => {
    held |= code << count;
    count += width;
    for (; count >= 8; count -= 8, held >>>= 8) {
      block.push(held & 255);
      if (block.length === 255) { out.push(255, ...block); block = []; }
    }
  };
  emit(CLEAR);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const key = prefix * 256 + pixels[i], known = codes.get(key);
    if (known !== undefined) { prefix = known; continue; }
    emit(prefix);
    prefix = pixels[i];
    if (next < 4096) {
      codes.set(key, next++);
      if (next > 1 << width && width < 12) width++;
    } else {
      emit(CLEAR);
      [codes, next, width] = [new Map(), 258, 9];
    }
  }
  emit(prefix);
  emit(END);
  if (count > 0) block.push(held & 255);
  if (block.length) out.push(block.length, ...block);
  out.push(0);
}

/** The colours of the frames: the 256 most frequent ones with four bits a channel; pixels find the nearest of them. */
function palette(frames) {
  const counts = new Map();
  for (const { data } of frames) {
    for (let i = 0; i < data.length; i += 16) {
      const key = ((data[i] >> 4) << 8) | ((data[i + 1] >> 4) << 4) | (data[i + 2] >> 4);
      const found = counts.get(key);
      if (found) found[3]++;
      else counts.set(key, [data[i], data[i + 1], data[i + 2], 1]);
    }
  }
  return [...counts.values()].sort((x, y) => y[3] - x[3]).slice(0, 256).map((colour) => colour.slice(0, 3));
}
function quantiser(colours) {
  const known = new Map();
  return (r, g, b) => {
    const key = (r << 16) | (g << 8) | b;
    let best = known.get(key);
    if (best === undefined) {
      let least = Infinity;
      colours.forEach(([x, y, z], k) => {
        const far = (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2;
        if (far < least) [least, best] = [far, k];
      });
      known.set(key, best);
    }
    return best;
  };
}

/** The bytes of the GIF; each frame is shown for so many hundredths of a second, the last one longer. */
function gif(frames, hundredths) {
  const { width, height } = frames[0], out = new Bytes(), colours = palette([frames[0], frames.at(-1), frames[frames.length >> 1]]);
  const nearest = quantiser(colours);
  out.text('GIF89a');
  out.short(width);
  out.short(height);
  out.push(0xf7, 0, 0);
  for (let k = 0; k < 256; k++) out.push(...(colours[k] ?? [0, 0, 0]));
  out.push(0x21, 0xff, 11);
  out.text('NETSCAPE2.0');
  out.push(3, 1, 0, 0, 0);
  frames.forEach(({ data }, number) => {
    out.push(0x21, 0xf9, 4, 0);
    out.short(number === frames.length - 1 ? 200 : hundredths);
    out.push(0, 0, 0x2c, 0, 0, 0, 0);
    out.short(width);
    out.short(height);
    out.push(0, 8);
    const pixels = new Uint8Array(width * height);
    for (let i = 0; i < pixels.length; i++) pixels[i] = nearest(data[4 * i], data[4 * i + 1], data[4 * i + 2]);
    compress(pixels, out);
  });
  out.push(0x3b);
  out.flush();
  return out.parts;
}

module.exports = { gif };
