// What a behaviour is, and what it plays with.
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
  /** Throws when it fails. What it returns stands in the table beside the tick. */
  readonly show: (play: Play) => Promise<unknown>;
}
