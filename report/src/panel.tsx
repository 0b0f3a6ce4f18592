// The timeline with its tools: overview, search, legend, tip, and what is selected.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { LABELS } from "./canvas";
import type { Finding } from "./data";
import type { Launch } from "./model";
import { theme } from "./palette";
import { type Store, useStore } from "./store";
import { Chosen } from "./chosen";
import { basename, percent, whole } from "./text";
import { type Spot, Timeline } from "./timeline";

export interface Tip {
  lines: string[];
  x: number;
  y: number;
}

export function TipBox({ tip }: { tip: Tip | null }) {
  if (!tip) return null;
  const left = tip.x > 560 ? { right: `calc(100% - ${tip.x - 12}px)` } : { left: `${tip.x + 14}px` };
  return (
    <div class="tip" style={{ ...left, top: `${tip.y + 16}px` }}>
      {tip.lines.map((line, at) => (at ? <div>{line}</div> : <b>{line}</b>))}
    </div>
  );
}

// How busy everything is over the whole time, with the part of it that is shown; drag it to go there.
function Overview({ launch, store }: { launch: Launch; store: Store }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { view, whole: all } = useStore(store, "view");
  const steps = useMemo(() => busy(launch), [launch]);
  const [, redraw] = useState(0);
  useEffect(() => {
    const again = () => redraw((count) => count + 1);
    window.addEventListener("themechange", again);
    window.addEventListener("resize", again);
    return () => {
      window.removeEventListener("themechange", again);
      window.removeEventListener("resize", again);
    };
  }, []);
  useEffect(() => {
    const target = canvas.current;
    const context = target?.getContext("2d");
    if (!target || !context) return;
    const [wide, high] = [(target.width = target.clientWidth), (target.height = target.clientHeight)];
    const colours = theme();
    context.fillStyle = colours.raised;
    context.fillRect(0, 0, wide, high);
    context.fillStyle = colours.muted;
    const end = (launch.us(launch.last) / all) * wide;
    const most = Math.max(...steps, 1e-9);
    for (let x = 0; x < end; x++) {
      const share = steps[Math.min(Math.floor((x / end) * steps.length), steps.length - 1)] / most;
      context.fillRect(x, high - share * high, 1, share * high);
    }
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.25;
    const [x0, x1] = [(view.from / all) * wide, Math.max((view.to / all) * wide, (view.from / all) * wide + 2)];
    context.fillRect(x0, 0, x1 - x0, high);
    context.globalAlpha = 1;
    context.fillRect(x0, 0, 2, high);
    context.fillRect(x1 - 2, 0, 2, high);
  });
  const go = (event: PointerEvent) => {
    if (!event.buttons || !canvas.current) return;
    const long = view.to - view.from;
    const middle = (event.offsetX / canvas.current.clientWidth) * all;
    const from = Math.min(Math.max(middle - long / 2, 0), all - long);
    store.set({ view: { from, to: from + long } });
  };
  return (
    <canvas ref={canvas} class="overview" style={{ marginLeft: `${LABELS}px`, width: `calc(100% - ${LABELS}px)` }}
      onPointerDown={go} onPointerMove={go} aria-hidden="true" />
  );
}

function busy(launch: Launch): Float64Array {
  const steps = new Float64Array(1024);
  const step = launch.last / steps.length;
  for (let at = 0; at < launch.count; at++) {
    if (!launch.lanes[launch.lane[at]].row) continue;
    const [from, to] = [launch.start[at] / step, launch.end[at] / step];
    const last = Math.min(Math.floor(to), steps.length - 1);
    for (let cell = Math.min(Math.floor(from), steps.length - 1); cell <= last; cell++)
      steps[cell] += Math.max(Math.min(to, cell + 1) - Math.max(from, cell), 0);
  }
  return steps;
}

function Legend({ launch, search }: { launch: Launch; search: (text: string) => void }) {
  const colours = theme();
  const names = new Map<number, string>();
  launch.facts.ops.forEach((op, at) => {
    const hue = launch.hue[at];
    if (hue < colours.hues.length - 1) names.set(hue, op.name);
  });
  return (
    <div class="legend">
      {[...names].sort(([one], [other]) => one - other).map(([hue, name]) => (
        <button onClick={() => search(name)} title={`search for ${name}`}>
          <i style={{ background: colours.hues[hue] }} />
          {name}
        </button>
      ))}
      <span>
        <i class="other" />
        others
      </span>
    </div>
  );
}

// Which source lines have findings.
function flags(launch: Launch, findings: Finding[]): Uint8Array {
  const places = new Set(findings.flatMap(({ location, related }) => [location, related].flatMap((one) => (one?.line ? [`${one.file}:${one.line}`] : []))));
  return Uint8Array.from(launch.facts.lines, ([file, line]) => +places.has(`${file}:${line}`));
}

interface Props {
  launch: Launch;
  store: Store;
  number: number;
  title: string;
  findings: Finding[];
}

