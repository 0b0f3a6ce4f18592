// The timeline: what pointer and keys do on its lanes.
import { LABELS, RULER } from "./canvas";
import { Lanes } from "./lanes";
import type { Launch } from "./model";
import type { Span, Store } from "./store";
import { place, time } from "./text";

// Something under the pointer.
export interface Spot {
  record: number;
  idle: boolean; // the time before it
  x: number;
  y: number;
}

export class Timeline extends Lanes {
  onhover: (spot: Spot | null) => void = () => {};
  private dragged: { x: number; from: number; view: Span; pan: boolean; moved: boolean } | null = null;

  constructor(canvas: HTMLCanvasElement, store: Store, launch: Launch, number: number, flagged: Uint8Array) {
    super(canvas, store, launch, number, flagged);
    this.listen(canvas, "pointerdown", (event) => this.press(event as PointerEvent));
    this.listen(canvas, "pointermove", (event) => this.move(event as PointerEvent));
    this.listen(canvas, "pointerup", (event) => this.release(event as PointerEvent));
    this.listen(canvas, "pointerleave", () => this.onhover(null));
    this.listen(canvas, "keydown", (event) => this.key(event as KeyboardEvent));
  }

  // The next record that stands out, in order of time, from the selected one on.
  next(direction: number): number {
    const { launch, matching } = this;
    const { record, launch: of } = this.store.state;
    const here = of === this.number ? record : -1;
    const at = here < 0 ? (direction > 0 ? -1 : launch.last + 1) : launch.start[here];
    let best = -1;
    let distance = Infinity;
    for (let one = 0; one < launch.count; one++) {
      if (matching && !matching[one]) continue;
      const step = (launch.start[one] - at) * direction;
      const after = step > 0 || (step === 0 && (one - here) * direction > 0);
      const rank = Math.abs(step) + Math.abs(one - here) / (launch.count + 1);
      if (after && rank < distance) [best, distance] = [one, rank];
    }
    return best;
  }

  select(record: number, reveal = true): void {
    this.store.set({ record, launch: this.number, span: null });
    if (record < 0) return;
    const { launch } = this;
    const lane = launch.lanes[launch.lane[record]];
    if (reveal) {
      if (!this.open.has(lane.core)) this.fold(lane.core);
      this.store.reveal({ from: launch.us(launch.start[record]), to: launch.us(launch.end[record]) });
    }
    const row = this.rows.find((one) => !one.head && one.lanes[0] === launch.lane[record]);
    if (reveal && row) {
      const room = this.height - RULER;
      if (row.y < this.scroll) this.scroll = row.y;
      else if (row.y + row.height > this.scroll + room) this.scroll = row.y + row.height - room;
      this.onrows();
    }
  }

  private press(event: PointerEvent): void {
    this.canvas.focus({ preventScroll: true });
    if (event.button > 1) return;
    if (event.offsetX < LABELS) {
      const row = this.rowAt(event.offsetY);
      if (row?.head) this.fold(row.core);
      return;
    }
    this.canvas.setPointerCapture(event.pointerId);
    const pan = event.shiftKey || event.button === 1 || event.offsetY < RULER;
    const { view } = this.store.state;
    this.dragged = { x: event.offsetX, from: this.us(event.offsetX), view, pan, moved: false };
  }

  private move(event: PointerEvent): void {
    const { dragged } = this;
    if (!dragged) {
      this.onhover(this.spot(event.offsetX, event.offsetY));
      return;
    }
    if (Math.abs(event.offsetX - dragged.x) < 4 && !dragged.moved) return;
    dragged.moved = true;
    this.onhover(null);
    const { from, to } = dragged.view;
    if (dragged.pan) {
      const by = ((dragged.x - event.offsetX) / (this.width - LABELS)) * (to - from);
      const kept = Math.min(Math.max(by, -from), this.store.state.whole - to);
      this.store.set({ view: { from: from + kept, to: to + kept } });
    } else {
      const here = Math.min(Math.max(this.us(event.offsetX), 0), this.store.state.whole);
      const span = { from: Math.min(dragged.from, here), to: Math.max(dragged.from, here) };
      this.store.set({ span, record: -1, launch: this.number });
    }
  }

