// What a behaviour is, and what it plays with.
import { expect } from 'vitest';
import type { Ran } from '../support/sftp-clients.ts';
import type { Client, VerbName, Verbs } from './client.ts';
import type { Stage } from './stage.ts';

export interface Play {
  readonly stage: Stage;
  readonly client: Client;
  readonly verbs: Verbs;
}

export interface Behaviour {
  readonly title: string;
  readonly needs: readonly VerbName[];
  /** What of it stands in the second table, in place of a tick in the first. */
  readonly columns?: readonly string[];
  /** Throws when it fails. A text stands in the table beside the tick; cells are those of its columns. */
  readonly show: (play: Play) => Promise<unknown>;
}

/** The client says that all went well. */
export function well(ran: Ran): Ran {
  expect(ran.status, ran.out + ran.err).toBe(0);
  return ran;
}