export function TimelinePanel({ launch, store, number, title, findings }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [timeline, setTimeline] = useState<Timeline | null>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  const [total, setTotal] = useState(0);
  const [found, setFound] = useState(-1);
  const { search, line, path } = useStore(store, "search", "line", "path");
  useEffect(() => {
    if (!canvas.current) return;
    const made = new Timeline(canvas.current, store, launch, number, flags(launch, findings));
    made.onhover = (spot: Spot | null) => setTip(spot && { lines: made.tip(spot), x: spot.x, y: spot.y });
    made.onrows = () => {
      setTotal(made.total);
      if (box.current && Math.abs(box.current.scrollTop - made.scroll) > 1) box.current.scrollTop = made.scroll;
    };
    made.onrows();
    setTimeline(made);
    Object.assign(window, { mlusimTimeline: made });
    requestAnimationFrame(() => performance.mark("drawn"));
    const slash = (event: KeyboardEvent) => {
      if (event.key !== "/" || number || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
      event.preventDefault();
      field.current?.select();
    };
    document.addEventListener("keydown", slash);
    return () => {
      document.removeEventListener("keydown", slash);
      made.end();
    };
  }, [launch]);
  useEffect(() => {
    if (!timeline) return;
    setFound(search || line ? timeline.show(matcher(launch, search, line)) : (timeline.show(null), -1));
  }, [timeline, search, line]);
  const height = Math.min(Math.max(total + 26, 120), 460);
  return (
    <section aria-label={title} class="panel">
      <div class="bar">
        <h2>{title}</h2>
        <input ref={field} type="search" placeholder="instruction, file:line (press /)" aria-label="Search the timeline" value={search} class="search"
          onInput={(event) => store.set({ search: event.currentTarget.value, line: null })}
          onKeyDown={(event) => {
            if (event.key === "Enter") timeline?.found(event.shiftKey ? -1 : 1);
            if (event.key === "Escape") {
              store.set({ search: "", line: null });
              event.currentTarget.blur();
            }
          }} />
        {found >= 0 && (
          <span class="hits" role="status">
            {line && !search ? `${basename(line.file)}:${line.line}: ` : ""}
            {whole(found)} {found === 1 ? "record" : "records"}
            <button onClick={() => timeline?.found(-1)} aria-label="previous" title="previous (P)">‹</button>
            <button onClick={() => timeline?.found(1)} aria-label="next" title="next (N)">›</button>
            <button onClick={() => store.set({ search: "", line: null })} aria-label="clear" title="clear">×</button>
          </span>
        )}
        <span class="space" />
        <label>
          <input type="checkbox" checked={path} onChange={(event) => store.set({ path: event.currentTarget.checked })} /> critical path
        </label>
        <span class="buttons">
          <button onClick={() => store.zoom(0.6)} aria-label="zoom in" title="zoom in (W)">+</button>
          <button onClick={() => store.zoom(1 / 0.6)} aria-label="zoom out" title="zoom out (S)">−</button>
          <button onClick={() => store.set({ view: { from: 0, to: store.state.whole } })} title="the whole time (0)">all</button>
          <button onClick={() => timeline?.foldAll(!timeline.unfolded)} title="show or hide the pipes of all cores">pipes</button>
        </span>
      </div>
      <Overview launch={launch} store={store} />
      <div class="frame" style={{ height: `${height}px` }}>
        <div class="scroller" ref={box} style={{ height: `${height}px` }}
          onScroll={(event) => {
            if (!timeline) return;
            timeline.scroll = event.currentTarget.scrollTop;
            timeline.redraw();
          }}>
          <canvas ref={canvas} class="sheet" style={{ height: `${height}px` }} tabIndex={0} role="application"
            aria-label={`${title} of ${launch.lanes.length} pipes. Arrow keys go from record to record, W and S zoom, A and D pan, 0 shows all. The table of records below holds the same.`} />
          <div style={{ height: `${Math.max(total + 22 - height, 0)}px` }} />
        </div>
        <TipBox tip={tip} />
      </div>
      <Legend launch={launch} search={(text) => store.set({ search: text, line: null })} />
      <Chosen launch={launch} store={store} number={number} select={(record) => timeline?.select(record)} />
      {number === 0 && <p class="small hint">
        Drag to select a span, shift and drag to pan, Ctrl and wheel to zoom. W S zoom, A D pan, F fits the selection, 0 shows all,
        arrows go to neighbours, C to what was waited for, / searches, N P go on.{" "}
        {launch.facts.summary.pipes.length > 0 && `Idle: diagonal lines wait, crosses a barrier.${findings.length ? " A red edge: a finding is at its line." : ""} Busiest pipe: ${busiest(launch)}.`}
      </p>}
    </section>
  );
}

function busiest(launch: Launch): string {
  const [first] = [...launch.facts.summary.pipes].sort((one, other) => other.mean - one.mean);
  return `${first.pipe}, ${percent(first.mean)}`;
}

// What a search finds: parts of the names of instructions or of a place in the source.
function matcher(launch: Launch, search: string, line: { file: string; line: number } | null): (at: number) => boolean {
  const text = search.toLowerCase();
  const ops = launch.facts.ops.map((op) => !!text && `${op.name} ${op.dtypes}`.toLowerCase().includes(text));
  const locs = launch.facts.lines.map(([file, number]) =>
    line && !text ? file === line.file && number === line.line : !!text && number > 0 && `${basename(file)}:${number}`.toLowerCase().includes(text),
  );
  return (at) => ops[launch.op[at]] || locs[launch.loc[at]];
}
