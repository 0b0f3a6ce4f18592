// A launch as the page works with it: its records in lanes, and what is known of each.
import { type Head, type LaunchFacts, type Numbers, type Op, type Place, type Source, summed } from "./data";
import { bytes, place, time } from "./text";

const CAUSES: Record<string, string> = { wait: "waits for", barrier: "barrier, last:", "pipe busy": "pipe busy with" };
const OTHERS = 7; // the colour of instructions that have none of their own

export interface Lane {
  core: number;
  row: number;
  name: string;
  // Its records, in order of time: order[begin..end).
  begin: number;
  end: number;
}

export interface Region {
  name: string;
  written: boolean;
  text: string;
  bytes: number;
}

export interface Rectangles {
  memory: Numbers;
  offset: Numbers;
  bytes: Numbers;
  begin: Numbers;
  end: Numbers;
  line: Numbers;
  op: Numbers;
}

export class Launch {
  readonly count: number;
  readonly lanes: Lane[];
  readonly order: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly place: Uint32Array; // of a record in `order`
  readonly lane: Numbers;
  readonly op: Numbers;
  readonly loc: Numbers;
  readonly task: Numbers;
  readonly work: Numbers;
  readonly why: Numbers;
  readonly back: Numbers;
  readonly path: Numbers;
  readonly slowed: Numbers;
  readonly several: Numbers;
  readonly held: Rectangles | null;
  readonly live: Rectangles | null;
  hue: Uint8Array; // number of a colour by instruction
  readonly last: number;
  readonly tick: number;
  private first: Uint32Array | null = null;

  constructor(
    readonly facts: LaunchFacts,
    private readonly columns: Record<string, Numbers>,
    readonly sources: Map<string, Source & { lines: string[] }>,
  ) {
    const { lane, gap, long, op, task, work, loc, why, back, path, slowed, several } = columns;
    this.count = lane.length;
    [this.lane, this.op, this.loc, this.task, this.work] = [lane, op, loc, task, work];
    [this.why, this.back, this.path, this.slowed, this.several] = [why, back, path, slowed, several];
    this.last = Math.max(facts.last, 1);
    this.tick = facts.tick_us;
    summed(task, () => 0, 1);
    summed(work, (at) => op[at], facts.ops.length);
    this.start = new Uint32Array(this.count);
    this.end = new Uint32Array(this.count);
    const until = new Float64Array(facts.lanes.length);
    const counts = new Uint32Array(facts.lanes.length);
    for (let at = 0; at < this.count; at++) {
      const of = lane[at];
      this.start[at] = until[of] + gap[at];
      this.end[at] = until[of] = this.start[at] + long[at];
      counts[of]++;
    }
    this.order = new Uint32Array(this.count);
    this.place = new Uint32Array(this.count);
    let begin = 0;
    this.lanes = facts.lanes.map(([core, row], at) => {
      const end = begin + counts[at];
      const made = { core, row, name: facts.rows[row], begin, end };
      begin = end;
      return made;
    });
    const next = this.lanes.map((one) => one.begin);
    for (let at = 0; at < this.count; at++) this.order[next[lane[at]]++] = at;
    this.lanes.forEach((one) => this.sort(one));
    for (let at = 0; at < this.count; at++) this.place[this.order[at]] = at;
    this.held = this.rectangles("held");
    this.live = this.rectangles("live");
    this.hue = new Uint8Array(facts.ops.length).fill(OTHERS);
  }

  // The records of a lane by their start; they lie so but for marks of a front end.
  private sort({ begin, end }: Lane): void {
    const mine = this.order.subarray(begin, end);
    for (let at = 1; at < mine.length; at++)
      if (this.start[mine[at]] < this.start[mine[at - 1]]) {
        mine.sort((one, other) => this.start[one] - this.start[other] || one - other);
        return;
      }
  }

  private rectangles(prefix: string): Rectangles | null {
    const memory = this.columns[`${prefix}_memory`];
    if (!memory) return null;
    const found = Object.fromEntries(
      ["memory", "offset", "bytes", "begin", "end", "line", "op"].map((name) => [name, this.columns[`${prefix}_${name}`]]),
    ) as unknown as Rectangles;
    const owners = this.facts.memories.length;
    summed(found.begin, (at) => memory[at], owners);
    summed(found.end, (at) => memory[at], owners);
    return found;
  }

  // How many ticks the instructions of each name are busy.
  busy(): Map<string, number> {
    const ticks = new Float64Array(this.facts.ops.length);
    for (let at = 0; at < this.count; at++)
      if (this.lanes[this.lane[at]].row > 0) ticks[this.op[at]] += this.end[at] - this.start[at];
    const names = new Map<string, number>();
    this.facts.ops.forEach((op, at) => names.set(op.name, (names.get(op.name) ?? 0) + ticks[at]));
    return names;
  }

  opOf(at: number): Op {
    return this.facts.ops[this.op[at]];
  }

  placeOf(loc: number): Place {
    const [file, line] = this.facts.lines[loc];
    return { file, line };
  }

  us(ticks: number): number {
    return ticks * this.tick;
  }

  coreName(core: number): string {
    const { cores } = this.facts.shape;
    return core >= cores ? `cluster ${core - cores} memory core` : `core ${core}`;
  }

