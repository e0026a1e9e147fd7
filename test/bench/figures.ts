// How figures are made and shown: percentiles, medians, lines of a table.

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function p50And99(values: readonly number[]): string {
  return `${ms(percentile(values, 50))} / ${ms(percentile(values, 99))} ms`;
}

/** Names on the left, figures below each other. */
export function table(rows: readonly (readonly [name: string, figure: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, figure]) => `  ${name.padEnd(width)}  ${figure}`).join('\n');
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
