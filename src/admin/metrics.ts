// /metrics: what all threads measure, in one text.

import { systemClock } from '#runtime/clock.ts';
import { diskOf } from '#runtime/files/disk.ts';
import { type Measured, type Metrics, metricsText } from '#runtime/metrics.ts';
import { seldom } from '#runtime/seldom.ts';

/** What a thread measures. */
type Source = () => Promise<Measured>;

/** The text is made as often at the most, however many ask. */
const MADE_EVERY_MS = 1_000;

/** What is measured of the process and of the disk of its data folder. */
export function measureProcess(metrics: Metrics, version: string, data: string): void {
  const rows = {
    dropgate_build_info: { help: 'The version that runs.', label: 'version' },
    dropgate_memory_bytes: 'Memory of the machine that the process has.',
    dropgate_uptime_seconds: 'How long the process has run.',
    dropgate_disk_free_bytes: 'What may still be written on the disk of the data folder.',
    dropgate_disk_size_bytes: 'What that disk holds in all.',
  };
  metrics.read(rows, async () => {
    const { free, size } = await diskOf(data);
    return {
      dropgate_build_info: new Map([[version, 1]]),
      dropgate_memory_bytes: process.memoryUsage.rss(),
      dropgate_uptime_seconds: Math.round(process.uptime()),
      dropgate_disk_free_bytes: free,
      dropgate_disk_size_bytes: size,
    };
  });
}

/** Says all that the sources measure. One that does not answer is left out. */
export function sayMetrics(sources: readonly Source[]): () => Promise<string> {
  return seldom(systemClock, MADE_EVERY_MS, async () => {
    const answers = await Promise.allSettled(sources.map((source) => source()));
    return metricsText(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])));
  });
}
