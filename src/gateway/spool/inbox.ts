// The intake as this process answers it: uploads in spool/receiving, what sessions see of an inbox, the hand-over into custody.
import { closeSync, lstatSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import { fileIn, folderOf, giveName, parseCarried } from '#gateway/disk/carry.ts';
import { fileAt, filesIn, inboxComponents } from '#gateway/disk/inbox-folder.ts';
import type { Living } from '#gateway/disk/incarnation.ts';
import { discard, homeFolder } from '#gateway/disk/paths.ts';
import { type ReceivingState, receivingPath, syncBytes } from '#gateway/disk/spool-files.ts';
import { readItem, readPending, renameItem } from '#gateway/ledger/items.ts';
import { readOriginal, readRefused } from '#gateway/ledger/publications.ts';
import { nameText, shownName } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import {
  type ByteName,
  type ClosedFile,
  type Entry,
  type Found,
  type Intake,
  isReal,
  isTest,
  type Named,
  type Place,
  type Renamer,
  type ResendRequest,
  type Taken,
  toByteName,
  type Upload,
  type UploadRequest,
  type Whereabouts,
} from '#gateway/model/intake.ts';
import type { Item, SubmitMode } from '#gateway/model/item.ts';
import type { ItemEnded } from '#gateway/model/item-ended.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { every } from '#runtime/clock.ts';
import { allOrNone } from '#runtime/files/durable.ts';
import { renameOurs } from '#runtime/files/rename.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import { Elsewhere } from './elsewhere.ts';
import { isBeingWritten, isOnDisk, notYours, staysWhereItIs, unfinishedUpload } from './inbox-sentences.ts';
import { Pending } from './pending.ts';
import type { RoomLimits } from './room.ts';
import { type Complete, type CustodyParts, notStored, takeIntoCustody } from './take-into-custody.ts';
import type { TestRuns } from './test-runs.ts';
import { takeOverUnfinished } from './unfinished.ts';
import { InboxView, type Seen, takenOf } from './view.ts';
import { lookForWaiting } from './waiting.ts';

const PRUNE_EVERY_MS = 10_000;

export interface InboxSettings extends RoomLimits {
  /** How long a taken file stays in sight after CLOSE, at least. */
  readonly linger: number;
  /** How long a broken upload can be resumed, and a temporary name may wait for its rename. */
  readonly partialsKept: number;
  /** Files of one account that may wait for the service. */
  readonly itemsPerAccountMax: number;
}

export interface InboxParts extends CustodyParts, Living {
  readonly newId: () => string;
  /** For lines that a login causes without a document. */
  readonly lines: LogLines;
  readonly inHand: HomesInHand;
  /** Reports files that wait for their real name. */
  readonly finisher: Pick<Finisher, 'notify'>;
  readonly ended: ItemEnded;
  /** Judges what is put into the folder `test`. */
  readonly tests: Pick<TestRuns, 'run'>;
}

type FileOfHome = Pick<Complete, 'name' | 'login' | 'mode' | 'path' | 'resends'> & Pick<Seen, 'session'>;

export class Inbox implements Intake, Disposable {
  readonly #parts: InboxParts;
  readonly #settings: InboxSettings;
  readonly #view = new InboxView();
  readonly #pending: Pending;
  /** Where other nodes take files for the same homes. */
  readonly #elsewhere: Elsewhere | undefined;
  readonly #pruning: Disposable;

  constructor(parts: InboxParts, settings: InboxSettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#pending = new Pending(parts);
    this.#elsewhere = parts.living && new Elsewhere(parts);
    const reportWaiting = lookForWaiting({ ...parts, view: this.#view, settings });
    parts.ended.listen((item) => this.#end(item));
    this.#pruning = every(
      parts.clock,
      PRUNE_EVERY_MS,
      () => {
        reportWaiting();
        this.#prune();
      },
      (error) => parts.log.error({ event: 'inbox.unpruned', err: error }),
    );
  }

  /** At start: shows pending items and broken uploads again. */
  async recover(): Promise<void> {
    const { ledger, inHand } = this.#parts;
    for (const item of await readPending(ledger.read, inHand.all)) {
      this.#showPending(item);
      this.#pending.add(item);
    }
    await this.takeOverUnfinished();
  }

  /** Another process has ended: its unfinished uploads can be gone on with here. */
  async takeOverUnfinished(): Promise<void> {
    for (const seen of await takeOverUnfinished(this.#parts)) this.#view.show(seen);
  }

  /** The home is about to be in hand, with these pending. */
  takeUp(home: string, pending: readonly Item[]): void {
    for (const item of pending) this.#showPending(item);
    this.#pending.takeUp(home, pending);
  }

  /** How its items end is heard elsewhere: they stay in sight no longer than others. */
  giveUp(home: string): void {
    for (const item of this.#pending.giveUp(home)) this.#endInSight(item);
  }

  async open({ home, folder, name, login, session, resume }: UploadRequest): Promise<Upload> {
    await this.#mustHaveRoom(home);
    const place = { home, folder };
    const before = this.#find(place, name, session) ?? (resume ? await this.#bring(place, name, login) : undefined);
    const unfinished = before?.state === 'broken' || before?.state === 'waiting' ? before : undefined;
    if (unfinished && resume && unfinished.login === login) return this.#resume(unfinished, session);
    // What another session has closed and may be about to rename stays its own.
    if (unfinished && (unfinished.session === session || !this.#view.isLiving(unfinished.session))) this.#drop(unfinished);
    for (const broken of this.#view.makeRoom(home, this.#settings)) this.#drop(broken);
    const { data, incarnation, clock, newId } = this.#parts;
    const mtimeMs = clock.now();
    const id = newId();
    const path = receivingPath(data, incarnation, { upload: id, state: 'open', folder, home, login, name });
    createEmpty(path);
    this.#view.show({ home, folder, name, login, session, id, path, state: 'open', size: 0, mtimeMs });
    return { upload: id, path, size: 0 };
  }

  #resume(unfinished: Seen, session: string): Upload {
    // On disk too it is not closed any more: a crash must leave a broken upload.
    this.#keep(unfinished, 'open', unfinished.size);
    const { id, path, size } = unfinished;
    this.#view.hide(unfinished);
    this.#view.show({ ...unfinished, session });
    return { upload: id, path, size };
  }

  /** Only homes may be full (quotas.ts); how large a file may be is known to the part that writes it. */
  async grow(): Promise<void> {}

  async commit(id: string, { size, sha256, setMs, begunAt }: ClosedFile): Promise<Taken> {
    const seen = this.#upload(id);
    this.#view.change(seen, { setMs, begunAt: seen.begunAt ?? begunAt });
    if (isReal(seen)) return this.#take(seen, { ...seen }, size, sha256);
    try {
      this.#keep(seen, 'waiting', size);
      await allOrNone(syncBytes(seen.path), this.#parts.folders.sync(dirname(seen.path)));
    } catch (error) {
      // A second fsync would prove nothing: it must not be renamed into a document.
      this.#drop(seen);
      throw notStored(error);
    }
    return { state: 'waiting' };
  }

  async abandon(id: string): Promise<void> {
    const seen = this.#upload(id);
    const { size } = statSync(seen.path);
    if (size === 0) this.#drop(seen);
    else this.#keep(seen, 'broken', size);
    this.#parts.lines.info({ event: 'upload.broken', home: seen.home, login: seen.login, file: nameText(seen.name), size });
  }

  async cancel(id: string): Promise<void> {
    this.#drop(this.#upload(id));
  }

  async view(place: Place, session: string): Promise<Entry[]> {
    const [found, elsewhere] = await Promise.all([filesIn(this.#parts.data, place), this.#elsewhere?.list(place) ?? []]);
    const seen = this.#view.list(place).filter((each) => !this.#hasGone(each));
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

  async find(place: Place, name: ByteName, session: string): Promise<Entry | null> {
    const seen = this.#find(place, name, session);
    if (seen) return entryOf(seen);
    const onDisk = fileAt(this.#parts.data, place, name);
    const elsewhere = onDisk ? undefined : await this.#elsewhere?.find(place, name);
    return elsewhere ? entryOf(elsewhere) : onDisk;
  }

  async where(place: Place, name: ByteName, session: string): Promise<Whereabouts[]> {
    const { data, ledger } = this.#parts;
    const onDisk = fileAt(data, place, name);
    const seen = this.#find(place, name, session) ?? (onDisk ? undefined : await this.#elsewhere?.find(place, name));
    if (!seen) return [{ root: homeFolder(data, place.home), components: inboxComponents(place), name: onDisk?.name ?? name }];
    const inSpool = { root: dirname(seen.path), components: [], name: toByteName(basename(seen.path)) };
    const original = seen.state === 'taken' ? await readOriginal(ledger.read, seen.id) : undefined;
    if (!original) return [inSpool];
    return [inSpool, { root: homeFolder(data, original.home), components: [original.folder], name: toByteName(original.name) }];
  }

  async touch(place: Place, name: ByteName, session: string, setMs: number): Promise<void> {
    const seen = this.#find(place, name, session);
    if (seen) this.#view.change(seen, { setMs });
  }

  async rename(from: Named, to: Named, { session }: Renamer): Promise<void> {
    const seen = this.#find(from, from.name, session) ?? (await this.#bring(from, from.name));
    if (!seen) throw this.#notHere(from, from.name, 'renamed');
    if (seen.state === 'open' && seen.session !== session) throw notYours(from.name);
    if (isTest(from) !== isTest(to) && seen.state !== 'waiting') throw staysWhereItIs(seen);
    const real = isReal(to);
    if (seen.state === 'broken' && real) throw unfinishedUpload(from.name);
    if (seen.state === 'waiting' && real) {
      const asked = this.#mustHaveRoom(to.home);
      if (asked !== undefined) await asked;
      await this.#take(seen, to, seen.size, null);
      return;
    }
    if (seen.state === 'taken' && real && !isTest(to))
      await this.#parts.ledger.write([`home ${seen.home}`], (rows) => renameItem(rows, seen.id, to.name));
    this.#view.hide(seen);
    const moved: Seen = { ...seen, home: to.home, folder: to.folder, name: to.name };
    this.#view.show(moved);
    if (moved.state === 'waiting') this.#keep(moved, 'waiting', moved.size);
  }

  async remove(place: Place, name: ByteName, session: string): Promise<void> {
    const seen = this.#find(place, name, session) ?? (await this.#bring(place, name));
    if (!seen) throw this.#notHere(place, name, 'removed');
    // WinSCP removes what has the name before it renames its own: the other session's upload goes on, and is taken when it is closed.
    if (seen.state === 'open' && seen.session !== session) this.#view.unname(seen);
    else if (seen.state === 'open') throw isBeingWritten(name);
    else if (seen.state === 'taken') this.#elsewhere?.hide(seen.id);
    else this.#drop(seen);
    this.#view.hideTaken(place, seen.name);
    // It was durable, and so is that it is gone: after a power loss it would wait for its name again, and be refused for that in the end.
    if (seen.state === 'waiting') await this.#parts.folders.sync(dirname(seen.path));
  }

  take(place: Place, name: ByteName, path: string | Buffer, found?: Found): Promise<Taken> {
    return this.#takeFromHome(place, { name, login: null, session: null, mode: modeOf(place), path }, folderOf(path), found);
  }

  /** Takes a file that the gateway has written, as if it had been dropped into the inbox. Throws `quota`, `storage`; then it is gone. */
  async put(file: Pick<Complete, 'item' | 'home' | 'name' | 'path' | 'size' | 'together'>): Promise<void> {
    await this.#mustHaveRoom(file.home);
    const { item: id, home, name, size } = file;
    const path = await takeIntoCustody(this.#parts, { ...file, login: null, mode: 'send', sha256: null, onFailure: 'discard' });
    this.#showTaken({ home, folder: 'inbox', name, login: null, session: null, size, id, path });
  }

  async resend({ kept, name, login, session, ...place }: ResendRequest): Promise<Taken> {
    const { data, ledger, folders } = this.#parts;
    const root = homeFolder(data, place.home);
    // An ERP may see it before its name there is durable: a power loss would undo that alone, and it would be published a second time.
    await folders.sync(root, ['refused']).catch(goneOr);
    const refused = await readRefused(ledger.read, place.home, kept);
    const resends = refused?.isOriginal ? refused.item : undefined;
    // A suggested repair is a document of its own, as if it had been written into the inbox.
    const mode = place.folder === 'overwrite' || refused?.isOriginal === false ? modeOf(place) : 'resend';
    return inFolder(root, ['refused'], (folder) =>
      // Where the watcher will find it, should a crash leave it half taken.
      inFolder(root, inboxComponents(place), (inbox) => {
        const path = folder.path(toByteName(kept));
        return this.#takeFromHome(
          place,
          { name, login, session, mode, path, ...(resends !== undefined && { resends }) },
          String(inbox.self),
        );
      }),
    ).catch(goneOr);
  }

  async reclaim(place: Place, name: ByteName, path: string | Buffer): Promise<void> {
    const carried = parseCarried(name);
    if (!carried) return;
    const isOurs = (await readItem(this.#parts.ledger.read, carried.item)) !== undefined;
    if (isOurs) discard(path);
    else giveName(path, fileIn(folderOf(path), carried.name), carried.name, carried.item);
    this.#parts.log.warn({ event: 'spool.reclaimed', home: place.home, item: carried.item, isOurs });
  }

  leave(session: string): void {
    for (const seen of this.#view.leave(session)) this.#drop(seen);
  }

  [Symbol.dispose](): void {
    this.#pruning[Symbol.dispose]();
  }

  /** It lingers in sight for a while, then it is forgotten. */
  #end(item: Item): void {
    this.#pending.end(item);
    this.#endInSight(item.item);
  }

  #endInSight(item: string): void {
    const seen = this.#view.byId(item);
    if (seen) this.#view.change(seen, { ended: true });
  }

  #showPending(item: Item): void {
    const seen = this.#view.byId(item.item);
    if (seen) this.#view.change(seen, { ended: false });
    else this.#view.show(takenOf(this.#parts.data, item));
  }

  #find(place: Place, name: ByteName, session: string): Seen | undefined {
    const seen = this.#view.find(place, name, session);
    return seen && this.#hasGone(seen) ? this.#find(place, name, session) : seen;
  }

  /** Where another node has brought it to itself, it is forgotten. */
  #hasGone(seen: Seen): boolean {
    if (!this.#elsewhere?.hasGone(seen)) return false;
    this.#view.hide(seen);
    return true;
  }

  /** What another node has of this name comes into sight here; an upload only for the login that began it, where one is named. */
  async #bring(place: Place, name: ByteName, login?: string): Promise<Seen | undefined> {
    if (!this.#elsewhere || fileAt(this.#parts.data, place, name)) return undefined;
    const seen = await this.#elsewhere.find(place, name);
    if (!seen || (login !== undefined && seen.login !== login)) return undefined;
    if (seen.state === 'open') return login === undefined ? seen : undefined;
    const lingerUntilMs = this.#parts.clock.now() + this.#settings.linger;
    const brought = seen.state === 'taken' ? { ...seen, ended: true, lingerUntilMs } : await this.#elsewhere.bring(seen);
    if (brought) this.#view.show(brought);
    return brought;
  }

  #mustHaveRoom(home: string): Promise<void> | undefined {
    return this.#pending.mustHaveRoom(home, this.#settings.itemsPerAccountMax);
  }

  #upload(id: string): Seen {
    const seen = this.#view.byId(id);
    if (seen?.state !== 'open') throw new AppError('missing', 'this upload has ended already; send the file again');
    return seen;
  }

  /** Takes an upload into custody under a real name. */
  async #take(seen: Seen, to: Named, size: number, sha256: string | null, mode = modeOf(to)): Promise<Taken> {
    if (isTest(to) && mode !== 'unnamed') return this.#test(seen, to, size);
    const { login, path, begunAt } = seen;
    const { home, name } = to;
    this.#view.hide(seen);
    // One that is refused for its name keeps the id that a receipt may have reported.
    const item = mode === 'unnamed' ? seen.id : this.#parts.newId();
    const onFailure = mode === 'unnamed' ? 'give-back' : 'discard';
    const spooled = await takeIntoCustody(this.#parts, { item, home, login, name, mode, path, size, sha256, begunAt, onFailure });
    return this.#showTaken({ ...seen, ...to, size, id: item, path: spooled });
  }

  /** Nothing of it is kept but its report, and its name in sight for a while. A crash leaves an upload that is not committed. */
  async #test(seen: Seen, { home, folder, name }: Named, size: number): Promise<Taken> {
    const { tests, newId, clock } = this.#parts;
    const item = newId();
    const { login, path } = seen;
    this.#view.hide(seen);
    try {
      await tests.run({ item, home, login, name, path, size });
    } finally {
      discard(path);
    }
    const now = clock.now();
    const lingerUntilMs = now + this.#settings.linger;
    this.#view.show({ ...seen, home, folder, name, id: item, size, state: 'taken', ended: true, mtimeMs: now, lingerUntilMs });
    return { state: 'taken', item };
  }

  /** Takes a file that lies in the home, whose folder and the one in which it may wait are held open. */
  async #takeFromHome(place: Place, { session, ...file }: FileOfHome, waitsIn: string, found?: Found): Promise<Taken> {
    const { home } = place;
    if (isTest(place)) throw new AppError('forbidden', 'this file cannot be moved here; download it and put it here to test it');
    const asked = this.#mustHaveRoom(home);
    if (asked !== undefined) await asked;
    const item = this.#parts.newId();
    const { size, mtimeMs, ino } = found ?? lstatSync(file.path);
    const path = await takeIntoCustody(this.#parts, {
      ...file,
      item,
      home,
      size,
      found: { mtimeMs, ino, waitsIn },
      sha256: found?.sha256 ?? null,
      onFailure: 'give-back',
    });
    return this.#showTaken({ ...place, name: file.name, login: file.login, session, size, id: item, path });
  }

  #showTaken(file: Omit<Seen, 'state' | 'mtimeMs' | 'lingerUntilMs' | 'ended'>): Taken {
    const { clock, inHand } = this.#parts;
    const now = clock.now();
    const ended = !inHand.has(file.home);
    this.#view.show({ ...file, state: 'taken', ended, mtimeMs: now, lingerUntilMs: now + this.#settings.linger });
    this.#pending.add({ home: file.home, item: file.id });
    return { state: 'taken', item: file.id };
  }

  /** Keeps an upload that is not committed, under a name that survives a restart. */
  #keep(seen: Seen, state: ReceivingState, size: number): void {
    const { data, incarnation, clock } = this.#parts;
    const path = receivingPath(data, incarnation, { ...seen, upload: seen.id, state, login: seen.login ?? '' });
    renameOurs(seen.path, path);
    this.#view.change(seen, { path, state, size, mtimeMs: clock.now() });
  }

  #drop(seen: Seen): void {
    this.#view.hide(seen);
    discard(seen.path);
  }

  #notHere(place: Place, name: ByteName, done: string): AppError {
    return fileAt(this.#parts.data, place, name) ? isOnDisk(name, done) : new AppError('missing', `there is no '${nameText(name)}' here`);
  }

  #prune(): void {
    const now = this.#parts.clock.now();
    for (const seen of this.#view.prune(now, now - this.#settings.partialsKept)) {
      if (this.#hasGone(seen)) continue;
      if (seen.state === 'waiting') void this.#refuseUnnamed(seen);
      else this.#drop(seen);
    }
  }

  /** Closed but never renamed: it is not removed in silence, but taken, and refused with a receipt that says why. */
  async #refuseUnnamed(seen: Seen): Promise<void> {
    try {
      await this.#take(seen, seen, seen.size, null, 'unnamed');
    } catch (error) {
      this.#parts.log.error({ event: 'upload.unnamed', err: error });
      this.#view.show(seen);
    }
  }
}

/** A refused original may be taken away, or its time may be over, while a session asks for it. */
function goneOr(error: unknown): never {
  if (systemCode(error) === 'ENOENT') throw new AppError('missing', 'there is no such file any more');
  throw error;
}

function modeOf(place: Place): SubmitMode {
  return place.folder === 'overwrite' ? 'overwrite' : 'send';
}

/** An upload under way shows the size that it had when it was opened: a client that sees more would try to resume an upload that another session still writes. */
function entryOf({ state, name, size, mtimeMs, setMs = mtimeMs }: Seen): Entry {
  return { state, name, size, mtimeMs: setMs };
}

function createEmpty(path: string): void {
  closeSync(openSync(path, 'wx', 0o640));
}
