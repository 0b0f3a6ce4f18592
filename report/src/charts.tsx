// Curves: bandwidth over time, the roofline; and how evenly the cores are busy.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { LABELS } from "./canvas";
import type { LaunchFacts } from "./data";
import type { Launch } from "./model";
import { theme } from "./palette";
import { type Store, useStore } from "./store";
import { Table } from "./tables";
import { brief, percent, short, time } from "./text";

// A plot that is as wide as its box; made anew when the theme changes.
function Plot({ options, data, height, range }: { options: () => Omit<uPlot.Options, "width" | "height">; data: uPlot.AlignedData; height: number; range?: [number, number] }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [made, again] = useState(0);
  useEffect(() => {
    const redo = () => again((count) => count + 1);
    window.addEventListener("themechange", redo);
    return () => window.removeEventListener("themechange", redo);
  }, []);
  useEffect(() => {
    const target = box.current;
    if (!target) return;
    const chart = new uPlot({ width: Math.max(target.clientWidth, 100), height, ...options() }, data, target);
    plot.current = chart;
    const size = new ResizeObserver(() => chart.setSize({ width: Math.max(target.clientWidth, 100), height }));
    size.observe(target);
    return () => {
      size.disconnect();
      chart.destroy();
    };
  }, [data, made]);
  useEffect(() => {
    if (range) plot.current?.setScale("x", { min: range[0], max: range[1] });
  }, [range?.[0], range?.[1], made, data]);
  return <div ref={box} class="plot" />;
}

function axis(more: Partial<uPlot.Axis>): uPlot.Axis {
  const colours = theme();
  return {
    stroke: colours.muted, grid: { stroke: colours.line, width: 1 }, ticks: { stroke: colours.line, width: 1 },
    font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", ...more,
  };
}

const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

export function Bandwidth({ launch, store }: { launch: Launch; store: Store }) {
  const { bandwidth } = launch.facts;
  const [chosen, choose] = useState(0);
  const { view } = useStore(store, "view");
  const curve = bandwidth[chosen];
  const data = useMemo(() => (curve ? steps(launch, curve) : null), [launch, chosen]);
  if (!curve || !data) return null;
  const units = Object.keys(curve.units);
  const sum = Object.values(curve.units).reduce((total, values) => total + values.reduce((one, other) => one + other, 0), 0);
  const mean = sum / (data[0].length / 2) / units.length;
  return (
    <section aria-label="Bandwidth" class="panel">
      <div class="bar">
        <h2>Bandwidth</h2>
        <select value={chosen} aria-label="Channel" onChange={(event) => choose(+event.currentTarget.value)}>
          {bandwidth.map((one, at) => <option value={at}>{one.channel.replaceAll("_", " ")}</option>)}
        </select>
        <span>
          peak {curve.peak.toFixed(1)} GB/s{curve.scope === "cluster" ? " each cluster" : ""}, mean use {percent(mean / curve.peak)}
        </span>
      </div>
      <Plot height={150} data={data} range={[view.from, view.to]}
        options={() => ({
          legend: { show: false },
          cursor: { drag: { x: false, y: false } },
          padding: [8, 0, 0, 0],
          scales: { x: { time: false, auto: false, range: (_, min, max) => [min, max] }, y: { range: () => [0, curve.peak * 1.05] } },
          axes: [axis({ values: (_, ticks) => ticks.map((us) => brief(us)), size: 26 }), axis({ size: LABELS, values: (_, ticks) => ticks.map((one) => `${one} GB/s`) })],
          series: [{}, ...units.map((unit, at) => {
            const colour = theme().hues[at % 7];
            return { label: unit, stroke: colour, fill: units.length === 1 ? `${colour}55` : undefined, width: 1.5, dash: DASHES[Math.floor(at / 7) % 4], points: { show: false } };
          })],
        })} />
      <details>
        <summary>Bandwidth as a table</summary>
        <Table heads={["*from", ...units.map((unit) => `*${curve.scope} ${unit}, GB/s`)]} rows={coarse(launch, curve)} />
      </details>
    </section>
  );
}

type Curve = LaunchFacts["bandwidth"][number];

