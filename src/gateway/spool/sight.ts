// What a session finds in an inbox, and where: what is in sight here, what other nodes have, and what lies on disk.
import { basename, dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import { fileAt, filesIn, inboxComponents } from '#gateway/disk/inbox-folder.ts';
import type { Living } from '#gateway/disk/incarnation.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { readOriginal } from '#gateway/ledger/publications.ts';
import { nameText, shownName } from '#gateway/model/file-names.ts';
import { type ByteName, type DropFolder, type Entry, toByteName, type Whereabouts } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import { Elsewhere, type ElsewhereParts } from './elsewhere.ts';
import { isOnDisk } from './inbox-sentences.ts';
import type { Unfinished } from './unfinished.ts';
import type { InboxView, Seen } from './view.ts';

export interface SightParts extends ElsewhereParts, Living {
  readonly clock: Clock;
  readonly unfinished: Unfinished;
}

export class Sight {
  readonly #parts: SightParts;
  readonly #view: InboxView;
  /** How long what another node has taken stays in sight, at least. */
  readonly #linger: number;
  /** Where other nodes take files for the same homes. */
  readonly #elsewhere: Elsewhere | undefined;

  constructor(parts: SightParts, view: InboxView, linger: number) {
    this.#parts = parts;
    this.#view = view;
    this.#linger = linger;
    this.#elsewhere = parts.living && new Elsewhere(parts);
  }

  /** For `Intake.view`. */
  async list(place: DropFolder, session: string): Promise<Entry[]> {
    const [found, elsewhere] = await Promise.all([filesIn(this.#parts.data, place), this.#elsewhere?.list(place) ?? []]);
    const seen = this.#view.list(place).filter((each) => !this.hasGone(each));
    const own = seen.filter((each) => each.session === session).map(entryOf);
    const names = new Set(own.map(({ name }) => name));
    const others: Entry[] = [];
    for (const entry of [
      ...seen.filter((each) => each.session !== session).map(entryOf),
      ...found,
      // What was taken or removed here is in sight as long as it is to be.
      ...elsewhere
        .filter(({ id }) => this.#view.byId(id) === undefined)
        .map(entryOf)
        .reverse(),
    ]) {
      if (!names.has(entry.name)) others.push({ ...entry, name: shownName(entry.name) });
      names.add(entry.name);
    }
    return [...own, ...others];
  }

  /** For `Intake.find`. */
  async entry(place: DropFolder, name: ByteName, session: string): Promise<Entry | null> {
    const seen = this.find(place, name, session);
    if (seen) return entryOf(seen);
    const onDisk = fileAt(this.#parts.data, place, name);
    const elsewhere = onDisk ? undefined : await this.#elsewhere?.find(place, name);
    return elsewhere ? entryOf(elsewhere) : onDisk;
  }

  /** For `Intake.where`. */
  async where(place: DropFolder, name: ByteName, session: string): Promise<Whereabouts[]> {
    const { data, ledger } = this.#parts;
    const onDisk = fileAt(data, place, name);
    const seen = this.find(place, name, session) ?? (onDisk ? undefined : await this.#elsewhere?.find(place, name));
    if (!seen) return [{ root: homeFolder(data, place.home), components: inboxComponents(place), name: onDisk?.name ?? name }];
    const inSpool = { root: dirname(seen.path), components: [], name: toByteName(basename(seen.path)) };
    const original = seen.state === 'taken' ? await readOriginal(ledger.read, seen.id) : undefined;
    if (!original) return [inSpool];
    return [inSpool, { root: homeFolder(data, original.home), components: [original.folder], name: toByteName(original.name) }];
  }

  /** What is in sight here. */
  find(place: DropFolder, name: ByteName, session: string): Seen | undefined {
    const seen = this.#view.find(place, name, session);
    return seen && this.hasGone(seen) ? this.find(place, name, session) : seen;
  }

  /** Where another node has brought it to itself, it is forgotten. */
  hasGone(seen: Seen): boolean {
    if (!this.#elsewhere?.hasGone(seen)) return false;
    this.#view.hide(seen);
    return true;
  }

  /**
   * What another node has of this name comes into sight here; an upload only for the login that began it, where one is named. Where another node was
   * faster, it is looked for there once more.
   */
  async bring(place: DropFolder, name: ByteName, login?: string, isAgain = false): Promise<Seen | undefined> {
    if (!this.#elsewhere || fileAt(this.#parts.data, place, name)) return undefined;
    const seen = await this.#elsewhere.find(place, name);
    // A takeover of ours, or another session, may have brought it meanwhile.
    if (!seen) return this.#view.find(place, name);
    if (login !== undefined && seen.login !== login) return undefined;
    if (seen.state === 'open') return login === undefined ? seen : undefined;
    const lingerUntilMs = this.#parts.clock.now() + this.#linger;
    const brought = seen.state === 'taken' ? { ...seen, ended: true, lingerUntilMs } : await this.#parts.unfinished.bring(seen);
    if (!brought) return this.#view.find(place, name) ?? (isAgain ? undefined : this.bring(place, name, login, true));
    this.#view.show(brought);
    return brought;
  }

  /** A file that another node may have, and that waits, is shown no more. */
  forget({ id }: Seen): void {
    this.#elsewhere?.hide(id);
  }

  /** Why nothing of this name can be renamed, or removed. */
  notHere(place: DropFolder, name: ByteName, done: string): AppError {
    return fileAt(this.#parts.data, place, name) ? isOnDisk(name, done) : new AppError('missing', `there is no '${nameText(name)}' here`);
  }
}

/** An upload under way shows the size that it had when it was opened: a client that sees more would try to resume an upload that another session still writes. */
function entryOf({ state, name, size, mtimeMs, setMs = mtimeMs }: Seen): Entry {
  return { state, name, size, mtimeMs: setMs };
}
