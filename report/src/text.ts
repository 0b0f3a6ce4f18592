// How figures and places are written.

export function time(us: number): string {
  const size = Math.abs(us);
  if (size >= 1e6) return `${(us / 1e6).toFixed(3)} s`;
  if (size >= 1e3) return `${(us / 1e3).toFixed(3)} ms`;
  if (size < 1 && size > 0) return `${+(us * 1e3).toFixed(1)} ns`;
  return `${us.toFixed(3)} us`;
}

// A time in three digits, for narrow columns.
export function brief(us: number): string {
  const [value, unit] = us >= 1e6 ? [us / 1e6, "s"] : us >= 1e3 ? [us / 1e3, "ms"] : us >= 1 || us === 0 ? [us, "us"] : [us * 1e3, "ns"];
  return `${+value.toPrecision(3)} ${unit}`;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share === 0 || share >= 0.1 ? 0 : 1)} %`;
}

export function bytes(count: number): string {
  let value = count;
  for (const unit of ["B", "KiB", "MiB"]) {
    if (value < 1024) return `${+value.toFixed(1)} ${unit}`;
    value /= 1024;
  }
  return `${+value.toFixed(1)} GiB`;
}

export function whole(count: number): string {
  return count.toLocaleString("en");
}

export function basename(file: string): string {
  return file.split(/[\\/]/).pop() || file;
}

export function place(file: string, line: number): string {
  return line ? `${basename(file)}:${line}` : "no line";
}

// Large figures in powers of a thousand.
export function short(value: number): string {
  const units = ["", "k", "M", "G", "T", "P"];
  let at = 0;
  while (Math.abs(value) >= 1000 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return `${+value.toPrecision(3)}${units[at] ? ` ${units[at]}` : ""}`;
}
