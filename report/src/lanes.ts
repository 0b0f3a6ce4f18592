// What the timeline draws: a row for each pipe of each core, instructions as boxes, idle time as patterns.
import { FONT, LABELS, RULER, TimeCanvas } from "./canvas";
import type { Launch } from "./model";
import { pattern, SHADES, shades } from "./palette";
import { Pyramid } from "./pyramid";
import type { Store } from "./store";

const LANE = 18;
const CORE = 20;
const FOLDED = 24;
const FEW_CORES = 4; // so many are unfolded at first
const ARROWS = 16; // steps back from the selected record
const TEXTS = 600; // words of a frame

interface Row {
  y: number;
  height: number;
  core: number;
  lanes: number[]; // one, or all that a folded core shows
  head: boolean;
}

export class Lanes extends TimeCanvas {
  scroll = 0;
  total = 0;
  onrows: () => void = () => {};
  protected rows: Row[] = [];
  protected readonly open = new Set<number>();
  protected readonly cores: number[];
  private pyramid: Pyramid;
  private hue: Uint8Array;
  private shade: Uint32Array;
  private patterns = new Map<string, CanvasPattern | null>();
  private pixels: ImageData | null = null;
  private words = 0;
  protected matching: Uint8Array | null = null;

  constructor(
    canvas: HTMLCanvasElement,
    store: Store,
    protected readonly launch: Launch,
    protected readonly number: number,
    private readonly flagged: Uint8Array, // whether a finding is at a source line
  ) {
    super(canvas, store, launch.us(launch.last));
    const { cores, per_cluster: per } = launch.facts.shape;
    const place = (core: number) => (core >= cores ? (core - cores + 1) * per - 0.5 : core);
    this.cores = [...new Set(launch.lanes.map((lane) => lane.core))].sort((one, other) => place(one) - place(other));
    if (this.cores.filter((core) => core < cores).length <= FEW_CORES) this.cores.forEach((core) => this.open.add(core));
    this.hue = launch.hue;
    this.pyramid = this.built();
    this.shade = shades(this.colours.hues, this.colours.back);
    this.arrange();
  }

  // Makes the records stand out that match; null: all as they are. How many do.
  show(matches: ((at: number) => boolean) | null): number {
    const { launch } = this;
    this.matching = null;
    let found = 0;
    if (matches) {
      this.matching = new Uint8Array(launch.count);
      for (let at = 0; at < launch.count; at++) if (matches(at)) found += this.matching[at] = 1;
    }
    this.pyramid = this.built();
    this.redraw();
    return found;
  }

  fold(core: number): void {
    if (!this.open.delete(core)) this.open.add(core);
    this.arrange();
  }

  foldAll(open: boolean): void {
    this.open.clear();
    if (open) this.cores.forEach((core) => this.open.add(core));
    this.arrange();
  }

  get unfolded(): boolean {
    return this.open.size === this.cores.length;
  }

  protected themed(): void {
    this.shade = shades(this.colours.hues, this.colours.back);
    this.patterns.clear();
  }

  private built(): Pyramid {
    const { launch, matching } = this;
    const dim = this.colours.hues.length - 1;
    return new Pyramid(launch, (at) => (matching && !matching[at] ? dim : this.hue[launch.op[at]]), matching ? dim : -1);
  }

  private arrange(): void {
    this.rows = [];
    let y = 0;
    for (const core of this.cores) {
      const lanes = this.launch.lanes.flatMap((lane, at) => (lane.core === core ? [at] : []));
      const open = this.open.has(core);
      const shown = lanes.filter((at) => this.launch.lanes[at].row > 0);
      const height = open ? CORE : FOLDED;
      this.rows.push({ y, height, core, lanes: open ? [] : shown.length ? shown : lanes, head: true });
      y += height;
      for (const lane of open ? lanes : []) {
        this.rows.push({ y, height: LANE, core, lanes: [lane], head: false });
        y += LANE;
      }
    }
    this.total = y + 4;
    this.scroll = Math.max(Math.min(this.scroll, this.total - (this.height - RULER)), 0);
    this.onrows();
    this.redraw();
  }

