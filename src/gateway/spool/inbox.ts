// The intake as this process answers it: uploads in spool/receiving, what sessions see of an inbox, the hand-over into custody.
import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import { fileIn, folderOf, giveName, parseCarried } from '#gateway/disk/carry.ts';
import { discard } from '#gateway/disk/paths.ts';
import { type ReceivingState, receivingPath, syncBytes } from '#gateway/disk/spool-files.ts';
import { renameItem } from '#gateway/ledger/item-names.ts';
import { readItem, readPending } from '#gateway/ledger/items.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import {
  type ByteName,
  type ClosedFile,
  type DropFolder,
  type Entry,
  type FoundFile,
  type Intake,
  isReal,
  isTest,
  type Named,
  type Renamer,
  type ResendRequest,
  type Taken,
  type Upload,
  type UploadRequest,
  type Whereabouts,
} from '#gateway/model/intake.ts';
import type { Item } from '#gateway/model/item.ts';
import type { ItemEnded } from '#gateway/model/item-ended.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { every } from '#runtime/clock.ts';
import { allOrNone } from '#runtime/files/durable.ts';
import { renameOurs } from '#runtime/files/rename.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import { ComeAnew } from './come-anew.ts';
import { isBeingWritten, notYours, staysWhereItIs, unfinishedUpload } from './inbox-sentences.ts';
import { Pending } from './pending.ts';
import type { RoomLimits } from './room.ts';
import { Sight, type SightParts } from './sight.ts';
import { notStored } from './take-into-custody.ts';
import { modeOf, Taking, type TakingParts, type TakingSettings, type WrittenFile } from './taking.ts';
import { Unfinished, type UnfinishedParts } from './unfinished.ts';
import { InboxView, type Seen, takenOf } from './view.ts';
import { lookForWaiting } from './waiting.ts';

const PRUNE_EVERY_MS = 10_000;
/** How often it is looked for uploads of nodes that nobody here had to end: they left in order, or could not be looked at. */
const TAKE_OVER_EVERY_MS = 60_000;

export interface InboxSettings extends RoomLimits, TakingSettings {
  /** How long a broken upload can be resumed, and a temporary name may wait for its rename. */
  readonly partialsKept: number;
}

export interface InboxParts extends TakingParts, UnfinishedParts, Omit<SightParts, 'ledger' | 'unfinished'> {
  readonly inHand: HomesInHand;
  /** For lines that a login causes without a document. */
  readonly lines: LogLines;
  /** Reports files that wait for their real name. */
  readonly finisher: Pick<Finisher, 'notify'>;
  readonly ended: ItemEnded;
}

export class Inbox implements Intake, Disposable {
  readonly #parts: InboxParts;
  readonly #settings: InboxSettings;
  readonly #view = new InboxView();
  readonly #pending: Pending;
  readonly #unfinished: Unfinished;
  readonly #sight: Sight;
  readonly #taking: Taking;
  readonly #pruning: Disposable;
  readonly #takingOver: Disposable | undefined;

