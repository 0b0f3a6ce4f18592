// Reads what a report holds: a head of JSON and columns of whole numbers, as traces/report/columns.py wrote them.

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Int8Array | Int16Array | Int32Array | Float64Array;

interface Described {
  at: number;
  packed: number;
  count: number;
  width: number;
  signed: boolean;
  differences: boolean;
}

export interface Op {
  name: string;
  dtypes: string;
  operands: string[];
  writes: boolean[];
  engine: string;
}

export interface Place {
  file: string;
  line: number;
}

export interface Finding {
  rule: string;
  severity: string;
  message: string;
  text: string;
  instruction: string;
  suggestion: string;
  reason: string;
  count: number;
  cores: number[];
  location: Place;
  related: Place | null;
}

export interface Wait {
  reason: string;
  instruction: string;
  file: string;
  line: number;
  us: number;
  records: number;
}

// Between which times a time lies, as far as the numbers that it rests on are known.
export interface Interval {
  low: number;
  high: number;
}

export interface Summary {
  device: string;
  cores: number;
  total_us: number;
  kernel_us: number;
  interval?: Interval | null;
  assumed_share: number;
  fitted_share: number;
  not_modelled: string[];
  pipes: { pipe: string; records: number; busy_us: number; mean: number; max: number }[];
  traffic: { space: string; read: number; written: number }[];
  peaks: { space: string; owner: number; bytes: number; budget: number; touched: number }[];
  waits: Wait[];
}

export interface Advice {
  kind: string;
  text: string;
  file: string;
  line: number;
  before_us: number;
  after_us: number;
  least_us: number;
  gain: number;
}

export interface Why {
  lines: { file: string; line: number; us: number; bytes: number; instructions: number; path: number }[];
  path: [string, number][];
  efficiency: {
    operations: number;
    bytes: number;
    peak_operations: number;
    peak_bytes: number;
    io_efficiency: number;
    compute_efficiency: number;
    bound: string;
    grade: string;
  };
  advice: Advice[];
}

export interface Memory {
  space: string;
  owner: number;
  budget: number;
  scope: string;
}

export interface LaunchFacts {
  name: string;
  device: string;
  start_us: number;
  launch: { kernel?: string; dim?: number[]; type?: string };
  records: number;
  tick_us: number;
  last: number;
  lanes: [number, number][];
  rows: string[];
  shape: { cores: number; per_cluster: number };
  ops: Op[];
  lines: [string, number][];
  spaces: string[];
  memories: Memory[];
  reasons: Record<string, string>;
  summary: Summary;
  why: Why;
  bandwidth: { channel: string; scope: string; peak: number; units: Record<string, number[]> }[];
  balance: { cores: number[]; end: number[]; busy: number[][] };
  left_out: string[];
  columns: Record<string, Described>;
}

export interface Change {
  name: string;
  before_us: number;
  after_us: number;
  before: number;
  after: number;
}

export interface Source {
  path: string;
  name: string;
  text: string;
  note: string;
}

export interface Head {
  format: number;
  title: string;
  checked: boolean;
  launches: LaunchFacts[];
  findings: Finding[];
  suppressed: Finding[];
  compare: { before_us: number; after_us: number; interval?: Interval | null; pipes: Change[]; lines: Change[]; waits: Change[] } | null;
  tables: [string, string[], string[][]][];
  sources: Source[];
}

export interface Report {
  head: Head;
  columns: (launch: number) => Promise<Record<string, Numbers>>;
}

const FORMAT = 1;

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

// The numbers of a column, which lie in planes: the lowest byte of all of them, then the next one.
function joined(planes: Uint8Array, { count, width, signed }: Described): Numbers {
  if (planes.length !== count * width) throw new Error("a column of this report is damaged");
  if (width === 6) {
    const wide = new Float64Array(count);
    for (let byte = 5; byte >= 0; byte--)
      for (let at = 0, from = byte * count; at < count; at++) wide[at] = wide[at] * 256 + planes[from + at];
    return wide;
  }
  const out = width === 1 ? new Uint8Array(planes) : width === 2 ? new Uint16Array(count) : new Uint32Array(count);
  for (let byte = 0; width > 1 && byte < width; byte++)
    for (let at = 0, from = byte * count, shift = 8 * byte; at < count; at++) out[at] |= planes[from + at] << shift;
  if (!signed) return out;
  const kinds = { 1: Int8Array, 2: Int16Array, 4: Int32Array } as const;
  return new kinds[width as 1 | 2 | 4](out.buffer as ArrayBuffer);
}

// Adds up differences within groups, in place.
export function summed(values: Numbers, group: (at: number) => number, groups: number): void {
  const last = new Float64Array(groups);
  const wide = values instanceof Float64Array;
  for (let at = 0; at < values.length; at++) {
    const of = group(at);
    const sum = last[of] + values[at];
    values[at] = wide ? sum % 2 ** 48 : sum;
    last[of] = values[at];
  }
}

export async function read(text: string): Promise<Report> {
  const bytes = decoded(text);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head: Head = JSON.parse(new TextDecoder().decode(await inflated(bytes.subarray(4, 4 + length))));
  if (head.format !== FORMAT) throw new Error(`this page reads reports of format ${FORMAT}, not ${head.format}`);
  const base = 4 + length;
  return {
    head,
    columns: async (launch) => {
      const described = Object.entries(head.launches[launch].columns);
      const found = await Promise.all(
        described.map(async ([name, column]) => {
          const from = base + column.at;
          return [name, joined(await inflated(bytes.subarray(from, from + column.packed)), column)] as const;
        }),
      );
      return Object.fromEntries(found);
    },
  };
}