  protected draw(): void {
    const { context, colours, width, height } = this;
    this.words = 0;
    context.fillStyle = colours.back;
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    this.ruler();
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height - RULER);
    context.clip();
    for (const row of this.rows) {
      const y = row.y - this.scroll + RULER;
      if (y + row.height > RULER && y < height) this.row(row, y);
    }
    this.overlays();
    context.restore();
  }

  private row(row: Row, y: number): void {
    const { context, colours, launch } = this;
    if (row.head && !row.lanes.length) {
      context.fillStyle = colours.raised;
      context.fillRect(0, y, this.width, row.height);
    }
    const stripe = Math.max(Math.floor((row.height - 4) / Math.max(row.lanes.length, 1)), 2);
    row.lanes.forEach((lane, at) => {
      if (row.head) this.lane(lane, y + 2 + at * stripe, Math.max(stripe - 1, 1), false);
      else this.lane(lane, y + 1, row.height - 2, true);
    });
    context.fillStyle = row.head ? colours.raised : colours.back;
    context.fillRect(0, y, LABELS, row.height);
    context.fillStyle = row.head ? colours.text : colours.muted;
    const fold = this.open.has(row.core) ? "▾" : "▸";
    const name = row.head ? `${fold} ${launch.coreName(row.core)}` : launch.lanes[row.lanes[0]].name;
    this.cut(name, row.head ? 8 : 26, y + row.height / 2, LABELS - 30);
    context.fillStyle = colours.line;
    context.fillRect(0, y + row.height - 1, this.width, row.head ? 1 : 0.5);
  }

  private lane(number: number, y: number, height: number, detailed: boolean): void {
    const { launch } = this;
    const { from, to } = this.store.state.view;
    const lane = launch.lanes[number];
    const room = this.width - LABELS;
    const first = launch.from(lane, from / launch.tick);
    const last = launch.until(lane, to / launch.tick);
    if (last - first > room) this.aggregated(number, y, height, room);
    else this.boxes(lane.begin, first, last, lane.end, y, height, detailed);
  }

  // A lane with more records than pixels: a column of pixels for each step, as strong as it is busy.
  private aggregated(number: number, y: number, height: number, room: number): void {
    const { launch } = this;
    const { from, to } = this.store.state.view;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(room * ratio), Math.max(Math.round(height * ratio), 1)];
    if (this.pixels?.width !== wide || this.pixels.height !== high) this.pixels = new ImageData(wide, high);
    const out = new Uint32Array(this.pixels.data.buffer);
    const each = (to - from) / launch.tick / wide;
    const { step, busy, hue } = this.pyramid.level(number, each);
    const empty = shades([this.colours.back], this.colours.back)[0];
    for (let x = 0, tick = from / launch.tick; x < wide; x++, tick += each) {
      const cell = Math.floor((tick + each / 2) / step);
      const share = cell < busy.length ? busy[cell] / step : 0;
      out[x] = share > 0 ? this.shade[hue[cell] * SHADES + Math.min(Math.ceil(share * SHADES), SHADES) - 1] : empty;
    }
    for (let row = 1; row < high; row++) out.copyWithin(row * wide, 0, wide);
    this.context.putImageData(this.pixels, Math.round(LABELS * ratio), Math.round(y * ratio));
  }

  private boxes(begin: number, first: number, last: number, end: number, y: number, height: number, detailed: boolean): void {
    const { context, launch, colours, matching } = this;
    const { path } = this.store.state;
    let drawn = -1;
    for (let where = first; where < last; where++) {
      const at = launch.order[where];
      const x0 = this.x(launch.us(launch.start[at]));
      const x1 = this.x(launch.us(launch.end[at]));
      if (detailed) this.gap(at, where > begin ? launch.order[where - 1] : -1, x0, y, height);
      const left = Math.max(x0, LABELS);
      const wide = Math.max(Math.min(x1, this.width) - left, 1);
      if (wide <= 1 && Math.floor(left) === drawn) continue;
      drawn = wide <= 1 ? Math.floor(left) : -1;
      const dim = matching && !matching[at];
      const hue = dim ? colours.hues.length - 1 : this.hue[launch.op[at]];
      context.globalAlpha = dim ? 0.35 : 1;
      context.fillStyle = colours.hues[hue];
      context.fillRect(left, y, wide > 2 ? wide - 0.5 : wide, height);
      context.globalAlpha = 1;
      if (this.flagged[launch.loc[at]] && detailed && !dim) {
        context.fillStyle = colours.bad;
        context.fillRect(left, y, Math.min(wide, 4), height);
      }
      if (path && launch.path[at]) {
        context.fillStyle = colours.text;
        context.fillRect(left, y + height - 3, wide, 3);
      }
      if (detailed && wide > 22 && !dim && this.words < TEXTS) {
        this.words++;
        context.fillStyle = colours.inks[hue];
        this.cut(this.label(at), left + 4, y + height / 2, wide - 8);
      }
    }
    if (detailed && last < end) this.gap(launch.order[last], last > begin ? launch.order[last - 1] : -1, this.width, y, height);
  }

  // What fits into a box: the operator without the prefix that all of a dialect have.
  private label(at: number): string {
    const { launch } = this;
    const name = launch.opOf(at).name.replace(/^_+(bang_)?/, "");
    return launch.several[at] ? `${name} +${launch.several[at]}` : name;
  }

  // The idle time before a record that begins at x1.
  private gap(at: number, before: number, x1: number, y: number, height: number): void {
    const { context, launch, colours } = this;
    const x0 = Math.max(before < 0 ? this.x(0) : this.x(launch.us(launch.end[before])), LABELS);
    const wide = Math.min(x1, this.width) - x0;
    if (wide < 4 || launch.lanes[launch.lane[at]].row === 0) return;
    const reason = launch.facts.reasons[launch.why[at]] ?? "";
    if (!this.patterns.has(reason)) this.patterns.set(reason, pattern(context, reason, colours.muted));
    const fill = this.patterns.get(reason);
    if (fill) {
      context.globalAlpha = 0.5;
      context.fillStyle = fill;
      context.fillRect(x0, y + 2, wide, height - 4);
      context.globalAlpha = 1;
    }
    if (wide > 50 && this.words < TEXTS) {
      this.words++;
      const said = launch.reason(at);
      const room = Math.min(context.measureText(said).width, wide - 8) + 6;
      context.fillStyle = colours.back;
      context.fillRect(x0 + 3, y + 2, room, height - 4);
      context.fillStyle = colours.muted;
      this.cut(said, x0 + 6, y + height / 2, wide - 12);
    }
  }

  private overlays(): void {
    const { context, colours, height } = this;
    const { record, span, launch: of } = this.store.state;
    if (span) {
      const [x0, x1] = [Math.max(this.x(span.from), LABELS), this.x(span.to)];
      if (x1 > LABELS) {
        context.fillStyle = colours.accent;
        context.globalAlpha = 0.15;
        context.fillRect(x0, RULER, x1 - x0, height);
        context.globalAlpha = 1;
        context.fillRect(x0, RULER, 1, height);
        context.fillRect(x1, RULER, 1, height);
      }
    }
    if (record < 0 || of !== this.number) return;
    this.arrows(record);
    const box = this.box(record);
    if (!box || box.x1 < LABELS) return;
    const left = Math.max(box.x0, LABELS);
    context.strokeStyle = colours.back;
    context.lineWidth = 4;
    context.strokeRect(left, box.y, Math.max(box.x1 - left, 2), box.height);
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(left, box.y, Math.max(box.x1 - left, 2), box.height);
  }

  // Where a record is drawn; null where its row is not.
  private box(at: number): { x0: number; x1: number; y: number; height: number } | null {
    const { launch } = this;
    const row = this.rows.find((one) => one.lanes.includes(launch.lane[at]));
    if (!row) return null;
    const [x0, x1] = [this.x(launch.us(launch.start[at])), this.x(launch.us(launch.end[at]))];
    return { x0, x1, y: row.y - this.scroll + RULER + 1, height: row.height - 2 };
  }

  // From what a record waited for to it, and on from there.
  private arrows(record: number): void {
    const { context, colours, launch } = this;
    context.save();
    context.beginPath();
    context.rect(LABELS, RULER, this.width - LABELS, this.height);
    context.clip();
    for (let step = 0, at = record; step < ARROWS; step++) {
      const cause = launch.cause(at);
      const [to, from] = [this.box(at), cause < 0 ? null : this.box(cause)];
      if (!to || !from) break;
      const [x0, y0] = [Math.min(from.x1, Math.max(to.x0, from.x0)), from.y + from.height / 2];
      const [x1, y1] = [to.x0, to.y + to.height / 2];
      at = cause;
      if (Math.abs(from.y - to.y) < 1) continue; // of one pipe: they lie side by side
      const bend = Math.max(Math.abs(x1 - x0) / 2, 14);
      const path = new Path2D();
      path.moveTo(x0, y0);
      path.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
      const head = new Path2D();
      head.moveTo(x1, y1);
      head.lineTo(x1 - 8, y1 - 4);
      head.lineTo(x1 - 8, y1 + 4);
      context.globalAlpha = step ? 0.55 : 1;
      for (const [colour, wide] of [[colours.back, 4], [colours.text, step ? 1 : 1.75]] as const) {
        context.strokeStyle = colour;
        context.lineWidth = wide;
        context.stroke(path);
      }
      context.fillStyle = colours.text;
      context.fill(head);
    }
    context.restore();
  }

  protected rowAt(y: number): Row | undefined {
    const down = y - RULER + this.scroll;
    return y < RULER ? undefined : this.rows.find((row) => down >= row.y && down < row.y + row.height);
  }
}