// Steps: two points for each, where it begins and where it ends.
function steps(launch: Launch, curve: Curve): uPlot.AlignedData {
  const all = Object.values(curve.units);
  const count = all[0].length;
  const step = launch.us(launch.last) / count;
  const double = <T,>(make: (at: number, side: number) => T) => Array.from({ length: 2 * count }, (_, at) => make(at >> 1, at & 1));
  return [double((at, side) => (at + side) * step), ...all.map((values) => double((at) => values[at]))];
}

function coarse(launch: Launch, curve: Curve): string[][] {
  const all = Object.values(curve.units);
  const each = all[0].length / 32;
  return Array.from({ length: 32 }, (_, at) => [
    time((launch.us(launch.last) * at) / 32),
    ...all.map((values) => (values.slice(at * each, (at + 1) * each).reduce((sum, value) => sum + value, 0) / each).toFixed(1)),
  ]);
}

export function Roofline({ launch }: { launch: Launch }) {
  const best = launch.facts.why.efficiency;
  const data = useMemo(() => (best ? roof(launch) : null), [launch]);
  if (!best || !data) return null;
  const intensity = best.operations / best.bytes;
  const reached = (best.operations / launch.facts.summary.total_us) * 1e6;
  const limit = Math.min(best.peak_operations, intensity * best.peak_bytes);
  const colours = theme();
  return (
    <section aria-label="Roofline">
      <h2>Roofline</h2>
      <p>
        {short(reached)}op/s at {short(intensity)} op/byte: {percent(reached / limit)} of the {short(limit)}op/s that the roof allows there.
      </p>
      <Plot height={230} data={data}
        options={() => ({
          legend: { show: false },
          cursor: { show: false },
          scales: { x: { time: false, distr: 3, auto: true }, y: { distr: 3, auto: true } },
          axes: [
            axis({ label: "operations a byte", labelSize: 18, size: 34, values: (_, ticks) => ticks.map((one) => (one === null ? "" : short(one))) }),
            axis({ label: "operations a second", labelSize: 20, size: 56, values: (_, ticks) => ticks.map((one) => (one === null ? "" : short(one))) }),
          ],
          series: [
            {},
            { stroke: colours.hues[0], width: 2, spanGaps: true, points: { show: false } },
            { stroke: colours.hues[5], paths: () => null, points: { show: true, size: 11, fill: colours.hues[5] } },
          ],
        })} />
    </section>
  );
}

function roof(launch: Launch): uPlot.AlignedData | null {
  const best = launch.facts.why.efficiency;
  if (!best || !best.operations || !best.bytes || !best.peak_bytes || !best.peak_operations) return null;
  const ridge = best.peak_operations / best.peak_bytes;
  const here = best.operations / best.bytes;
  const [low, high] = [Math.min(here, ridge) / 8, Math.max(here, ridge) * 8];
  const x = [low, here, ridge, high].sort((one, other) => one - other);
  const reached = (best.operations / launch.facts.summary.total_us) * 1e6;
  return [x, x.map((at) => Math.min(at * best.peak_bytes, best.peak_operations)), x.map((at) => (at === here ? reached : null))];
}

export function Balance({ launch }: { launch: Launch }) {
  const { cores, end, busy } = launch.facts.balance;
  if (cores.length < 2) return null;
  const last = Math.max(...end);
  const mean = end.reduce((sum, one) => sum + one, 0) / end.length;
  const colours = theme();
  const pipes = launch.facts.rows.slice(1);
  return (
    <section aria-label="Balance of the cores">
      <h2>Balance of the cores</h2>
      <p>
        The last core ends at {time(last)}, the mean is {time(mean)}: {(last / mean).toFixed(2)} times.
      </p>
      <div class="legend">
        {pipes.map((pipe, at) => (
          <span>
            <i style={{ background: colours.hues[at % 7] }} /> {pipe} busy
          </span>
        ))}
        <span>
          <i class="mark" /> end of the core
        </span>
      </div>
      <div class="bars" aria-hidden="true">
        {cores.map((core, at) => (
          <div class="core" title={`${launch.coreName(core)}: ends at ${time(end[at])}`}>
            <span>{launch.coreName(core)}</span>
            <div class="track">
              {pipes.map((_, pipe) => (
                <div class="thin" style={{ width: `${(busy[pipe][at] / last) * 100}%`, background: colours.hues[pipe % 7] }} />
              ))}
              <div class="end" style={{ left: `${(end[at] / last) * 100}%` }} />
            </div>
          </div>
        ))}
      </div>
    </section>
  );
}
