// Two launches side by side: what takes longer in the second one.
import type { Change, Head } from "./data";
import { launched } from "./head";
import type { Launch } from "./model";
import { basename, percent, time, whole } from "./text";

export function Compared({ head, launches, pick }: { head: Head; launches: Launch[]; pick: (file: string, line: number) => void }) {
  const { compare } = head;
  if (!compare) return null;
  const change = compare.before_us ? compare.after_us / compare.before_us - 1 : 0;
  const all: [string, Change[]][] = [["Pipes busy", compare.pipes], ["Lines", compare.lines], ["Idle for", compare.waits]];
  return (
    <section aria-label="Difference">
      <div class="tiles">
        {launches.map((launch, at) => (
          <div class="tile">
            <h2>{at ? "After" : "Before"}</h2>
            <p class="big">{time(launch.facts.summary.total_us)}</p>
            <p class="small">{launch.facts.name}</p>
            <p class="small">{launched(launch)}</p>
          </div>
        ))}
        <div class={`tile ${change < 0 ? "good" : change > 0 ? "doubtful" : ""}`}>
          <h2>Change</h2>
          <p class="big">{`${change > 0 ? "+" : ""}${percent(change)}`}</p>
          <p>{change ? `${time(Math.abs(compare.after_us - compare.before_us))} ${change < 0 ? "faster" : "slower"}` : "the same time"}</p>
          {compare.interval && <p class="small">between {time(compare.interval.low)} and {time(compare.interval.high)}</p>}
        </div>
      </div>
      {all.some(([, changes]) => changes.length > 0) && <div class="columns boxed">
        {all.filter(([, changes]) => changes.length).map(([title, changes]) => (
          <table>
            <thead>
              <tr>
                <th>{title}</th>
                <th class="n">before</th>
                <th class="n">after</th>
                <th class="n">change</th>
                <th class="n">times</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((one) => (
                <tr>
                  <td>{title === "Lines" ? <Line name={one.name} launches={launches} pick={pick} /> : one.name}</td>
                  <td class="n">{time(one.before_us)}</td>
                  <td class="n">{time(one.after_us)}</td>
                  <td class="n">{`${one.after_us > one.before_us ? "+" : ""}${time(one.after_us - one.before_us)}`}</td>
                  <td class="n">{one.before === one.after ? whole(one.before) : `${whole(one.before)} → ${whole(one.after)}`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>}
    </section>
  );
}

function Line({ name, launches, pick }: { name: string; launches: Launch[]; pick: (file: string, line: number) => void }) {
  // k.mlu:9, k.mlu:9 -> 12, k.mlu:9 -> new.mlu:12, k.mlu:9 (before)
  const found = /^(.*?):(\d+)(?: -> (?:(.*):)?(\d+))?/.exec(name);
  const [wanted, number] = found ? [found[3] ?? found[1], +(found[4] ?? found[2])] : ["", 0];
  for (const launch of [...launches].reverse())
    for (const [file, line] of launch.facts.lines)
      if (line && line === number && basename(file) === wanted)
        return <button class="link" onClick={() => pick(file, line)}>{name.replace("->", "→")}</button>;
  return <>{name}</>;
}
