// How much an attack does: a short form for every run, the full one by `npm run test:attack`.

import { isWhole } from '../support/amounts.ts';

export function amount(short: number, full: number): number {
  return isWhole ? full : short;
}

/** Shown, so that a run can be repeated: DROPGATE_SEED=… */
export function seedOf(name: string): number {
  const seed = Number(process.env.DROPGATE_SEED ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`${name}: DROPGATE_SEED=${seed}\n`);
  return seed;
}
