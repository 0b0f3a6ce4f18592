// For each lane, how busy it is and with what, in steps of time that double from level to level: what a frame needs of
// a lane costs as much as it has pixels, however many records there are.
import type { Launch } from "./model";

const MOST = 1 << 16;

export interface Level {
  step: number; // ticks
  busy: Float32Array; // ticks
  hue: Uint8Array;
}

export class Pyramid {
  private readonly lanes: (Level[] | undefined)[] = [];

  // `hue` is the colour of each record; where several meet in a step, `bright` ones win, then the longest.
  constructor(
    private readonly launch: Launch,
    private readonly hue: (at: number) => number,
    private readonly dim: number,
  ) {}

  // The level of a lane whose steps are the longest that are no longer than `ticks`, the finest if all are longer.
  level(lane: number, ticks: number): Level {
    const levels = (this.lanes[lane] ??= this.build(lane));
    let found = levels[0];
    for (const level of levels) if (level.step <= ticks) found = level;
    return found;
  }

  private build(lane: number): Level[] {
    const levels = [this.finest(lane)];
    for (let last = levels[0]; last.busy.length > 64; levels.push(last)) last = this.halved(last);
    return levels;
  }

  private finest(lane: number): Level {
    const { launch, dim } = this;
    const { begin, end } = launch.lanes[lane];
    let steps = 64;
    while (steps < MOST && steps < end - begin) steps *= 2;
    const step = launch.last / steps;
    const busy = new Float32Array(steps);
    const most = new Float32Array(steps);
    const hue = new Uint8Array(steps).fill(dim);
    for (let place = begin; place < end; place++) {
      const at = launch.order[place];
      const [from, to] = [launch.start[at], launch.end[at]];
      const mine = this.hue(at);
      const last = Math.min(Math.floor(to / step), steps - 1);
      for (let cell = Math.min(Math.floor(from / step), steps - 1); cell <= last; cell++) {
        const part = Math.max(Math.min(to, (cell + 1) * step) - Math.max(from, cell * step), step * 1e-3);
        busy[cell] += part;
        const weight = mine === dim ? part : part + step * 2;
        if (weight > most[cell]) {
          most[cell] = weight;
          hue[cell] = mine;
        }
      }
    }
    return { step, busy, hue };
  }

  private halved({ step, busy, hue }: Level): Level {
    const half = busy.length / 2;
    const next = { step: step * 2, busy: new Float32Array(half), hue: new Uint8Array(half) };
    for (let at = 0; at < half; at++) {
      const [one, other] = [2 * at, 2 * at + 1];
      next.busy[at] = busy[one] + busy[other];
      const first = hue[one] === this.dim ? hue[other] === this.dim && busy[one] >= busy[other]
        : hue[other] === this.dim || busy[one] >= busy[other];
      next.hue[at] = first ? hue[one] : hue[other];
    }
    return next;
  }
}
