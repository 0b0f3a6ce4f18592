// Colours that readers with any kind of colour vision tell apart (after Okabe and Ito), and patterns of idle time.

export interface Theme {
  back: string;
  raised: string;
  text: string;
  muted: string;
  line: string;
  accent: string;
  bad: string;
  hues: string[]; // by rank of an instruction; the last is for all others
  inks: string[]; // of text on them
}

const HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8c8c8c"];
const INKS = ["#fff", "#000", "#fff", "#000", "#000", "#fff", "#000", "#000"];

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    back: of("back"),
    raised: of("raised"),
    text: of("text"),
    muted: of("muted"),
    line: of("line"),
    accent: of("accent"),
    bad: of("bad"),
    hues: HUES,
    inks: INKS,
  };
}

export function rgb(colour: string): [number, number, number] {
  const hex = colour.slice(1);
  const each = hex.length === 3 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? ["0", "0", "0"]);
  return each.slice(0, 3).map((digits) => parseInt(digits, 16)) as [number, number, number];
}

export const SHADES = 16;

// Pixels (for an ImageData) of each hue in shades from the background to the full colour; index hue * SHADES + shade.
export function shades(hues: string[], back: string): Uint32Array {
  const base = rgb(back);
  const out = new Uint32Array(hues.length * SHADES);
  hues.forEach((hue, at) => {
    const full = rgb(hue);
    for (let shade = 0; shade < SHADES; shade++) {
      const part = (shade + 1) / SHADES;
      const [r, g, b] = full.map((value, channel) => Math.round(base[channel] + (value - base[channel]) * part));
      out[at * SHADES + shade] = (255 << 24) | (b << 16) | (g << 8) | r;
    }
  });
  return out;
}

// How idle time is drawn by what it was idle for.
const LINES: Record<string, [number, number, number, number][]> = {
  wait: [[0, 8, 8, 0]],
  barrier: [[0, 8, 8, 0], [0, 0, 8, 8]],
  "pipe busy": [[0, 4, 8, 4]],
  launch: [[4, 0, 4, 8]],
};

export function pattern(context: CanvasRenderingContext2D, reason: string, colour: string): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const paint = tile.getContext("2d");
  const lines = LINES[reason];
  if (!paint || !lines) return null;
  paint.strokeStyle = colour;
  paint.lineWidth = 1;
  for (const [x0, y0, x1, y1] of lines) {
    paint.beginPath();
    for (const shift of x0 === x1 || y0 === y1 ? [0] : [-8, 0, 8]) {
      paint.moveTo(x0 + shift, y0);
      paint.lineTo(x1 + shift, y1);
    }
    paint.stroke();
  }
  return context.createPattern(tile, "repeat");
}
