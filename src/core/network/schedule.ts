// When participants of ours are looked up.
import { hash } from 'node:crypto';

const DAY = 24 * 60 * 60_000;

/** Each participant has its moment of the day, so that many are spread over it, and a restart changes nothing. */
export function nextLookAt(participant: string, nowMs: number): number {
  const moment = Math.floor((hash('sha256', participant, 'buffer').readUInt32BE() / 2 ** 32) * DAY);
  const today = Math.floor(nowMs / DAY) * DAY + moment;
  return today > nowMs ? today : today + DAY;
}
