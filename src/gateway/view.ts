// What clients see of an inbox: uploads, files that wait, and files that linger after CLOSE because clients stat, touch and rename
// what they uploaded (sftp.md, 'What clients do'). In memory only: the truth is the spool.
import type { ByteName, Place } from './intake.ts';

export type SeenState =
  | 'open' // a client is writing it
  | 'broken' // the connection was lost before CLOSE; can be resumed
  | 'waiting' // closed under a temporary name; a rename commits it
  | 'taken'; // ours: pending, or ended and lingering

export interface Seen extends Place {
  name: ByteName;
  state: SeenState;
  size: number;
  mtimeMs: number;
  /** The bytes, while they can be read at this place. */
  path: string | null;
  readonly login: string | null;
  readonly session: string | null;
  /** Upload id, and from `taken` on the item. */
  id: string;
  /** Seen until then at least, and while its session lives. */
  lingerUntilMs: number;
  /** `taken` only: the item has ended, so only the linger keeps it. */
  ended: boolean;
}

/** Beyond this many files a living session no longer keeps what it uploaded in sight. */
const LINGERING_MAX = 200_000;

export class InboxView {
  readonly #places = new Map<string, Map<ByteName, Seen>>();
  readonly #byId = new Map<string, Seen>();
  readonly #sessions = new Set<string>();

  /** Shows it; what had the name before is no longer seen under it, but what is unfinished of it is not forgotten. */
  show(seen: Seen): void {
    const place = this.#place(seen);
    const before = place.get(seen.name);
    if (before?.state === 'taken') this.#unlist(before);
    place.set(seen.name, seen);
    this.#byId.set(seen.id, seen);
    if (seen.session) this.#sessions.add(seen.session);
  }

  find(place: Place, name: ByteName): Seen | undefined {
    return this.#places.get(keyOf(place))?.get(name);
  }

  byId(id: string): Seen | undefined {
    return this.#byId.get(id);
  }

  list(place: Place): Seen[] {
    return [...(this.#places.get(keyOf(place))?.values() ?? [])];
  }

  /** Takes it out of sight. */
  hide(seen: Seen): void {
    const place = this.#places.get(keyOf(seen));
    if (place?.get(seen.name) === seen) place.delete(seen.name);
    this.#unlist(seen);
  }

  /** Gives a seen file another identity (upload → item). */
  reidentify(seen: Seen, id: string): void {
    if (this.#byId.get(seen.id) === seen) this.#byId.delete(seen.id);
    seen.id = id;
    this.#byId.set(id, seen);
  }

  leave(session: string): void {
    this.#sessions.delete(session);
  }

  /** Files that need not be seen any longer go; those that lie unfinished since before `oldestMs` are returned. */
  prune(nowMs: number, oldestMs: number): Seen[] {
    const stale: Seen[] = [];
    for (const seen of this.#byId.values()) {
      const held =
        nowMs < seen.lingerUntilMs || (seen.session !== null && this.#sessions.has(seen.session) && this.#byId.size < LINGERING_MAX);
      if (seen.state === 'taken' && seen.ended && !held) this.hide(seen);
      else if ((seen.state === 'broken' || seen.state === 'waiting') && seen.mtimeMs < oldestMs) stale.push(seen);
    }
    return stale;
  }

  #unlist(seen: Seen): void {
    if (this.#byId.get(seen.id) === seen) this.#byId.delete(seen.id);
  }

  #place(place: Place): Map<ByteName, Seen> {
    const key = keyOf(place);
    const names = this.#places.get(key) ?? new Map<ByteName, Seen>();
    this.#places.set(key, names);
    return names;
  }
}

function keyOf({ accountRegNo, folder }: Place): string {
  return `${accountRegNo}/${folder}`;
}