  constructor(parts: InboxParts, settings: InboxSettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#pending = new Pending({ ...parts, hasOtherNodes: parts.living !== undefined });
    this.#unfinished = new Unfinished(parts);
    this.#sight = new Sight({ ...parts, unfinished: this.#unfinished }, this.#view, settings.linger);
    this.#taking = new Taking(parts, this.#view, this.#pending, settings);
    const reportWaiting = lookForWaiting({ ...parts, view: this.#view, hasGone: (seen) => this.#sight.hasGone(seen), settings });
    const comeAnew = new ComeAnew(parts, this.#view);
    parts.ended.listen((item) => this.#end(item));
    const failed = (error: unknown): void => parts.log.error({ event: 'inbox.not-taken-over', err: error });
    this.#takingOver = parts.living && every(parts.clock, TAKE_OVER_EVERY_MS, () => this.takeOverUnfinished(), failed);
    this.#pruning = every(
      parts.clock,
      PRUNE_EVERY_MS,
      async () => {
        reportWaiting();
        this.#prune();
        if (!parts.living) return;
        for (const seen of await comeAnew.find()) if (!this.#sight.hasGone(seen)) this.#drop(seen);
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
    for await (const seen of this.#unfinished.takeOver()) this.#view.show(seen);
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
    await this.#unfinished.makeFolder(home);
    await this.#taking.mustHaveRoom(home);
    const place = { home, folder };
    const before = this.#sight.find(place, name, session) ?? (resume ? await this.#sight.bring(place, name, login) : undefined);
    const unfinished = before?.state === 'broken' || before?.state === 'waiting' ? before : undefined;
    if (unfinished && resume && unfinished.login === login) return this.#resume(unfinished, session);
    // What another session has closed and may be about to rename stays its own.
    if (unfinished && (unfinished.session === session || !this.#view.isLiving(unfinished.session))) this.#drop(unfinished);
    for (const broken of this.#view.makeRoom(home, this.#settings)) this.#drop(broken);
    const { data, incarnation, clock, newId } = this.#parts;
    const mtimeMs = clock.now();
    const id = newId();
    const path = receivingPath(data, incarnation, { upload: id, state: 'open', folder, home, login, name });
    closeSync(openSync(path, 'wx', 0o640));
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
    if (isReal(seen)) return this.#taking.upload(seen, { ...seen }, size, sha256);
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

  view(place: DropFolder, session: string): Promise<Entry[]> {
    return this.#sight.list(place, session);
  }

  find(place: DropFolder, name: ByteName, session: string): Promise<Entry | null> {
    return this.#sight.entry(place, name, session);
  }

  where(place: DropFolder, name: ByteName, session: string): Promise<Whereabouts[]> {
    return this.#sight.where(place, name, session);
  }

  async touch(place: DropFolder, name: ByteName, session: string, setMs: number): Promise<void> {
    const seen = this.#sight.find(place, name, session);
    if (seen) this.#view.change(seen, { setMs });
  }

  async rename(from: Named, to: Named, { session }: Renamer): Promise<void> {
    if (to.home !== from.home) await this.#unfinished.makeFolder(to.home);
    const seen = this.#sight.find(from, from.name, session) ?? (await this.#sight.bring(from, from.name));
    if (!seen) throw this.#sight.notHere(from, from.name, 'renamed');
    if (seen.state === 'open' && seen.session !== session) throw notYours(from.name);
    if (isTest(from) !== isTest(to) && seen.state !== 'waiting') throw staysWhereItIs(seen);
    const real = isReal(to);
    if (seen.state === 'broken' && real) throw unfinishedUpload(from.name);
    if (seen.state === 'waiting' && real) {
      const asked = this.#taking.mustHaveRoom(to.home);
      if (asked !== undefined) await asked;
      await this.#taking.upload(seen, to, seen.size, null);
      return;
    }
    if (seen.state === 'taken' && real && !isTest(to))
      await this.#parts.ledger.write([`home ${seen.home}`], (rows) => renameItem(rows, seen.id, to.name));
    this.#view.hide(seen);
    const moved: Seen = { ...seen, home: to.home, folder: to.folder, name: to.name };
    this.#view.show(moved);
    if (moved.state === 'waiting') this.#keep(moved, 'waiting', moved.size);
  }

  async remove(place: DropFolder, name: ByteName, session: string): Promise<void> {
    const seen = this.#sight.find(place, name, session) ?? (await this.#sight.bring(place, name));
    if (!seen) throw this.#sight.notHere(place, name, 'removed');
    // WinSCP removes what has the name before it renames its own: the other session's upload goes on, and is taken when it is closed.
    if (seen.state === 'open' && seen.session !== session) this.#view.unname(seen);
    else if (seen.state === 'open') throw isBeingWritten(name);
    else if (seen.state === 'taken') this.#sight.forget(seen);
    else this.#drop(seen);
    this.#view.hideTaken(place, seen.name);
    // It was durable, and so is that it is gone: after a power loss it would wait for its name again, and be refused for that in the end.
    if (seen.state === 'waiting') await this.#parts.folders.sync(dirname(seen.path));
  }

  take(place: DropFolder, name: ByteName, path: string | Buffer, found?: FoundFile): Promise<Taken> {
    return this.#taking.fromHome(place, { name, login: null, session: null, mode: modeOf(place), path }, folderOf(path), found);
  }

  put(file: WrittenFile): Promise<void> {
    return this.#taking.put(file);
  }

  resend(request: ResendRequest): Promise<Taken> {
    return this.#taking.resend(request);
  }

  async reclaim(place: DropFolder, name: ByteName, path: string | Buffer): Promise<void> {
    const carried = parseCarried(name);
    if (!carried) return;
    const isOurs = (await readItem(this.#parts.ledger.read, carried.item)) !== undefined;
    this.#parts.inHand.check();
    if (isOurs) discard(path);
    else giveName(path, fileIn(folderOf(path), carried.name), carried.name, carried.item);
    this.#parts.log.warn({ event: 'spool.reclaimed', home: place.home, item: carried.item, isOurs });
  }

  leave(session: string): void {
    for (const seen of this.#view.leave(session)) this.#drop(seen);
  }

  [Symbol.dispose](): void {
    this.#pruning[Symbol.dispose]();
    this.#takingOver?.[Symbol.dispose]();
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

  #upload(id: string): Seen {
    const seen = this.#view.byId(id);
    if (seen?.state !== 'open') throw new AppError('missing', 'this upload has ended already; send the file again');
    return seen;
  }

  /** Keeps an upload that is not committed, under a name that survives a restart. */
  #keep(seen: Seen, state: ReceivingState, size: number): void {
    const { data, incarnation, inHand, clock } = this.#parts;
    inHand.check();
    const path = receivingPath(data, incarnation, { ...seen, upload: seen.id, state, login: seen.login ?? '' });
    renameOurs(seen.path, path);
    this.#view.change(seen, { path, state, size, mtimeMs: clock.now() });
  }

  #drop(seen: Seen): void {
    this.#parts.inHand.check();
    this.#view.hide(seen);
    discard(seen.path);
  }

  #prune(): void {
    const now = this.#parts.clock.now();
    for (const seen of this.#view.prune(now, now - this.#settings.partialsKept)) {
      if (this.#sight.hasGone(seen)) continue;
      if (seen.state === 'waiting') void this.#refuseUnnamed(seen);
      else this.#drop(seen);
    }
  }

  /** Closed but never renamed: it is not removed in silence, but taken, and refused with a receipt that says why. */
  async #refuseUnnamed(seen: Seen): Promise<void> {
    try {
      await this.#taking.upload(seen, seen, seen.size, null, 'unnamed');
    } catch (error) {
      this.#parts.log.error({ event: 'upload.unnamed', err: error });
      this.#view.show(seen);
    }
  }
}
