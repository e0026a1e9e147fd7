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

export type Rows<Each> = readonly (readonly [name: string, figure: (each: Each) => string])[];

/** What was measured beside each other, a column each, under their names. */
export function columns<Each extends { readonly name: string }>(measured: readonly Each[], rows: Rows<Each>): string {
  const lines = [measured.map(({ name }) => name), ...rows.map(([, figure]) => measured.map(figure))];
  const widths = measured.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)) + 2);
  const shown = lines.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('')
      .trimEnd(),
  );
  return table(['', ...rows.map(([name]) => name)].map((name, at) => [name, shown[at] ?? ''] as const));
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
