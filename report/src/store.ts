// What the parts of the page have in common: the span of time that is shown, and what is selected.
import { useEffect, useReducer } from "preact/hooks";

export interface Span {
  from: number;
  to: number;
}

// Times are in microseconds from the launch, so that two launches have one scale.
export interface State {
  view: Span;
  whole: number;
  launch: number; // that of `record` and `span`
  record: number; // -1: none
  span: Span | null;
  line: { file: string; line: number } | null; // a chosen source line: its records stand out
  search: string;
  path: boolean; // the critical path stands out
  memory: number;
}

type Listener = (changed: Partial<State>) => void;

export class Store {
  private readonly listeners = new Set<Listener>();

  constructor(public state: State) {}

  set(changed: Partial<State>): void {
    if (changed.view) changed.view = this.within(changed.view);
    this.state = { ...this.state, ...changed };
    this.listeners.forEach((listener) => listener(changed));
  }

  on(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // A span of the whole time that is not too short to draw.
  private within({ from, to }: Span): Span {
    const { whole } = this.state;
    const long = Math.min(Math.max(to - from, whole * 1e-7, 1e-4), whole);
    const begin = Math.min(Math.max(from, 0), whole - long);
    return { from: begin, to: begin + long };
  }

  // The view grows by a factor around a time.
  zoom(factor: number, around?: number): void {
    const { from, to } = this.state.view;
    const middle = around ?? (from + to) / 2;
    this.set({ view: { from: middle - (middle - from) * factor, to: middle + (to - middle) * factor } });
  }

  // The view moves by a share of itself.
  pan(share: number): void {
    const { from, to } = this.state.view;
    const by = Math.min(Math.max((to - from) * share, -from), this.state.whole - to);
    this.set({ view: { from: from + by, to: to + by } });
  }

  // Shows a span with some of what is around it, unless it can be seen well already.
  reveal({ from, to }: Span, always = false): void {
    const { view } = this.state;
    const long = view.to - view.from;
    if (!always && from >= view.from && to <= view.to && to - from > long / 400) return;
    const wide = Math.max((to - from) * 3, always ? (to - from) * 1.2 : Math.min(long, (to - from) * 40));
    const middle = (from + to) / 2;
    this.set({ view: { from: middle - wide / 2, to: middle + wide / 2 } });
  }
}

// The state, for a component that is drawn anew when one of these parts of it changes.
export function useStore(store: Store, ...parts: (keyof State)[]): State {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => store.on((changed) => parts.some((part) => part in changed) && redraw(0)), [store]);
  return store.state;
}
