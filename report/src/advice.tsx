// What would make it faster, each change with the time that the whole launch took when the log was timed with it.
import type { Launch } from "./model";
import { percent, place, time } from "./text";

export function Advised({ launch, pick }: { launch: Launch; pick: (file: string, line: number) => void }) {
  const advice = launch.facts.why?.advice ?? [];
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
            <span class="saves">up to {percent(one.gain)}</span>
            <span>
              {one.text}{" "}
              {one.line > 0 && (
                <button class="link" onClick={() => pick(one.file, one.line)}>
                  {place(one.file, one.line)}
                </button>
              )}
            </span>
            <span class="figure">{time(one.after_us)} at best</span>
          </li>
        ))}
      </ol>
      <p class="small">Each cause of waiting was taken away in turn and the log timed again; gains do not add up.</p>
    </section>
  );
}
