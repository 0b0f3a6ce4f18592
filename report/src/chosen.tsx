// What is selected: a record with all that is known of it, or a span of time with its statistics.
import type { Launch } from "./model";
import { type Span, type Store, useStore } from "./store";
import { percent, place, time, whole } from "./text";

interface Props {
  launch: Launch;
  store: Store;
  number: number;
  select: (record: number) => void;
}

export function Chosen({ launch, store, number, select }: Props) {
  const { record, span, launch: of } = useStore(store, "record", "span", "launch");
  if (of !== number || (record < 0 && !span)) return null;
  return (
    <div class="chosen" role="region" aria-label="Selection" aria-live="polite">
      {span ? <Statistics launch={launch} span={span} /> : <Details launch={launch} record={record} store={store} select={select} />}
    </div>
  );
}

function Details({ launch, record, store, select }: Omit<Props, "number"> & { record: number }) {
  const op = launch.opOf(record);
  const { file, line } = launch.placeOf(launch.loc[record]);
  const cause = launch.cause(record);
  const idle = launch.us(launch.idle(record));
  const long = launch.us(launch.end[record] - launch.start[record]);
  const slowed = launch.us(launch.slowed[record]);
  const facts: [string, preact.ComponentChildren][] = [
    ["where", `${launch.laneName(launch.lane[record])}, task ${launch.task[record]}`],
    ["time", `${time(long)}, from ${time(launch.us(launch.start[record]))} to ${time(launch.us(launch.end[record]))}`],
    ["line", line ? (
      <>
        <button class="link" onClick={() => store.set({ line: { file, line } })}>{place(file, line)}</button>{" "}
        <code>{launch.sourceLine(launch.loc[record]).trim()}</code>
      </>
    ) : "no source line"],
    ...launch.regions(record).map((one) => [one.written ? `writes ${one.name}` : `reads ${one.name}`, <code>{one.text}</code>] as [string, preact.ComponentChildren]),
    ["work", whole(launch.work[record])],
    ["reason", (
      <>
        {launch.reason(record)}
        {idle > 0 && `; its pipe was idle for ${time(idle)}`}{" "}
        {cause >= 0 && <button class="link" onClick={() => select(cause)}>go there (C)</button>}
      </>
    )],
  ];
  if (slowed) facts.push(["slowed", `${time(slowed)} longer because others used its channel`]);
  if (launch.several[record]) facts.push(["several", `stands for ${whole(launch.several[record] + 1)} short records`]);
  if (launch.path[record]) facts.push(["critical path", "yes"]);
  return (
    <>
      <h3>
        {op.name} {op.dtypes && <small>{op.dtypes}</small>}
      </h3>
      <dl>
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </>
  );
}

function Statistics({ launch, span }: { launch: Launch; span: Span }) {
  const [from, to] = [span.from / launch.tick, span.to / launch.tick];
  const ops = new Map<string, { count: number; busy: number }>();
  const idle = new Map<string, { count: number; busy: number }>();
  const add = (to: Map<string, { count: number; busy: number }>, name: string, ticks: number, count: number) => {
    const sum = to.get(name) ?? { count: 0, busy: 0 };
    to.set(name, { count: sum.count + count, busy: sum.busy + ticks });
  };
  for (const lane of launch.lanes) {
    let free = from;
    for (let where = launch.from(lane, from); where < lane.end; where++) {
      const at = launch.order[where];
      const start = Math.max(launch.start[at], from);
      if (lane.row > 0 && start > free) add(idle, launch.reason(at), Math.min(start, to) - free, 1);
      if (launch.start[at] >= to) break;
      free = Math.max(free, launch.end[at]);
      add(ops, launch.opOf(at).name, Math.max(Math.min(launch.end[at], to) - start, 0), 1 + launch.several[at]);
    }
  }
  const pipes = launch.lanes.filter((lane) => lane.row > 0).length;
  const all = (to - from) * Math.max(pipes, 1);
  const table = (title: string, found: Map<string, { count: number; busy: number }>) => (
    <table>
      <thead>
        <tr>
          <th>{title}</th>
          <th class="n">time</th>
          <th class="n">of all pipes</th>
          <th class="n">count</th>
        </tr>
      </thead>
      <tbody>
        {[...found].sort((one, other) => other[1].busy - one[1].busy).slice(0, 12).map(([name, { count, busy }]) => (
          <tr>
            <td>{name}</td>
            <td class="n">{time(launch.us(busy))}</td>
            <td class="n">{percent(busy / all)}</td>
            <td class="n">{whole(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  return (
    <>
      <h3>
        {time(span.to - span.from)} <small>from {time(span.from)} to {time(span.to)}</small>
      </h3>
      <div class="columns">
        {table("instruction", ops)}
        {table("idle", idle)}
      </div>
    </>
  );
}
