// What other nodes have of an inbox: uploads in their folders of `receiving/`, and files that they have taken and that wait. Looked at on disk and in the
// ledger each time, for no node tells another what its sessions do.
import { isThere } from '#gateway/disk/carry.ts';
import { namedAs, readReceivingOf } from '#gateway/disk/spool-files.ts';
import { readWaiting } from '#gateway/ledger/items.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { nameShownAs } from '#gateway/model/file-names.ts';
import type { ByteName, DropFolder } from '#gateway/model/intake.ts';
import { LruCache } from '#runtime/cache.ts';
import { seenOf } from './unfinished.ts';
import { type Seen, takenOf } from './view.ts';

/** Files that a session of this node has removed from its sight, while they wait. */
const HIDDEN_MAX = 100_000;

export interface ElsewhereParts {
  readonly data: string;
  readonly incarnation: string;
  readonly ledger: Pick<Ledger, 'read'>;
}

export class Elsewhere {
  readonly #parts: ElsewhereParts;
  readonly #hidden = new LruCache<true>(HIDDEN_MAX);

  constructor(parts: ElsewhereParts) {
    this.#parts = parts;
  }

  /** All of a place, or of one name there; what is newer comes later. */
  async list(place: DropFolder, name?: ByteName): Promise<Seen[]> {
    const { ledger, data } = this.#parts;
    const [uploads, waiting] = await Promise.all([this.#uploads(place, name), readWaiting(ledger.read, place.home, name)]);
    const taken = waiting.filter(({ item }) => this.#hidden.get(item) === undefined).map((item) => takenOf(data, item));
    return [...taken.filter(({ folder }) => folder === place.folder), ...uploads];
  }

  async find(place: DropFolder, name: ByteName): Promise<Seen | undefined> {
    const shown = nameShownAs(name);
    return (await this.list(place, name)).at(-1) ?? (shown === undefined ? undefined : (await this.list(place, shown)).at(-1));
  }

  /** A file that waits is shown no more by this node. */
  hide(item: string): void {
    this.#hidden.put(item, true);
  }

  /** Whether another node has brought an upload of this node to itself. */
  hasGone({ state, path }: Seen): boolean {
    if (state !== 'broken' && state !== 'waiting') return false;
    try {
      return !isThere(path);
    } catch {
      // The file system does not say.
      return false;
    }
  }

  /** One that is written shows no size: a client that sees one would try to go on with what another session still writes. */
  async #uploads({ home, folder }: DropFolder, name?: ByteName): Promise<Seen[]> {
    const { data, incarnation } = this.#parts;
    const others = (await readReceivingOf(data, home, incarnation)).filter((each) => each.folder === folder);
    // A name that is asked for is whole, and that of a file may be cut.
    const asked = name === undefined ? others : others.filter(namedAs(name)).map((each) => ({ ...each, name }));
    return (await seenOf(asked)).map((seen) => (seen.state === 'open' ? { ...seen, size: 0 } : seen));
  }
}
