// The sources with what each line costs, and findings at their lines.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Finding, Head } from "./data";
import { SIGNS } from "./findings";
import type { Launch } from "./model";
import { type Store, useStore } from "./store";
import { basename, brief, bytes, percent, place, time, whole } from "./text";

interface Cost {
  us: number;
  bytes: number;
  instructions: number;
  path: number;
}

const HEATS: [keyof Cost, string, (value: number) => string][] = [
  ["us", "time", brief],
  ["bytes", "bytes", bytes],
  ["instructions", "instr.", whole],
  ["path", "path", percent],
];
const LONG = 500; // lines: of longer sources only those around costs and findings are shown at first
const AROUND = 10;

const WORDS = new Set(
  ("alignas auto bool break case char class const constexpr continue default delete do double else enum extern false float for half if inline int " +
    "int8_t int16_t int32_t int64_t long namespace new nullptr operator private public return short signed sizeof static struct switch template " +
    "this true typedef typename uint8_t uint16_t uint32_t uint64_t union unsigned using void volatile while size_t bfloat16_t " +
    "def import from as in not and or None True False with lambda yield").split(" "),
);
const TOKENS = /(\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(#\s*\w+|\b__\w+__\b)|(\b\d[\w.]*\b)|(\b[A-Za-z_]\w*\b)/g;

function coloured(text: string): preact.ComponentChildren[] {
  const out: preact.ComponentChildren[] = [];
  let last = 0;
  for (const found of text.matchAll(TOKENS)) {
    const [word, quiet, mark, digits] = found;
    const kind = quiet ? "quiet" : mark ? "mark" : digits ? "digits" : WORDS.has(word) ? "word" : "";
    if (!kind) continue;
    out.push(text.slice(last, found.index), <span class={kind}>{word}</span>);
    last = found.index + word.length;
  }
  out.push(text.slice(last));
  return out;
}

interface Props {
  head: Head;
  launch: Launch;
  number: number;
  store: Store;
  pick: (file: string, line: number) => void;
}

export function SourcePanel({ head, launch, number, store, pick }: Props) {
  const { record, line, launch: of } = useStore(store, "record", "line", "launch");
  const costs = useMemo(() => costsOf(launch), [launch]);
  const ranked = useMemo(
    () => [...head.sources].sort((one, other) => (costs.files.get(other.path) ?? 0) - (costs.files.get(one.path) ?? 0)),
    [head, costs],
  );
  const first = head.findings.find((one) => one.location.line)?.location.file ?? ranked[0]?.path ?? "";
  const [file, setFile] = useState(first);
  const chosen = line ?? (record >= 0 && of === number ? launch.placeOf(launch.loc[record]) : null);
  useEffect(() => {
    if (chosen?.line && head.sources.some((one) => one.path === chosen.file)) setFile(chosen.file);
  }, [chosen?.file, chosen?.line]);
  const source = launch.sources.get(file);
  return (
    <section aria-label="Source" class="panel source">
      <div class="bar">
        <h2>Source</h2>
        <select value={file} onChange={(event) => setFile(event.currentTarget.value)} aria-label="File">
          {ranked.map((one) => (
            <option value={one.path} title={one.path}>
              {one.name} {costs.files.get(one.path) ? `(${time(costs.files.get(one.path) ?? 0)})` : ""}
            </option>
          ))}
        </select>
        <span class="path" title={file}><bdi>{file}</bdi></span>
      </div>
      {source && (
        <Listing key={file} file={file} lines={source.lines} note={source.note} costs={costs} findings={head.findings.filter((one) => one.location.file === file)}
          chosen={chosen?.file === file ? chosen.line : 0} pick={pick} />
      )}
    </section>
  );
}

interface Costs {
  files: Map<string, number>;
  lines: Map<string, Cost>;
  most: Cost;
}

function costsOf(launch: Launch): Costs {
  const files = new Map<string, number>();
  const lines = new Map<string, Cost>();
  const most = { us: 0, bytes: 0, instructions: 0, path: 0 };
  for (const one of launch.facts.why.lines) {
    files.set(one.file, (files.get(one.file) ?? 0) + one.us);
    lines.set(`${one.file}:${one.line}`, one);
    for (const [heat] of HEATS) most[heat] = Math.max(most[heat], one[heat]);
  }
  return { files, lines, most };
}

interface ListingProps {
  file: string;
  lines: string[];
  note: string;
  costs: Costs;
  findings: Finding[];
  chosen: number;
  pick: (file: string, line: number) => void;
}

function Listing({ file, lines, note, costs, findings, chosen, pick }: ListingProps) {
  const box = useRef<HTMLDivElement>(null);
  const [all, setAll] = useState(lines.length <= LONG);
  const known = useMemo(() => {
    const numbers = new Set<number>(findings.map((one) => one.location.line));
    for (const key of costs.lines.keys()) if (key.startsWith(`${file}:`)) numbers.add(+key.slice(file.length + 1));
    return numbers;
  }, [file, findings.length]);
  const shown = useMemo(() => {
    const wanted = new Set<number>();
    const count = lines.length || Math.max(0, ...known);
    if (all && lines.length) for (let at = 1; at <= count; at++) wanted.add(at);
    else
      for (const middle of [...known, chosen])
        for (let at = Math.max(middle - (lines.length ? AROUND : 0), 1); middle && at <= Math.min(middle + (lines.length ? AROUND : 0), count); at++)
          wanted.add(at);
    return [...wanted].sort((one, other) => one - other);
  }, [all, known, chosen]);
  useEffect(() => {
    const frame = box.current;
    const target = frame?.querySelector<HTMLElement>(chosen ? "tr.chosen" : "tr.hot");
    if (frame && target) frame.scrollTop = target.offsetTop - frame.clientHeight / 3;
  }, [chosen, file]);
  return (
    <>
      {note && <p class="note">{note}</p>}
      <div class="listing" ref={box} tabIndex={0} role="region" aria-label={`Lines of ${basename(file)}`}>
        <table>
          <thead>
            <tr>
              {HEATS.map(([, title]) => <th class="n">{title}</th>)}
              <th class="n">line</th>
              <th>
                source{" "}
                {lines.length > LONG && (
                  <button class="link" onClick={() => setAll(!all)}>{all ? "only what ran" : `all ${whole(lines.length)} lines`}</button>
                )}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.flatMap((number, at) => {
              const cost = costs.lines.get(`${file}:${number}`);
              const here = findings.filter((one) => one.location.line === number);
              const rows = at && shown[at - 1] !== number - 1 ? [<tr class="gap"><td colSpan={6}>⋮</td></tr>] : [];
              const state = `${chosen === number ? "chosen" : ""} ${cost ? "ran" : ""} ${cost && cost.us === costs.most.us ? "hot" : ""}`;
              rows.push(
                <tr class={state} onClick={() => cost && pick(file, number)}>
                  {HEATS.map(([heat, , text]) => (
                    <td class="n heat">
                      {cost && cost[heat] > 0 && (
                        <>
                          <i style={{ width: `${(cost[heat] / costs.most[heat]) * 100}%` }} />
                          <span>{text(cost[heat])}</span>
                        </>
                      )}
                    </td>
                  ))}
                  <td class="n number">
                    {cost ? <button class="link" aria-label={`show line ${number} in the timeline`}>{number}</button> : number}
                  </td>
                  <td class="code"><code>{coloured(lines[number - 1] ?? "")}</code></td>
                </tr>,
              );
              return rows.concat(here.map((one) => (
                <tr class={`remark ${one.severity}`}>
                  <td colSpan={6}><div>
                    <span class="sign" aria-hidden="true">{SIGNS[one.severity] ?? "●"}</span> <b>{one.severity}: {one.rule}</b> {one.message}
                    {one.related?.line ? ` (with ${place(one.related.file, one.related.line)})` : ""}
                    {one.suggestion && <div>fix: {one.suggestion}</div>}
                  </div></td>
                </tr>
              )));
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}
