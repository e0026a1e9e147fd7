// Whether there is room on the disk that the data folder is on.
import { diskOf } from '#runtime/files/disk.ts';
import type { Probe } from './probes.ts';

/** Room for a few of the largest documents, and for the ledgers to say that there is no more. */
const FREE_BYTES_MIN = 200 * 2 ** 20;

export function diskProbe(folder: string): Probe {
  return {
    place: `the disk of ${folder}`,
    async ask() {
      const { free } = await diskOf(folder);
      if (free < FREE_BYTES_MIN) throw new Error(`only ${Math.floor(free / 2 ** 20)} MiB are free`);
      return true;
    },
  };
}