  private release(event: PointerEvent): void {
    const { dragged } = this;
    this.dragged = null;
    if (!dragged || dragged.moved) return;
    const spot = this.spot(event.offsetX, event.offsetY);
    this.select(spot ? spot.record : -1, false);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { store, launch } = this;
    const { record, span } = store.state;
    const keys: Record<string, () => void> = {
      w: () => store.zoom(0.6),
      s: () => store.zoom(1 / 0.6),
      "+": () => store.zoom(0.6),
      "-": () => store.zoom(1 / 0.6),
      a: () => store.pan(-0.25),
      d: () => store.pan(0.25),
      ArrowLeft: () => (record < 0 ? store.pan(-0.25) : this.beside(-1)),
      ArrowRight: () => (record < 0 ? store.pan(0.25) : this.beside(1)),
      ArrowUp: () => this.across(-1),
      ArrowDown: () => this.across(1),
      "0": () => store.set({ view: { from: 0, to: store.state.whole } }),
      Home: () => store.set({ view: { from: 0, to: store.state.whole } }),
      f: () => {
        if (span) store.reveal(span, true);
        else if (record >= 0) store.reveal({ from: launch.us(launch.start[record]), to: launch.us(launch.end[record]) }, true);
      },
      c: () => record >= 0 && launch.cause(record) >= 0 && this.select(launch.cause(record)),
      n: () => this.found(1),
      p: () => this.found(-1),
      Escape: () => store.set({ record: -1, span: null }),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // Selects the next or the previous record that stands out.
  found(direction: number): void {
    const next = this.next(direction);
    if (next >= 0) this.select(next);
  }

  // Selects the record beside the selected one in its lane.
  private beside(step: number): void {
    const { launch } = this;
    const { record } = this.store.state;
    const where = launch.place[record] + step;
    const { begin, end } = launch.lanes[launch.lane[record]];
    if (where >= begin && where < end) this.select(launch.order[where]);
  }

  // Selects what the lane above or below does at the same time; without a selection, the first of all.
  private across(step: number): void {
    const { launch } = this;
    const { record } = this.store.state;
    if (record < 0) {
      if (launch.count) this.select(launch.order[launch.lanes[0].begin]);
      return;
    }
    const order = this.cores.flatMap((core) => launch.lanes.flatMap((lane, at) => (lane.core === core ? [at] : [])));
    const next = order[order.indexOf(launch.lane[record]) + step];
    if (next === undefined) return;
    const lane = launch.lanes[next];
    const where = Math.min(launch.from(lane, launch.start[record]), lane.end - 1);
    this.select(launch.order[where]);
  }

  // What a tip says of a spot: a line each.
  tip({ record, idle }: Spot): string[] {
    const { launch } = this;
    const { file, line } = launch.placeOf(launch.loc[record]);
    const from = launch.us(launch.start[record]);
    if (idle) {
      const long = launch.us(launch.idle(record));
      return [`idle for ${time(long)}`, launch.reason(record), `until ${launch.opOf(record).name} at ${time(from)}`];
    }
    const slowed = launch.slowed[record] ? [`${time(launch.us(launch.slowed[record]))} longer because others used its channel`] : [];
    return [
      launch.describe(record),
      ...launch.regions(record).map((one) => `${one.written ? "writes" : "reads"} ${one.name} ${one.text}`),
      line ? `${place(file, line)}  ${launch.sourceLine(launch.loc[record]).trim().slice(0, 100)}` : "no source line",
      `started then: ${launch.reason(record)}`,
      ...slowed,
    ];
  }

  // What is at a place of the canvas.
  private spot(x: number, y: number): Spot | null {
    const { launch } = this;
    const row = this.rowAt(y);
    if (!row || x < LABELS || !row.lanes.length) return null;
    const stripe = (row.height - 4) / row.lanes.length;
    const which = Math.floor((y + this.scroll - RULER - row.y - 2) / stripe);
    const lane = launch.lanes[row.lanes[row.head ? Math.max(Math.min(which, row.lanes.length - 1), 0) : 0]];
    const tick = this.us(x) / launch.tick;
    const near = (this.us(x + 2) - this.us(x)) / launch.tick;
    const at = launch.from(lane, tick);
    for (const where of [at, at - 1]) {
      if (where < lane.begin || where >= lane.end) continue;
      const record = launch.order[where];
      if (launch.start[record] - near <= tick && launch.end[record] + near >= tick) return { record, idle: false, x, y };
    }
    return at < lane.end && lane.row > 0 ? { record: launch.order[at], idle: true, x, y } : null;
  }
}
