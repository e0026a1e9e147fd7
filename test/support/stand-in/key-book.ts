// The stand-in's idempotency keys: in flight, finished for 24 hours of its clock, released by a failure (specification, States).
import { createHash } from 'node:crypto';
import type { Clock } from '#runtime/clock.ts';
import { refusal, type Scripted } from '../scripted-service.ts';

const LIFETIME_MS = 24 * 60 * 60_000;

export interface KeyBook {
  /** Does the work of a key once; afterwards, and meanwhile, the key is answered as the specification says. */
  once(accountRegNo: string, key: string, body: Uint8Array, work: () => Promise<Scripted>): Promise<Scripted>;
  /** A restart, or a service that lies about 24 hours: no key is known any more. */
  forget(): void;
}

interface Entry {
  readonly body: string;
  readonly at: number;
  /** Null while it is in flight. */
  answer: Scripted | null;
}

export function openKeyBook(clock: Clock): KeyBook {
  const known = new Map<string, Entry>();
  return {
    async once(accountRegNo, key, body, work) {
      const name = `${accountRegNo}\n${key}`;
      const digest = createHash('sha256').update(body).digest('hex');
      const before = known.get(name);
      if (before && clock.now() - before.at <= LIFETIME_MS) {
        if (before.body !== digest) return refusal(400, 'E_BAD_REQUEST');
        return before.answer ?? refusal(409, 'E_CONFLICT');
      }
      const entry: Entry = { body: digest, at: clock.now(), answer: null };
      known.set(name, entry);
      try {
        const answer = await work();
        if (answer.status === 200) entry.answer = answer;
        else known.delete(name);
        return answer;
      } catch (error) {
        known.delete(name);
        throw error;
      }
    },
    forget: () => known.clear(),
  };
}
