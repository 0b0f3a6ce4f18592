// Everything that is drawn, as tables.
import { useMemo, useState } from "preact/hooks";
import type { Launch } from "./model";
import { type Store, useStore } from "./store";
import { bytes, percent, place, time, whole } from "./text";

const PAGE = 50;
type Cell = preact.ComponentChildren;

// Heads that begin with * are of columns of figures.
export function Table({ heads, rows }: { heads: string[]; rows: Cell[][] }) {
  const figure = heads.map((head) => (head.startsWith("*") ? "n" : ""));
  return (
    <table>
      <thead>
        <tr>{heads.map((head, at) => <th class={figure[at]}>{head.replace("*", "")}</th>)}</tr>
      </thead>
      <tbody>
        {rows.map((row) => <tr>{row.map((cell, at) => <td class={figure[at]}>{cell}</td>)}</tr>)}
      </tbody>
    </table>
  );
}

// A long table in pages; rows are made when they are shown.
export function Paged({ heads, count, row }: { heads: string[]; count: number; row: (at: number) => Cell[] }) {
  const [wanted, setPage] = useState(0);
  const pages = Math.max(Math.ceil(count / PAGE), 1);
  const page = Math.min(wanted, pages - 1);
  if (!count) return null;
  const rows = Array.from({ length: Math.min(PAGE, count - page * PAGE) }, (_, at) => row(page * PAGE + at));
  return (
    <div class="paged">
      <Table heads={heads} rows={rows} />
      {pages > 1 && (
        <p>
          <button disabled={!page} onClick={() => setPage(page - 1)}>‹ previous</button> {whole(page * PAGE + 1)} to{" "}
          {whole(Math.min((page + 1) * PAGE, count))} of {whole(count)}{" "}
          <button disabled={page === pages - 1} onClick={() => setPage(page + 1)}>next ›</button>
        </p>
      )}
    </div>
  );
}

export function TextTable({ title, heads, rows, open }: { title: string; heads: string[]; rows: string[][]; open?: boolean }) {
  return (
    <section aria-label={title}>
      <details open={open}>
        <summary><h2>{title}</h2></summary>
        <Table heads={heads} rows={rows} />
      </details>
    </section>
  );
}

export function Tables({ launch, store, number, title }: { launch: Launch; store: Store; number: number; title: string }) {
  const { summary, why, balance } = launch.facts;
  return (
    <section aria-label={`Tables${title}`}>
      <h2>Tables{title}</h2>
      <details>
        <summary>Pipes, and what they were idle for</summary>
        <div class="columns">
          <Table heads={["pipe", "*busy", "*mean use", "*max use", "*records"]}
            rows={summary.pipes.map((one) => [one.pipe, time(one.busy_us), percent(one.mean), percent(one.max), whole(one.records)])} />
          <Table heads={["idle for", "instruction", "at", "*time", "*times"]}
            rows={summary.waits.slice(0, 40).map((one) => [one.reason, one.instruction, one.instruction && place(one.file, one.line), time(one.us), whole(one.records)])} />
        </div>
      </details>
      <details>
        <summary>Lines and the critical path</summary>
        <div class="columns">
          <Table heads={["line", "*time", "*bytes", "*instructions", "*of the path"]}
            rows={why.lines.slice(0, 60).map((one) => [place(one.file, one.line), time(one.us), bytes(one.bytes), whole(one.instructions), percent(one.path)])} />
          <Table heads={["critical path", "*time", "*share"]}
            rows={why.path.slice(0, 40).map(([name, us]) => [name, time(us), percent(summary.kernel_us ? us / summary.kernel_us : 0)])} />
        </div>
      </details>
      <details>
        <summary>Memory traffic and cores</summary>
        <div class="columns">
          <Table heads={["memory", "*read", "*written"]} rows={summary.traffic.map((one) => [one.space.toUpperCase(), bytes(one.read), bytes(one.written)])} />
          <Table heads={["core", "*ends at", ...launch.facts.rows.slice(1).map((pipe) => `*${pipe} busy`)]}
            rows={balance.cores.map((core, at) => [launch.coreName(core), time(balance.end[at]), ...balance.busy.map((busy) => time(busy[at]))])} />
        </div>
      </details>
      <Records launch={launch} store={store} number={number} />
    </section>
  );
}

function Records({ launch, store, number }: { launch: Launch; store: Store; number: number }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Records of the time that is shown, lane by lane</summary>
      {open && <Visible launch={launch} store={store} number={number} />}
    </details>
  );
}

function Visible({ launch, store, number }: { launch: Launch; store: Store; number: number }) {
  const { view } = useStore(store, "view");
  const parts = useMemo(
    () => launch.lanes.map((lane) => [launch.from(lane, view.from / launch.tick), launch.until(lane, view.to / launch.tick)]),
    [view],
  );
  const count = parts.reduce((sum, [from, to]) => sum + Math.max(to - from, 0), 0);
  const find = (at: number) => {
    for (const [from, to] of parts) {
      const here = Math.max(to - from, 0);
      if (at < here) return launch.order[from + at];
      at -= here;
    }
    return 0;
  };
  return (
    <Paged heads={["instruction", "pipe", "*start", "*time", "operands", "line", "reason"]} count={count}
      row={(at) => {
        const record = find(at);
        const { file, line } = launch.placeOf(launch.loc[record]);
        return [
          <button class="link" onClick={() => store.set({ record, launch: number, span: null })}>{launch.opOf(record).name}</button>,
          launch.laneName(launch.lane[record]), time(launch.us(launch.start[record])),
          time(launch.us(launch.end[record] - launch.start[record])), launch.operandsText(record), place(file, line), launch.reason(record),
        ];
      }} />
  );
}
