// What the suite asks of a client: the same few verbs of each, and why one that lacks some does.
import type { Ran } from '../support/sftp-clients.ts';

/** What a client must know of the server. */
export interface Door {
  readonly port: number;
  /** Names the host keys for this port. */
  readonly knownHosts: string;
  /** Of the first host key, for clients that read no such file. */
  readonly fingerprint: string;
  readonly login: string;
}

/** A verb resolves with the exit status; a client that lives in this process has 1 and its error where others have what they print. */
export interface Verbs {
  put(door: Door, local: string, remote: string): Promise<Ran>;
  /** Uploads under a temporary name, then renames. */
  putBeside(door: Door, local: string, temporary: string, remote: string): Promise<Ran>;
  /** Uploads, then sets times and mode, or lets the client keep those of the local file. */
  putKeeping(door: Door, local: string, remote: string): Promise<Ran>;
  /** Goes on with a broken upload. */
  resume(door: Door, local: string, remote: string): Promise<Ran>;
  /** Uploads with at least one further key exchange on the way; fails when there was none. */
  putRekeying(door: Door, local: string, remote: string): Promise<Ran>;
  /** Prints the names in a folder, one a line. */
  list(door: Door, folder: string): Promise<Ran>;
  get(door: Door, remote: string, local: string): Promise<Ran>;
  remove(door: Door, remote: string): Promise<Ran>;
  rename(door: Door, from: string, to: string): Promise<Ran>;
  makeFolder(door: Door, path: string): Promise<Ran>;
  /** Uploads by scp's old protocol. */
  scp(door: Door, local: string, remote: string): Promise<Ran>;
}

export type VerbName = keyof Verbs;

/** Whether it has all of these verbs; it says why not where it lacks others than scp's old protocol, which few speak. */
export function isApplicable({ verbs, without }: Client, needs: readonly VerbName[]): boolean {
  return needs.every((verb) => without[verb] === undefined && (verb !== 'scp' || verbs.scp !== undefined));
}

export interface Client {
  readonly name: string;
  /** Its version, or undefined when it is not installed. */
  readonly version: () => Promise<string | undefined>;
  /** What it needs of the machine that no package brings. */
  readonly machine?: { readonly what: string; readonly has: () => boolean; readonly how: string };
  readonly verbs: Partial<Verbs>;
  /** Why it has no such verb. */
  readonly without: Partial<Readonly<Record<VerbName, string>>>;
  /** Whether it shows its user the sentence of a refusal; some do only where the status says no more than FAILURE. */
  readonly showsSentences: boolean | 'of failures';
  /** Whether its `put` does not look at the answer to CLOSE. */
  readonly ignoresClose?: true;
  /** Begins the lines by which it tells its user what failed, where it says more than that. */
  readonly tells?: RegExp;
}
