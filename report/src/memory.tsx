// The memories on the chip: which variable lies where, and when its bytes are live.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Contents, MemoryMap } from "./map";
import type { Launch } from "./model";
import { type Tip, TipBox } from "./panel";
import { type Store, useStore } from "./store";
import { Paged } from "./tables";
import { bytes, place, time } from "./text";

export function MemoryPanel({ launch, store, pick }: { launch: Launch; store: Store; pick: (file: string, line: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { memory } = useStore(store, "memory");
  const { memories } = launch.facts;
  const contents = useMemo(() => new Contents(launch, memory), [launch, memory]);
  const budget = memories[memory]?.budget ?? 0;
  const [budgeted, setBudgeted] = useState(() => contents.top > budget / 4);
  const [map, setMap] = useState<MemoryMap | null>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  useEffect(() => {
    if (!canvas.current) return;
    const made = new MemoryMap(canvas.current, store, launch, contents, budget);
    made.onhover = (lines, x, y) => setTip(lines && { lines, x, y });
    made.onpick = (loc) => {
      const { file, line } = launch.placeOf(loc);
      if (line) pick(file, line);
    };
    setMap(made);
    return () => made.end();
  }, [launch]);
  useEffect(() => map?.show(contents, budget, budgeted), [map, contents, budgeted]);
  if (!memories.length || !launch.live) return null;
  const { live } = launch;
  const name = `${memories[memory].space.toUpperCase()}[${memories[memory].owner}]`;
  const share = budget ? contents.declared / budget : 0;
  return (
    <section aria-label="Memory map" class="panel">
      <div class="bar">
        <h2>Memory on the chip</h2>
        <select value={memory} aria-label="Memory" onChange={(event) => store.set({ memory: +event.currentTarget.value })}>
          {memories.map((one, at) => (
            <option value={at}>{`${one.space.toUpperCase()} of ${one.scope} ${one.owner}`}</option>
          ))}
        </select>
        <span class={share > 1 ? "over" : ""}>
          {bytes(contents.declared)} in variables of {bytes(budget)}, {bytes(contents.peak)} live at once
        </span>
        <span class="space" />
        <label>
          <input type="checkbox" checked={budgeted} onChange={(event) => setBudgeted(event.currentTarget.checked)} /> up to the budget
        </label>
      </div>
      <div class="frame">
        <canvas ref={canvas} class="map" tabIndex={0} role="img" aria-label={`Memory map of ${name}; the table below holds the same`} />
        <TipBox tip={tip} />
      </div>
      <details>
        <summary>Variables and live ranges of {name} as a table</summary>
        <Paged heads={["variable", "*from byte", "*bytes", "*from", "*to", "line"]} count={contents.variables.length}
          row={(at) => {
            const one = contents.variables[at];
            const { file, line } = launch.placeOf(one.line);
            return [one.name, `0x${one.offset.toString(16)}`, bytes(one.bytes), time(launch.us(one.begin)), time(launch.us(one.end)), place(file, line)];
          }} />
        <Paged heads={["written first by", "*from byte", "*bytes", "*live from", "*to", "line"]} count={contents.lives.length}
          row={(number) => {
            const at = contents.lives[number];
            const { file, line } = launch.placeOf(live.line[at]);
            return [
              launch.facts.ops[live.op[at]].name, `0x${live.offset[at].toString(16)}`, bytes(live.bytes[at]),
              time(launch.us(live.begin[at])), time(launch.us(live.end[at])), place(file, line),
            ];
          }} />
      </details>
    </section>
  );
}
