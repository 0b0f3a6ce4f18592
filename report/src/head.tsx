// What one wants to know first: how long, what bounds it, how sure that is, what is wrong.
import type { Head } from "./data";
import type { Launch } from "./model";
import { brief, percent, short, time, whole } from "./text";

export function Meter({ label, share, text }: { label: string; share: number; text?: string }) {
  return (
    <div class="meter">
      <span>{label}</span>
      <div class="track" aria-hidden="true">
        <div class="fill" style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </div>
      <span class="figure">{text ?? percent(share)}</span>
    </div>
  );
}

function counted(head: Head): [string, string] {
  const of = (severity: string) => head.findings.filter((one) => one.severity === severity).length;
  const parts = (["error", "warning", "advice"] as const).flatMap((severity) => {
    const count = of(severity);
    if (!count) return [];
    return [severity === "advice" ? `${count} advice` : `${count} ${severity}${count > 1 ? "s" : ""}`];
  });
  if (!head.checked) return ["not checked", "This report is of a log or trace; mlusim check LOG looks for broken rules."];
  const kept = head.suppressed.length ? `${head.suppressed.length} suppressed` : "";
  if (parts.length) return [parts.join(", "), kept || "at their lines in the source"];
  return ["no findings", kept || "every rule was kept"];
}

function tasks(dim: number[]): string {
  const count = dim.reduce((one, other) => one * other, 1);
  const several = dim.filter((one) => one > 1).length > 1;
  return `${several ? `${dim.join(" x ")} = ` : ""}${whole(count)} ${count === 1 ? "task" : "tasks"}`;
}

export function launched({ facts }: Launch): string {
  const { dim, type } = facts.launch;
  return [
    facts.device,
    dim && `${type ? `${type} launch of ` : ""}${tasks(dim)}`,
    `${facts.summary.cores} ${facts.summary.cores === 1 ? "core" : "cores"}`,
    `${whole(facts.records)} records`,
  ].filter(Boolean).join(" · ");
}

const BUSY = 0.6; // of its time: a pipe that is busier is what bounds a run

// The pipe that is busy nearly always, or what all of them wait for.
function bound(launch: Launch): string {
  const { pipes, waits } = launch.facts.summary;
  const [busiest] = [...pipes].sort((one, other) => other.mean - one.mean);
  if (busiest && busiest.mean >= BUSY) return `the ${busiest.pipe} pipe`;
  const [worst] = waits;
  if (!worst) return "nothing";
  const reason = worst.reason === "wait" ? "waits" : worst.reason;
  return worst.instruction ? `${reason} before ${worst.instruction}` : reason;
}

export function Headline({ head, launch }: { head: Head; launch: Launch }) {
  const { summary, why } = launch.facts;
  const [found, more] = counted(head);
  const worst = head.findings.some((one) => one.severity === "error") ? "bad" : head.findings.length ? "doubtful" : "good";
  const best = why.efficiency;
  const ridge = best.peak_bytes ? best.peak_operations / best.peak_bytes : 0;
  const intensity = best.bytes ? best.operations / best.bytes : 0;
  return (
    <section aria-label="Summary">
      <p class="sub">{launched(launch)}</p>
      <div class="tiles">
        <div class="tile">
          <h2>Time</h2>
          <p class="big">{time(summary.total_us)}</p>
          {summary.interval && <p>between {brief(summary.interval.low)} and {brief(summary.interval.high)}</p>}
          <p>
            kernel {time(summary.kernel_us)}, launch {time(summary.total_us - summary.kernel_us)}
          </p>
        </div>
        <div class="tile">
          <h2>Bound by</h2>
          <p class="big">{bound(launch)}</p>
          <Meter label="peak bandwidth" share={best.io_efficiency} />
          <Meter label="peak compute" share={best.compute_efficiency} />
          <p class="small">
            roofline: {best.bound === "io" ? "memory" : "compute"}-bound, {short(intensity)} op/byte, ridge point {short(ridge)}
          </p>
        </div>
        <div class="tile">
          <h2>Pipes busy, mean of the cores</h2>
          {summary.pipes.map((pipe) => <Meter label={pipe.pipe} share={pipe.mean} />)}
        </div>
        <div class="tile">
          <h2>Rests on</h2>
          <Meter label="assumed rates" share={summary.assumed_share} />
          <Meter label="fitted rates" share={summary.fitted_share} />
          <Meter label="known rates" share={Math.max(1 - summary.assumed_share - summary.fitted_share, 0)} />
          {summary.not_modelled.length > 0 && <p class="small">not modelled: {summary.not_modelled.join(", ")}</p>}
        </div>
        <div class={`tile ${head.checked ? worst : ""}`}>
          <h2>Findings</h2>
          <p class="big">{found}</p>
          <p>{more}</p>
        </div>
      </div>
    </section>
  );
}
