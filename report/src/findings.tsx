// What is wrong, each with its line.
import type { Finding, Head } from "./data";
import { place } from "./text";

export const SIGNS: Record<string, string> = { error: "✖", warning: "▲", advice: "●" };

export function Findings({ head, pick }: { head: Head; pick: (file: string, line: number) => void }) {
  const all: Finding[] = [...head.findings, ...head.suppressed];
  if (!all.length) return null;
  return (
    <section aria-label="Findings">
      <h2>Findings</h2>
      <ul class="findings">
        {all.map((one) => (
          <li class={one.reason ? "suppressed" : one.severity}>
            <details open={all.length < 4}>
              <summary>
                <span class="sign" aria-hidden="true">{SIGNS[one.severity] ?? "●"}</span>
                <b>
                  {one.reason ? "suppressed" : one.severity}: {one.rule}
                </b>{" "}
                {one.message}{" "}
                {one.location.line > 0 && (
                  <button class="link" onClick={() => pick(one.location.file, one.location.line)}>
                    {place(one.location.file, one.location.line)}
                  </button>
                )}
              </summary>
              <pre>{one.text}</pre>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
