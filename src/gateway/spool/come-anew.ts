// Broken uploads whose files have come anew at other nodes. Nothing else tells of that here, and the next file of the name must not go on behind one.
import { firstIdAt } from '#domain/id.ts';
import { type BegunUpload, readComeAnew } from '#gateway/ledger/newer-files.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { finishedName, isReal, isTest } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import { modeOf } from './taking.ts';
import type { InboxView, Seen } from './view.ts';

/** By so much clocks of nodes differ at the most, and a row comes later than its id. */
const LATE_MS = 10 * 60_000;

interface ComeAnewParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly clock: Clock;
}

export class ComeAnew {
  readonly #parts: ComeAnewParts;
  readonly #view: InboxView;
  /** Ids of those that were looked for before: what came long before that look need not be read again. */
  #lookedFor: ReadonlySet<string> = new Set();

  constructor(parts: ComeAnewParts, view: InboxView) {
    this.#parts = parts;
    this.#view = view;
  }

  /** Broken uploads whose files are known to have come anew; they are in sight, and nobody goes on with them. */
  async find(): Promise<Seen[]> {
    const { ledger, clock } = this.#parts;
    // In `test` nothing is taken.
    const broken = this.#view.broken().filter((seen) => !isTest(seen));
    const [old, fresh] = [broken.filter(({ id }) => this.#lookedFor.has(id)), broken.filter(({ id }) => !this.#lookedFor.has(id))];
    const found = [
      ...(await readComeAnew(ledger.read, fresh.map(begun))),
      ...(await readComeAnew(ledger.read, old.map(begun), firstIdAt(clock.now() - LATE_MS))),
    ];
    this.#lookedFor = new Set(broken.map(({ id }) => id));
    const comeAnew = new Set(found);
    return broken.filter((seen) => comeAnew.has(seen.id) && seen.state === 'broken' && this.#view.byId(seen.id) === seen);
  }
}

/** One that was begun under a temporary name would have been renamed, to whichever folder. */
function begun(seen: Seen): BegunUpload {
  return isReal(seen) ? { ...seen, mode: modeOf(seen) } : { ...seen, name: finishedName(seen.name), mode: null };
}
