// The page from top to bottom.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Advised } from "./advice";
import { Bandwidth, Balance, Roofline } from "./charts";
import { Compared } from "./compare";
import type { Report } from "./data";
import { Findings } from "./findings";
import { Headline } from "./head";
import { MemoryPanel } from "./memory";
import { Launch, coloured, sourcesOf } from "./model";
import { TimelinePanel } from "./panel";
import { SourcePanel } from "./source";
import { Store } from "./store";
import { Tables, TextTable } from "./tables";
import { time } from "./text";

type Themes = "auto" | "light" | "dark";

function useTheme(): [Themes, (theme: Themes) => void] {
  const [theme, set] = useState<Themes>("auto");
  useEffect(() => {
    const tell = () => window.dispatchEvent(new Event("themechange"));
    const printing = (now: boolean) => () => {
      document.documentElement.dataset.theme = now ? "light" : theme;
      tell();
    };
    const [before, after] = [printing(true), printing(false)];
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    after();
    scheme.addEventListener("change", tell);
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      scheme.removeEventListener("change", tell);
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, [theme]);
  return [theme, set];
}

function useLaunches(report: Report, wanted: number[]): Launch[] {
  const [launches, set] = useState<Record<number, Launch>>({});
  useEffect(() => {
    const missing = wanted.filter((one) => !launches[one]);
    Promise.all(missing.map((one) => report.columns(one))).then((columns) => {
      const sources = sourcesOf(report.head);
      const made = coloured(missing.map((number, at) => new Launch(report.head.launches[number], columns[at], sources)));
      set((known) => ({ ...known, ...Object.fromEntries(missing.map((number, at) => [number, made[at]])) }));
    });
  }, [wanted.join()]);
  const found = wanted.map((number) => launches[number]);
  return found.every(Boolean) ? found : [];
}

export function App({ report }: { report: Report }) {
  const { head } = report;
  const [theme, setTheme] = useTheme();
  const [chosen, choose] = useState(0);
  const wanted = head.compare ? [0, 1] : head.launches.length ? [chosen] : [];
  const launches = useLaunches(report, wanted);
  return (
    <>
      <header class="top">
        <h1>{head.title}</h1>
        <div class="tools">
          {head.launches.length > 1 && !head.compare && (
            <label>
              Launch{" "}
              <select value={chosen} onChange={(event) => choose(+event.currentTarget.value)}>
                {head.launches.map((one, at) => (
                  <option value={at}>{`${at + 1}. ${one.name}, ${time(one.summary.total_us)}`}</option>
                ))}
              </select>
            </label>
          )}
          <label>
            Theme{" "}
            <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Themes)}>
              <option value="auto">as the system</option>
              <option value="light">light</option>
              <option value="dark">dark</option>
            </select>
          </label>
        </div>
      </header>
      <main>
        {launches.length > 0 ? (
          <Shown key={chosen} report={report} launches={launches} />
        ) : head.launches.length > 0 ? (
          <p role="status">Reading the records</p>
        ) : (
          <>
            <Findings head={head} pick={() => {}} />
            {head.tables.map(([title, heads, rows]) => <TextTable title={title} heads={heads} rows={rows} open />)}
          </>
        )}
      </main>
    </>
  );
}

function Shown({ report: { head }, launches }: { report: Report; launches: Launch[] }) {
  const [launch] = launches;
  const whole = Math.max(...launches.map((one) => one.us(one.last)));
  const store = useMemo(
    () =>
      new Store({
        view: { from: 0, to: whole }, whole, launch: 0, record: -1, span: null, line: null, search: "", path: false,
        memory: 0,
      }),
    [launches],
  );
  // For tests of the page, and for whoever looks at it with the tools of a browser.
  useEffect(() => void Object.assign(window, { mlusim: { store, launches } }), [store]);
  const pick = (file: string, line: number) => store.set({ line: { file, line }, record: -1, span: null });
  return (
    <>
      {head.compare ? <Compared head={head} launches={launches} pick={pick} /> : <Headline head={head} launch={launch} />}
      {launch.facts.left_out.length > 0 && (
        <p class="note" role="note">
          Left out: {launch.facts.left_out.join("; ")}.
        </p>
      )}
      {head.tables.map(([title, heads, rows]) => <TextTable title={title} heads={heads} rows={rows} open />)}
      <div class="pair">
        <Findings head={head} pick={pick} />
        <Advised launch={launches[launches.length - 1]} pick={pick} />
      </div>
      <div class="desk">
        <div class="times">
          {launches.map((one, at) => (
            <TimelinePanel launch={one} store={store} number={at} findings={head.findings} title={launches.length > 1 ? `${at ? "After" : "Before"}: ${one.facts.name}` : "Timeline"} />
          ))}
          {launches.length === 1 && <MemoryPanel launch={launch} store={store} pick={pick} />}
          {launches.length === 1 && <Bandwidth launch={launch} store={store} />}
        </div>
        <SourcePanel head={head} launch={launches[launches.length - 1]} number={launches.length - 1} store={store} pick={pick} />
      </div>
      {launches.length === 1 && (
        <div class="pair">
          <Roofline launch={launch} />
          <Balance launch={launch} />
        </div>
      )}
      {launches.map((one, at) => <Tables launch={one} store={store} number={at} title={launches.length > 1 ? ` of ${one.facts.name}` : ""} />)}
    </>
  );
}