  laneName(at: number): string {
    const lane = this.lanes[at];
    return `${this.coreName(lane.core)}, ${lane.name}`;
  }

  cause(at: number): number {
    return this.back[at] ? at - this.back[at] : -1;
  }

  // Ticks that the lane stood idle before a record.
  idle(at: number): number {
    const where = this.place[at];
    const before = where > this.lanes[this.lane[at]].begin ? this.end[this.order[where - 1]] : 0;
    return Math.max(this.start[at] - before, 0);
  }

  reason(at: number): string {
    const said = this.facts.reasons[this.why[at]] ?? "";
    const cause = this.cause(at);
    if (cause < 0) return said;
    const { file, line } = this.placeOf(this.loc[cause]);
    const where = line ? ` (${place(file, line)})` : "";
    const core = this.lanes[this.lane[cause]].core;
    const other = core !== this.lanes[this.lane[at]].core ? ` on ${this.coreName(core)}` : "";
    return `${CAUSES[said] ?? `${said}:`} ${this.opOf(cause).name}${where}${other}`;
  }

  // The first record of a lane that ends after a time, as a place in `order`.
  from(lane: Lane, tick: number): number {
    let [low, high] = [lane.begin, lane.end];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[this.order[middle]] <= tick && this.start[this.order[middle]] < tick) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The first record of a lane that starts at a time or after it, as a place in `order`.
  until(lane: Lane, tick: number): number {
    let [low, high] = [lane.begin, lane.end];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start[this.order[middle]] < tick) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Operands of a record; none where the report leaves them out.
  regions(at: number): Region[] {
    const { space, owner, offset, bytes: size, lane_at, lanes } = this.columns;
    const op = this.opOf(at);
    if (!space) return [];
    const first = this.firsts()[at];
    const core = this.lanes[this.lane[at]].core;
    return op.operands.flatMap((name, number) => {
      const row = first + number;
      if (!size[row]) return [];
      const across = lanes[row] ? ` ${lanes[row]} lanes from ${lane_at[row]},` : "";
      const begin = offset[row].toString(16);
      const end = (offset[row] + size[row]).toString(16);
      const text = `${this.facts.spaces[space[row]]}[${owner[row] + core}]${across} 0x${begin}..0x${end}`;
      return [{ name, written: op.writes[number], text, bytes: size[row] * Math.max(lanes[row], 1) }];
    });
  }

  // The first row of the operands of each record; the columns of operands are differences until somebody asks.
  private firsts(): Uint32Array {
    if (this.first) return this.first;
    const counts = this.facts.ops.map((op) => op.operands.length);
    const slots: number[] = [];
    counts.reduce((sum, count, at) => ((slots[at] = sum), sum + count), 0);
    this.first = new Uint32Array(this.count);
    const { offset, bytes: size } = this.columns;
    const slot = new Uint32Array(size.length);
    let row = 0;
    for (let at = 0; at < this.count; at++) {
      this.first[at] = row;
      for (let number = 0; number < counts[this.op[at]]; number++) slot[row++] = slots[this.op[at]] + number;
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    summed(offset, (at) => slot[at], total);
    summed(size, (at) => slot[at], total);
    return this.first;
  }

  sourceLine(loc: number): string {
    const { file, line } = this.placeOf(loc);
    return this.sources.get(file)?.lines[line - 1] ?? "";
  }

  // What is declared at a line, as far as its text says it.
  variable(loc: number): string {
    const { file, line } = this.placeOf(loc);
    const text = this.sourceLine(loc).replace(/\/\/.*$/, "");
    const found = /([A-Za-z_]\w*)\s*(?:\[[^;=]*\])*\s*(?:=[^;]*)?[;,]/.exec(text) ?? /([A-Za-z_]\w*)\s*\[/.exec(text);
    return found?.[1] ?? (line ? place(file, line) : "variable");
  }

  describe(at: number): string {
    const several = this.several[at] ? ` and ${this.several[at].toLocaleString("en")} more` : "";
    const long = time(this.us(this.end[at] - this.start[at]));
    return `${this.opOf(at).name}${several}, ${this.laneName(this.lane[at])}, ${long} from ${time(this.us(this.start[at]))}`;
  }

  operandsText(at: number): string {
    return this.regions(at).map(({ name, text, bytes: size }) => `${name} ${text} (${bytes(size)})`).join("; ");
  }
}

export function sourcesOf(head: Head): Map<string, Source & { lines: string[] }> {
  return new Map(head.sources.map((one) => [one.path, { ...one, lines: one.text ? one.text.split("\n") : [] }]));
}

// Gives each name its colour by how long its instructions are busy in all launches that are shown together.
export function coloured(launches: Launch[]): Launch[] {
  const all = new Map<string, number>();
  for (const launch of launches)
    for (const [name, ticks] of launch.busy()) all.set(name, (all.get(name) ?? 0) + launch.us(ticks));
  const names = [...all].filter(([, us]) => us > 0).sort((one, other) => other[1] - one[1]).map(([name]) => name);
  const rank = new Map(names.slice(0, OTHERS).map((name, at) => [name, at]));
  for (const launch of launches) launch.hue = Uint8Array.from(launch.facts.ops, ({ name }) => rank.get(name) ?? OTHERS);
  return launches;
}
