// What clients see of an inbox: uploads, files that wait, and files that linger after CLOSE because clients stat, touch and rename
// what they uploaded (sftp.md, 'What clients do'). In memory only: the truth is the spool.
import { spooledPath } from '#gateway/disk/spool-files.ts';
import { nameShownAs } from '#gateway/model/file-names.ts';
import type { ByteName, DropFolder, EntryState } from '#gateway/model/intake.ts';
import type { Item } from '#gateway/model/item.ts';
import { openRoom, type Room, type RoomLimits } from './room.ts';

export type SeenState = Exclude<EntryState, 'found'>;

export interface Seen extends DropFolder {
  name: ByteName;
  state: SeenState;
  size: number;
  mtimeMs: number;
  /** What the client set for it. */
  setMs?: number | undefined;
  /** When its first byte came, as far as is known. */
  begunAt?: number | undefined;
  /** Where the bytes are, or were before the item ended. */
  path: string;
  readonly login: string | null;
  readonly session: string | null;
  /** Upload id, and from `taken` on the item. */
  id: string;
  /** Seen until then at least, and while its session lives. */
  lingerUntilMs?: number;
  /** `taken` only: the item has ended, so only the linger keeps it. */
  ended?: boolean;
}

/** Beyond this many files a living session no longer keeps what it uploaded in sight. */
const LINGERING_MAX = 200_000;

export class InboxView {
  /**
   * By folder and name, the newest last. Older files of the same name that are kept: unfinished uploads, which their sessions still use by this
   * name, and the last file that was taken, which is shown again if the newer upload fails.
   */
  readonly #places = new Map<string, Map<ByteName, Seen[]>>();
  readonly #byId = new Map<string, Seen>();
  /** By home. */
  readonly #rooms = new Map<string, Room<Seen>>();
  /** Those that live, and what they have unfinished. */
  readonly #sessions = new Map<string, Set<Seen>>();

  /** Shows it above what had the name before, of which nothing is forgotten but what was taken before it was. */
  show(seen: Seen): void {
    if (seen.state === 'taken') this.hideTaken(seen, seen.name);
    this.#named(seen).push(seen);
    this.#byId.set(seen.id, seen);
    if (seen.state !== 'taken') this.#roomOf(seen.home).add(seen);
    if (seen.session) this.#enter(seen, seen.session);
  }

  /** What is seen becomes another. */
  change(seen: Seen, change: Partial<Pick<Seen, 'state' | 'size' | 'mtimeMs' | 'setMs' | 'begunAt' | 'path' | 'ended'>>): void {
    const room = this.#rooms.get(seen.home);
    const isCounted = room?.remove(seen);
    Object.assign(seen, change);
    if (isCounted) room?.add(seen);
  }

  /** The newest of this name, or of the name that others see as this; for a session with an unfinished upload of its own under it, that upload. */
  find(place: DropFolder, name: ByteName, session?: string): Seen | undefined {
    const names = this.#places.get(keyOf(place));
    const all = names?.get(name) ?? names?.get(nameShownAs(name) ?? name);
    const own = session === undefined ? undefined : all?.findLast((seen) => seen.session === session && seen.state !== 'taken');
    return own ?? all?.at(-1);
  }

  byId(id: string): Seen | undefined {
    return this.#byId.get(id);
  }

  list(place: DropFolder): Seen[] {
    return [...(this.#places.get(keyOf(place))?.values() ?? [])].flatMap((all) => all.at(-1) ?? []);
  }

  /** Which broken uploads must go so that one more fits. Throws `quota`. */
  makeRoom(home: string, limits: RoomLimits): Seen[] {
    return this.#roomOf(home).make(limits);
  }

  /** Closed under a temporary name before `beforeMs`, and not renamed since. */
  unnamed(beforeMs: number): Seen[] {
    return this.#unfinished('waiting').filter(({ mtimeMs }) => mtimeMs <= beforeMs);
  }

  /** Uploads that were cut off. */
  broken(): Seen[] {
    return this.#unfinished('broken');
  }

  /** Takes it out of sight. */
  hide(seen: Seen): void {
    this.unname(seen);
    if (this.#byId.get(seen.id) === seen) this.#byId.delete(seen.id);
    this.#rooms.get(seen.home)?.remove(seen);
    if (seen.session) this.#sessions.get(seen.session)?.delete(seen);
  }

  /** Takes what was taken under this name out of sight, also where something lies above it. */
  hideTaken(place: DropFolder, name: ByteName): void {
    for (const seen of this.#places.get(keyOf(place))?.get(name) ?? []) if (seen.state === 'taken') this.hide(seen);
  }

  /** It is not found by its name any more; the session that writes it may go on. */
  unname(seen: Seen): void {
    const place = this.#places.get(keyOf(seen));
    const rest = place?.get(seen.name)?.filter((each) => each !== seen) ?? [];
    if (rest.length > 0) place?.set(seen.name, rest);
    else place?.delete(seen.name);
  }

  isLiving(session: string | null): boolean {
    return session !== null && this.#sessions.has(session);
  }

  /** The session has ended. What it left unfinished under names that are others' by now comes back: no session can ask for it any more. */
  leave(session: string): Seen[] {
    const left = [...(this.#sessions.get(session) ?? [])];
    this.#sessions.delete(session);
    return left.filter((seen) => seen.state !== 'open' && this.find(seen, seen.name) !== seen);
  }

  /** Files that need not be seen any longer go; those that lie unfinished since before `oldestMs` are returned. */
  prune(nowMs: number, oldestMs: number): Seen[] {
    const stale: Seen[] = [];
    for (const seen of this.#byId.values()) {
      const held = nowMs < (seen.lingerUntilMs ?? 0) || (this.isLiving(seen.session) && this.#byId.size < LINGERING_MAX);
      if (seen.state === 'taken' && seen.ended && !held) this.hide(seen);
      else if ((seen.state === 'broken' || seen.state === 'waiting') && seen.mtimeMs < oldestMs) stale.push(seen);
    }
    return stale;
  }

  #unfinished(state: SeenState): Seen[] {
    return [...this.#rooms.values()].flatMap((room) => [...room].filter((seen) => seen.state === state));
  }

  #named(seen: Seen): Seen[] {
    const key = keyOf(seen);
    const names = this.#places.get(key) ?? new Map<ByteName, Seen[]>();
    this.#places.set(key, names);
    const all = names.get(seen.name) ?? [];
    names.set(seen.name, all);
    return all;
  }

  #roomOf(home: string): Room<Seen> {
    const room = this.#rooms.get(home) ?? openRoom<Seen>();
    this.#rooms.set(home, room);
    return room;
  }

  #enter(seen: Seen, session: string): void {
    const unfinished = this.#sessions.get(session) ?? new Set<Seen>();
    this.#sessions.set(session, unfinished);
    if (seen.state !== 'taken') unfinished.add(seen);
  }
}

function keyOf({ home, folder }: DropFolder): string {
  return `${home}/${folder}`;
}

/** A file that waits for the service, as all see it. */
export function takenOf(data: string, item: Item): Seen {
  const { item: id, home, login, fileName: name, size, receivedAt: mtimeMs } = item;
  const folder = item.mode === 'overwrite' ? 'overwrite' : 'inbox';
  return { home, folder, name, login, session: null, id, size, path: `${data}/${spooledPath(item)}`, state: 'taken', mtimeMs };
}
