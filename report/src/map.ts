// The memory map: addresses from bottom to top against time, variables as bands, live bytes as filled rectangles.
import { FONT, LABELS, RULER, TimeCanvas } from "./canvas";
import type { Launch } from "./model";
import { rgb } from "./palette";
import type { Store } from "./store";
import { bytes, place, time } from "./text";

const BOTTOM = 18;

export interface Variable {
  name: string;
  offset: number;
  bytes: number;
  begin: number;
  end: number;
  line: number;
}

// What a memory holds, and when.
export class Contents {
  readonly variables: Variable[] = [];
  readonly lives: Uint32Array; // numbers of rectangles
  readonly top: number; // the first byte beyond all
  readonly peak: number; // bytes live at once, at most
  readonly declared: number;

  constructor(launch: Launch, memory: number) {
    const { held, live } = launch;
    const changes: [number, number][] = [];
    let top = 0;
    for (let at = 0; held && at < held.memory.length; at++) {
      if (held.memory[at] !== memory) continue;
      const line = held.line[at];
      const [offset, size, begin, end] = [held.offset[at], held.bytes[at], held.begin[at], held.end[at]];
      this.variables.push({ name: launch.variable(line), offset, bytes: size, begin, end, line });
      changes.push([begin, size], [end, -size]);
      top = Math.max(top, offset + size);
    }
    this.declared = peak(changes);
    const mine: number[] = [];
    const steps: [number, number][] = [];
    for (let at = 0; live && at < live.memory.length; at++) {
      if (live.memory[at] !== memory) continue;
      mine.push(at);
      steps.push([live.begin[at], live.bytes[at]], [live.end[at], -live.bytes[at]]);
      top = Math.max(top, live.offset[at] + live.bytes[at]);
    }
    this.lives = Uint32Array.from(mine);
    this.top = top;
    this.peak = peak(steps);
  }
}

// The most that a quantity comes to which changes at times.
function peak(changes: [number, number][]): number {
  changes.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  let [level, most] = [0, 0];
  for (const [, change] of changes) most = Math.max(most, (level += change));
  return most;
}

export class MemoryMap extends TimeCanvas {
  onhover: (lines: string[] | null, x: number, y: number) => void = () => {};
  onpick: (line: number) => void = () => {};
  budgeted = false; // the scale goes up to the budget
  private pixels: ImageData | null = null;

  constructor(
    canvas: HTMLCanvasElement,
    store: Store,
    private readonly launch: Launch,
    private contents: Contents,
    private budget: number,
  ) {
    super(canvas, store, launch.us(launch.last));
    this.listen(canvas, "pointermove", (event) => this.hover(event as PointerEvent));
    this.listen(canvas, "pointerleave", () => this.onhover(null, 0, 0));
    this.listen(canvas, "click", (event) => {
      const found = this.at((event as MouseEvent).offsetX, (event as MouseEvent).offsetY);
      if (found >= 0 && launch.live) this.onpick(launch.live.line[found]);
    });
  }

  show(contents: Contents, budget: number, budgeted: boolean): void {
    [this.contents, this.budget, this.budgeted] = [contents, budget, budgeted];
    this.redraw();
  }

  private get top(): number {
    return this.budgeted ? Math.max(this.budget, this.contents.top) : this.contents.top * 1.04;
  }

  private y(offset: number): number {
    const room = this.height - RULER - BOTTOM;
    return this.height - BOTTOM - (offset / Math.max(this.top, 1)) * room;
  }

  protected draw(): void {
    const { context, colours, width, height } = this;
    context.fillStyle = colours.back;
    context.fillRect(0, 0, width, height);
    this.lives();
    this.ruler();
    context.font = FONT;
    context.textBaseline = "middle";
    context.fillStyle = colours.back;
    context.fillRect(0, RULER, LABELS, height);
    this.names();
    if (this.budgeted || this.budget <= this.top) {
      context.fillStyle = colours.text;
      for (let x = LABELS; x < width; x += 10) context.fillRect(x, this.y(this.budget), 6, 1);
    }
  }

