// What would make it faster, each change with the time of the launch when the log was changed so and replayed.
import type { Launch } from "./model";
import { percent, place, time } from "./text";

export function Advised({ launch, pick }: { launch: Launch; pick: (file: string, line: number) => void }) {
  const advice = launch.facts.why.advice;
  if (!advice.length) return null;
  return (
    <section aria-label="Advice">
      <h2>What would make it faster</h2>
      <ol class="advice">
        {advice.map((one) => (
          <li>
            <div class="gain" aria-hidden="true">
              <div class="fill" style={{ width: `${Math.min(one.gain, 1) * 100}%` }} />
            </div>
            <span class="saves">about {percent(one.gain)}</span>
            <span class="said">
              {one.text}{" "}
              {one.line > 0 && (
                <button class="link" onClick={() => pick(one.file, one.line)}>
                  {place(one.file, one.line)}
                </button>
              )}
            </span>
            <span class="figure">
              about {time(one.after_us)}{one.least_us > 0 && `, at best ${time(one.least_us)}`}
            </span>
          </li>
        ))}
      </ol>
      <p class="small">Each time is that of the log, changed so and replayed; gains do not add up.</p>
    </section>
  );
}
