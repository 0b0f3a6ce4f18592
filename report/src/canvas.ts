// What the timeline and the memory map have in common: a canvas as wide as its box, drawn when something changed, with
// the time from left to right.
import { type Theme, theme } from "./palette";
import type { Store } from "./store";
import { time } from "./text";

export const LABELS = innerWidth < 600 ? 96 : 168; // pixels to the left of the time
export const RULER = 22;
export const FONT = "12px system-ui, sans-serif";

export abstract class TimeCanvas {
  protected readonly context: CanvasRenderingContext2D;
  protected width = 0;
  protected height = 0;
  protected colours: Theme = theme();
  private waiting = false;
  private readonly ends: (() => void)[] = [];

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly store: Store,
    protected readonly whole: number,
  ) {
    this.context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    const size = new ResizeObserver(() => this.resize());
    size.observe(canvas);
    this.ends.push(() => size.disconnect());
    this.listen(window, "themechange", () => {
      this.colours = theme();
      this.themed();
      this.redraw();
    });
    this.ends.push(store.on(() => this.redraw()));
    this.listen(canvas, "wheel", (event) => this.wheel(event as WheelEvent));
  }

  protected listen(target: EventTarget, kind: string, handler: (event: Event) => void): void {
    target.addEventListener(kind, handler, { passive: false });
    this.ends.push(() => target.removeEventListener(kind, handler));
  }

  end(): void {
    this.ends.forEach((end) => end());
  }

  redraw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.width > 0) this.frame();
    });
  }

  // Draws at once; the milliseconds that it took.
  frame(): number {
    const before = performance.now();
    this.draw();
    return performance.now() - before;
  }

  protected abstract draw(): void;

  protected themed(): void {}

  private resize(): void {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    [this.width, this.height] = [clientWidth, clientHeight];
    this.canvas.width = Math.max(Math.round(clientWidth * ratio), 1);
    this.canvas.height = Math.max(Math.round(clientHeight * ratio), 1);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.width > 0) this.frame();
  }

  protected x(us: number): number {
    const { from, to } = this.store.state.view;
    return LABELS + ((us - from) / (to - from)) * (this.width - LABELS);
  }

  protected us(x: number): number {
    const { from, to } = this.store.state.view;
    return from + ((x - LABELS) / (this.width - LABELS)) * (to - from);
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.store.zoom(Math.exp(Math.max(Math.min(event.deltaY, 100), -100) / 200), this.us(event.offsetX));
    } else if (event.deltaX || event.shiftKey) {
      event.preventDefault();
      this.store.pan((event.deltaX || event.deltaY) / (this.width - LABELS));
    }
  }

  // The scale of the time along the top, and lines down from it.
  protected ruler(): void {
    const { context, colours, width, height } = this;
    const { from, to } = this.store.state.view;
    const rough = ((to - from) / (width - LABELS)) * 110;
    const base = 10 ** Math.floor(Math.log10(rough));
    const step = base * ([1, 2, 5].find((factor) => base * factor >= rough) ?? 10);
    context.fillStyle = colours.raised;
    context.fillRect(0, 0, width, RULER);
    context.font = FONT;
    context.textBaseline = "middle";
    for (let us = Math.ceil(from / step) * step; us <= to; us += step) {
      const x = Math.round(this.x(us)) + 0.5;
      context.fillStyle = colours.line;
      context.fillRect(x - 0.5, RULER - 5, 1, height);
      context.fillStyle = colours.muted;
      if (x < width - 50) context.fillText(tick(us, step), x + 4, RULER / 2);
    }
    context.fillStyle = colours.raised;
    context.fillRect(0, 0, LABELS, RULER);
    context.fillStyle = colours.muted;
    this.cut(`${time(to - from)}${LABELS > 120 ? " shown" : ""}`, 8, RULER / 2, LABELS - 10);
    context.fillStyle = colours.line;
    context.fillRect(0, RULER - 1, width, 1);
  }

  // Text cut off where there is no more room.
  protected cut(text: string, x: number, y: number, room: number): void {
    const { context } = this;
    if (room < 14) return;
    const wide = context.measureText(text).width;
    if (wide <= room) context.fillText(text, x, y);
    else {
      const kept = Math.floor((text.length * room) / wide) - 1;
      if (kept > 1) context.fillText(`${text.slice(0, kept)}…`, x, y);
    }
  }
}

function tick(us: number, step: number): string {
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
  if (step >= 1000) return `${(us / 1000).toFixed(Math.max(0, digits))} ms`;
  if (step < 0.1) return `${(us * 1000).toFixed(Math.max(0, digits - 3))} ns`;
  return `${us.toFixed(digits)} us`;
}