  // Fills pixels directly: what that costs is bounded by the area.
  private lives(): void {
    const { launch, contents, colours } = this;
    const ratio = window.devicePixelRatio || 1;
    const wide = Math.round((this.width - LABELS) * ratio);
    const high = Math.round((this.height - RULER - BOTTOM) * ratio);
    if (wide <= 0 || high <= 0) return;
    if (this.pixels?.width !== wide || this.pixels.height !== high) this.pixels = new ImageData(wide, high);
    const out = new Uint32Array(this.pixels.data.buffer);
    const packed = (colour: string) => {
      const [r, g, b] = rgb(colour);
      return (255 << 24) | (b << 16) | (g << 8) | r;
    };
    out.fill(packed(colours.back));
    const { from, to } = this.store.state.view;
    const scale = wide / (to - from);
    const band = packed(colours.raised);
    const fill = (begin: number, end: number, offset: number, size: number, colour: number) => {
      const x0 = Math.max(Math.floor((launch.us(begin) - from) * scale), 0);
      const x1 = Math.min(Math.max(Math.ceil((launch.us(end) - from) * scale), x0 + 1), wide);
      const y0 = Math.max(Math.round(high - ((offset + size) / this.top) * high), 0);
      const y1 = Math.min(Math.max(Math.round(high - (offset / this.top) * high), y0 + 1), high);
      if (x1 <= 0 || x0 >= wide) return;
      for (let y = y0; y < y1; y++) out.fill(colour, y * wide + x0, y * wide + x1);
    };
    for (const one of contents.variables) fill(one.begin, one.end, one.offset, one.bytes, band);
    const { live } = launch;
    const hues = colours.hues.map(packed);
    for (const at of live ? contents.lives : []) {
      if (live) fill(live.begin[at], live.end[at], live.offset[at], live.bytes[at], hues[launch.hue[live.op[at]]]);
    }
    this.context.putImageData(this.pixels, Math.round(LABELS * ratio), Math.round(RULER * ratio));
  }

  private names(): void {
    const { context, colours, contents } = this;
    const drawn = new Set<string>();
    const labels: [string, number, number][] = [];
    const sorted = [...contents.variables].sort((one, other) => one.offset - other.offset);
    for (const { name, offset, bytes: size } of sorted) {
      if (drawn.has(`${name} ${offset} ${size}`)) continue;
      drawn.add(`${name} ${offset} ${size}`);
      const [bottom, above] = [this.y(offset), this.y(offset + size)];
      context.fillStyle = colours.line;
      context.fillRect(0, bottom, this.width, 1);
      context.fillRect(0, above, this.width, 1);
      labels.push([name, size, (bottom + above) / 2]);
    }
    let free = Infinity; // the lowest label is drawn first, each above the last one, and lines end before it
    const sizes = LABELS > 120 ? 70 : 0;
    for (const [name, size, middle] of labels) {
      if (middle > free - 14) continue;
      free = middle;
      context.fillStyle = colours.back;
      context.fillRect(0, middle - 7, LABELS - 1, 14);
      context.fillStyle = colours.text;
      this.cut(name, 8, middle, LABELS - 8 - sizes);
      if (!sizes) continue;
      context.fillStyle = colours.muted;
      context.textAlign = "right";
      context.fillText(bytes(size), LABELS - 8, middle);
      context.textAlign = "left";
    }
    context.fillStyle = colours.muted;
    context.fillText("0x0", 8, this.height - BOTTOM / 2);
    const said = `live at once: ${bytes(contents.peak)} at most; budget ${bytes(this.budget)}`;
    context.fillText(said, LABELS + 6, this.height - BOTTOM / 2);
  }

  // The live rectangle at a place; -1: none.
  private at(x: number, y: number): number {
    const { live } = this.launch;
    if (x < LABELS || !live) return -1;
    const tick = this.us(x) / this.launch.tick;
    const slack = (this.us(x + 1) - this.us(x)) / this.launch.tick;
    for (const at of this.contents.lives) {
      const inside = y <= this.y(live.offset[at]) && y >= this.y(live.offset[at] + live.bytes[at]);
      if (inside && live.begin[at] - slack <= tick && live.end[at] + slack >= tick) return at;
    }
    return -1;
  }

  private hover(event: PointerEvent): void {
    const { launch } = this;
    const { live } = launch;
    const at = this.at(event.offsetX, event.offsetY);
    if (at < 0 || !live) {
      this.onhover(null, 0, 0);
      return;
    }
    const offset = live.offset[at];
    const holder = this.contents.variables.find((one) => one.offset <= offset && offset < one.offset + one.bytes);
    const { file, line } = launch.placeOf(live.line[at]);
    const [begin, end] = [launch.us(live.begin[at]), launch.us(live.end[at])];
    const lines = [
      `${holder ? `${holder.name}: ` : ""}0x${offset.toString(16)}..0x${(offset + live.bytes[at]).toString(16)}, ${bytes(live.bytes[at])}`,
      `live for ${time(end - begin)}, from ${time(begin)} to ${time(end)}`,
      `first: ${launch.facts.ops[live.op[at]].name}, ${place(file, line)}`,
    ];
    this.onhover(lines, event.offsetX, event.offsetY);
  }
}
