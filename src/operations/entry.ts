// What is told of each operation in its table.

/**
 * `daemon`: the daemon that runs on the data folder; where none runs the asker. `asker`: the asker, also beside a daemon, for it has another
 * environment, or does what would hold the daemon up. `asker alone`: the asker, while no daemon runs.
 */
export type RunBy = 'daemon' | 'asker' | 'asker alone';

/**
 * `looks`: it changes nothing, and hands out no secret. `hands-out`: the same, of what leaves the house: who has it is written down. `acts`: a person
 * orders it.
 */
type Kind = 'looks' | 'hands-out' | 'acts';

/** Of an operation that gets open ledgers. */
export interface OnLedgers {
  readonly does: string;
  /** What hands out or acts is written down in the audit trail. */
  readonly kind: Kind;
  /** Of one that acts: whether this input orders nothing, and only asks how it stands. */
  readonly onlyAsks?: (input: unknown) => boolean;
  readonly load: () => Promise<unknown>;
}

/** A row that says which of the operations of a file it is. */
function ofKind<const Its extends Kind>(kind: Its) {
  return <File, Name extends keyof File>(does: string, load: () => Promise<File>, name: Name) => ({
    does,
    kind,
    load: async () => (await load())[name],
  });
}

export const looks = ofKind('looks');
export const handsOut = ofKind('hands-out');
export const acts = ofKind('acts');

/** Of an operation for which nobody opens them. */
export interface Closed extends OnLedgers {
  readonly runBy: RunBy;
}
