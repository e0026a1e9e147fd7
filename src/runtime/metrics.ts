// Metrics of one thread, by prom-client: what is counted while the work goes on, and what is read when somebody asks.
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Clock, systemClock } from './clock.ts';
import { seldom } from './seldom.ts';

/** All metrics of a thread as plain data, which may go from thread to thread. */
export type Measured = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A metric that is read: its sentence, and the name of its label, if it has one. */
type Read = string | { readonly help: string; readonly label: string };

/** One value, or one for each value of the label. A metric that is left out has none. */
type Readings<Name extends string> = { readonly [Each in Name]?: number | ReadonlyMap<string, number> };

/** From a millisecond to an hour and more. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600] as const;

/** Readings are made as often at the most, however many ask. */
const READ_EVERY_MS = 1_000;

export class Metrics {
  readonly #registry = new Registry();
  readonly #clock: Clock;
  readonly #reads: (() => Promise<void>)[] = [];
  readonly #failed: Counter;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#failed = this.counter(
      'dropgate_readings_failed_total',
      'Readings of a ledger, or of the system, that failed while metrics were asked for.',
    );
  }

  /** Its name ends with `_total`. */
  counter<Label extends string = never>(name: string, help: string, ...labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  /** Of seconds; its name ends with `_seconds`. */
  histogram<Label extends string = never>(name: string, help: string, ...labelNames: readonly Label[]): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets: [...SECONDS], registers: [this.#registry] });
  }

  /** Metrics that are read together, once a second at the most, and seldom where that takes long. When reading fails, they are left out. */
  read<Name extends string>(rows: Readonly<Record<Name, Read>>, read: () => Promise<Readings<Name>>): void {
    const gauges = new Map(Object.entries<Read>(rows).map(([name, row]) => [name, this.#gauge(name, row)]));
    const refresh = seldom(this.#clock, READ_EVERY_MS, async () => {
      const readings = await read().catch(() => null);
      if (readings === null) this.#failed.inc();
      for (const gauge of gauges.values()) gauge.clear();
      for (const [name, value] of Object.entries<number | ReadonlyMap<string, number> | undefined>(readings ?? {})) {
        gauges.get(name)?.put(value);
      }
    });
    this.#reads.push(refresh);
  }

  /** What a counter has counted so far, or how often a histogram has observed, whatever the labels; 0 where it is not there. */
  async counted(name: string): Promise<number> {
    const found = await this.#registry.getSingleMetric(name)?.get();
    const counts = found?.values.filter((value) => !('metricName' in value) || value.metricName === `${name}_count`);
    return counts?.reduce((all, { value }) => all + value, 0) ?? 0;
  }

  async measured(): Promise<Measured> {
    await Promise.all(this.#reads.map((read) => read()));
    return this.#registry.getMetricsAsJSON();
  }

  #gauge(name: string, row: Read) {
    const { help, label } = typeof row === 'string' ? { help: row, label: null } : row;
    const gauge = new Gauge({ name, help, labelNames: label === null ? [] : [label], registers: [this.#registry] });
    const clear = (): void => (label === null ? gauge.remove() : gauge.reset());
    clear();
    return {
      clear,
      put(value: number | ReadonlyMap<string, number> | undefined): void {
        if (typeof value === 'number') gauge.set(value);
        else if (label !== null) for (const [named, each] of value ?? []) gauge.set({ [label]: named }, each);
      },
    };
  }
}

/** The text of all of them together, as Prometheus reads it. */
export function metricsText(all: readonly Measured[]): Promise<string> {
  return AggregatorRegistry.aggregate([...all]).metrics();
}
