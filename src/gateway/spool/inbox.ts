// The intake as this process answers it: uploads in spool/receiving, the view of each inbox, the hand-over into custody.
import { closeSync, lstatSync, openSync, renameSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import { fileIn, folderOf, giveName, parseCarried } from '#gateway/disk/carry.ts';
import { fileAt, filesIn, inboxComponents } from '#gateway/disk/inbox-folder.ts';
import { discard, homeFolder, receivingFolder } from '#gateway/disk/paths.ts';
import { receivingPath, spooledPath, syncBytes } from '#gateway/disk/spool-files.ts';
import { readItem, readPending, renameItem } from '#gateway/ledger/items.ts';
import { readOriginal, readRefused } from '#gateway/ledger/publications.ts';
import { nameText, shownName } from '#gateway/model/file-names.ts';
import {
  type ByteName,
  type Entry,
  type Found,
  type Intake,
  isReal,
  type Named,
  type Place,
  type Taken,
  toByteName,
} from '#gateway/model/intake.ts';
import type { Item, SubmitMode } from '#gateway/model/item.ts';
import type { Subject } from '#gateway/model/outcome.ts';
import { every } from '#runtime/clock.ts';
import { allOrNone } from '#runtime/files/durable.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import type { RoomLimits } from './room.ts';
import { type Complete, type TakeParts, takeFile } from './take.ts';
import { readUnfinished } from './unfinished.ts';
import { InboxView, type Seen } from './view.ts';
import { lookForWaiting } from './waiting.ts';

const PRUNE_EVERY_MS = 10_000;

export interface DropboxSettings extends RoomLimits {
  /** How long a taken file stays in sight after CLOSE, at least. */
  readonly linger: number;
  /** How long a broken upload can be resumed, and a temporary name may wait for its rename. */
  readonly partialsKept: number;
  /** Files of one account that may wait for the service. */
  readonly itemsPerAccountMax: number;
}

type FileOfHome = Pick<Complete, 'name' | 'login' | 'mode' | 'path' | 'resends'> & Pick<Seen, 'session'>;

export interface Dropbox extends Intake, Disposable {
  /** At start: shows pending items and broken uploads again. */
  recover(): Promise<void>;
  /** The item has ended: it lingers in sight for a while, then it is forgotten. */
  ended(item: Pick<Item, 'item' | 'home'>): void;
}

export interface DropboxParts extends TakeParts {
  /** For lines that a login causes without a document. */
  readonly lines: LogLines;
}

/** `waits`: called once or more for each file that waits too long for its real name. */
export function openDropbox(parts: DropboxParts, settings: DropboxSettings, waits: (subject: Subject) => Promise<void>): Dropbox {
  const { data, ledger, folders, clock, newId, log, lines } = parts;
  const view = new InboxView();
  /** Items that wait for the service, by home. */
  const pending = new Map<string, Set<string>>();
  const lookAtWaiting = lookForWaiting({ view, clock, log: lines, tell: waits });

  function pendingOf(home: string): Set<string> {
    const items = pending.get(home) ?? new Set();
    pending.set(home, items);
    return items;
  }

  function checkQuota(home: string): void {
    const waiting = pendingOf(home).size;
    const { itemsPerAccountMax: max } = settings;
    if (waiting >= max) throw new AppError('quota', `inbox is full: ${waiting} of ${max} files wait for the service; try again later`);
  }

  function upload(id: string): Seen {
    const seen = view.byId(id);
    if (seen?.state !== 'open') throw new AppError('missing', 'this upload has ended already; send the file again');
    return seen;
  }

  /** Takes a file of the view into custody under a real name. */
  async function commit(seen: Seen, to: Named, size: number, sha256: string | null, mode = modeOf(to)): Promise<Taken> {
    const { path } = seen;
    const { home, name } = to;
    view.hide(seen);
    // One that is refused for its name keeps the id that a receipt may have told.
    const taken = await takeFile(mode === 'unnamed' ? { ...parts, newId: () => seen.id } : parts, {
      home,
      login: seen.login,
      name,
      mode,
      path,
      size,
      sha256,
      onFailure: mode === 'unnamed' ? 'give-back' : 'discard',
    });
    showTaken({ ...seen, ...to, size, ...taken });
    return { state: 'taken', item: taken.item };
  }

  function showTaken(file: Named & Pick<Seen, 'size' | 'login' | 'session' | 'path' | 'setMs'> & { item: string }): void {
    const { home, folder, name, size, login, session, item: id, path, setMs } = file;
    const now = clock.now();
    const lingerUntilMs = now + settings.linger;
    view.show({ home, folder, name, size, login, session, id, path, state: 'taken', ended: false, mtimeMs: now, setMs, lingerUntilMs });
    pendingOf(home).add(id);
  }

  /** Keeps an upload that is not committed, under a name that survives a restart. */
  function keep(seen: Seen, state: 'broken' | 'waiting', size: number): void {
    const path = receivingPath(data, { ...seen, upload: seen.id, state: state === 'broken' ? 'p' : 'w', login: seen.login ?? '' });
    renameSync(seen.path, path);
    view.change(seen, { path, state, size, mtimeMs: clock.now() });
  }

  function drop(seen: Seen): void {
    view.hide(seen);
    discard(seen.path);
  }

  const intake: Intake = {
    async open({ home, folder, name, login, session, resume }) {
      checkQuota(home);
      const before = view.find({ home, folder }, name, session);
      const unfinished = before?.state === 'broken' || before?.state === 'waiting' ? before : undefined;
      if (unfinished && resume && unfinished.login === login) {
        // On disk too it is not closed any more: a crash must leave a broken upload.
        keep(unfinished, 'broken', unfinished.size);
        const seen: Seen = { ...unfinished, session, state: 'open' };
        view.hide(unfinished);
        view.show(seen);
        return { upload: seen.id, path: unfinished.path, size: unfinished.size };
      }
      // What another session has closed and may be about to rename stays its own.
      if (unfinished && (unfinished.session === session || !view.isLiving(unfinished.session))) drop(unfinished);
      for (const gone of view.makeRoom(home, settings)) drop(gone);
      const now = clock.now();
      const id = newId();
      const path = receivingPath(data, { upload: id, state: 'p', folder, home, login, name });
      createEmpty(path);
      view.show({
        home,
        folder,
        name,
        login,
        session,
        id,
        path,
        state: 'open',
        size: 0,
        mtimeMs: now,
        lingerUntilMs: 0,
        ended: false,
      });
      return { upload: id, path, size: 0 };
    },

    // Only homes may be full (quotas.ts); how large a file may be is known to who writes it.
    async grow() {},

    async commit(id, { size, sha256, setMs }) {
      const seen = upload(id);
      view.change(seen, { setMs });
      if (isReal(seen)) return commit(seen, { ...seen }, size, sha256);
      try {
        keep(seen, 'waiting', size);
        await allOrNone(syncBytes(seen.path), folders.sync(receivingFolder(data)));
      } catch (error) {
        // A second fsync would prove nothing: it must not be renamed into a document.
        drop(seen);
        throw new AppError('storage', 'the file could not be stored safely, and nothing was kept of it; send it again later', {
          cause: error,
        });
      }
      return { state: 'waiting' };
    },

    async abandon(id) {
      const seen = upload(id);
      const size = statSync(seen.path).size;
      if (size === 0) drop(seen);
      else keep(seen, 'broken', size);
      lines.info({ event: 'upload.broken', home: seen.home, login: seen.login, file: nameText(seen.name), size });
    },

    async cancel(id) {
      drop(upload(id));
    },

    async view(place, session) {
      const found = await filesIn(data, place);
      const seen = view.list(place);
      const names = new Set(seen.map((each) => each.name));
      const own = seen.filter((each) => each.session === session).map(entryOf);
      const others = [...seen.filter((each) => each.session !== session).map(entryOf), ...found.filter((entry) => !names.has(entry.name))];
      return [...own, ...others.map((entry) => ({ ...entry, name: shownName(entry.name) }))];
    },

    async find(place, name, session) {
      const seen = view.find(place, name, session);
      if (seen) return entryOf(seen);
      return fileAt(data, place, name);
    },

    async where(place, name, session) {
      const seen = view.find(place, name, session);
      if (!seen) {
        const onDisk = fileAt(data, place, name)?.name ?? name;
        return [{ root: homeFolder(data, place.home), components: inboxComponents(place), name: onDisk }];
      }
      const inSpool = { root: dirname(seen.path), components: [], name: toByteName(basename(seen.path)) };
      if (seen.state !== 'taken') return [inSpool];
      const original = await readOriginal(ledger.read, seen.id);
      if (!original) return [inSpool];
      return [inSpool, { root: homeFolder(data, original.home), components: [original.folder], name: toByteName(original.name) }];
    },

    async touch(place, name, session, setMs) {
      const seen = view.find(place, name, session);
      if (seen) view.change(seen, { setMs });
    },

    async rename(from, to, { session }) {
      const seen = view.find(from, from.name, session);
      if (!seen) throw await notHere(from, from.name, 'renamed');
      if (seen.state === 'open' && seen.session !== session) throw notYours(from.name);
      const real = isReal(to);
      if (seen.state === 'broken' && real) throw unfinishedUpload(from.name);
      if (seen.state === 'waiting' && real) {
        checkQuota(to.home);
        await commit(seen, to, seen.size, null);
        return;
      }
      if (seen.state === 'taken' && real) await ledger.write((rows) => renameItem(rows, seen.id, to.name));
      view.hide(seen);
      const moved: Seen = { ...seen, home: to.home, folder: to.folder, name: to.name };
      view.show(moved);
      if (moved.state === 'waiting') keep(moved, 'waiting', moved.size);
    },

    async remove(place, name, session) {
      const seen = view.find(place, name, session);
      if (!seen) throw await notHere(place, name, 'removed');
      // WinSCP removes what has the name before it renames its own: the other session's upload goes on, and is taken when it is closed.
      if (seen.state === 'open' && seen.session !== session) view.unname(seen);
      else if (seen.state === 'open') throw new AppError('forbidden', `'${nameText(name)}' is being written; close it first`);
      else if (seen.state !== 'taken') drop(seen);
      view.hideTaken(place, seen.name);
    },

    take: (place, name, path, found) =>
      takeFrom(place, { name, login: null, session: null, mode: modeOf(place), path }, folderOf(path), found),

    async resend({ kept, name, login, session, ...place }) {
      const root = homeFolder(data, place.home);
      const resends = await readRefused(ledger.read, place.home, kept);
      const mode = place.folder === 'overwrite' ? 'overwrite' : 'resend';
      return inFolder(root, ['refused'], (refused) =>
        // Where the watcher will find it, should a crash leave it half taken.
        inFolder(root, inboxComponents(place), (inbox) => {
          const path = refused.path(toByteName(kept));
          return takeFrom(place, { name, login, session, mode, path, ...(resends !== undefined && { resends }) }, String(inbox.self));
        }),
      ).catch(goneOr);
    },

    async reclaim(place, name, path) {
      const carried = parseCarried(name);
      if (!carried) return;
      const isOurs = (await readItem(ledger.read, carried.item)) !== undefined;
      if (isOurs) discard(path);
      else giveName(path, fileIn(folderOf(path), carried.name), carried.name, carried.item);
      log.warn({ event: 'spool.reclaimed', home: place.home, item: carried.item, isOurs });
    },

    leave(session) {
      for (const seen of view.leave(session)) drop(seen);
    },
  };

  /** Takes a file that lies in the home, whose folder and the one in which it may wait are held open. */
  async function takeFrom(place: Place, file: FileOfHome, waitsIn: string, found?: Found): Promise<Taken> {
    const { home } = place;
    checkQuota(home);
    const { session, ...complete } = file;
    const { size, mtimeMs, ino } = found ?? lstatSync(file.path);
    const taken = await takeFile(parts, {
      ...complete,
      home,
      size,
      found: { mtimeMs, ino, waitsIn },
      sha256: found?.sha256 ?? null,
      onFailure: 'give-back',
    });
    showTaken({ ...place, name: file.name, login: file.login, session, size, ...taken });
    return { state: 'taken', item: taken.item };
  }

  async function notHere(place: Place, name: ByteName, done: string): Promise<AppError> {
    const found = await intake.find(place, name, '');
    return found
      ? new AppError(
          'forbidden',
          `'${nameText(name)}' was put into the folder on the server, where it cannot be ${done} from here; it is taken soon`,
        )
      : new AppError('missing', `there is no '${nameText(name)}' here`);
  }

  function prune(): void {
    const now = clock.now();
    lookAtWaiting();
    for (const seen of view.prune(now, now - settings.partialsKept)) {
      if (seen.state === 'waiting') void refuseUnnamed(seen);
      else drop(seen);
    }
  }

  /** Closed but never renamed: it is not removed in silence, but taken, and refused with a receipt that says why. */
  async function refuseUnnamed(seen: Seen): Promise<void> {
    try {
      await commit(seen, seen, seen.size, null, 'unnamed');
    } catch (error) {
      log.error({ event: 'upload.unnamed', err: error });
      view.show(seen);
    }
  }

  const timer = every(clock, PRUNE_EVERY_MS, prune, (error) => log.error({ event: 'dropbox.unpruned', err: error }));
  return {
    ...intake,
    ended({ item, home }) {
      pendingOf(home).delete(item);
      const seen = view.byId(item);
      if (seen) view.change(seen, { ended: true });
    },
    async recover() {
      for (const item of await readPending(ledger.read)) {
        const { home, login, fileName: name, size, receivedAt } = item;
        const path = `${data}/${spooledPath(item)}`;
        const place: Place = { home, folder: item.mode === 'overwrite' ? 'overwrite' : 'inbox' };
        view.show({
          ...place,
          name,
          login,
          session: null,
          id: item.item,
          size,
          path,
          state: 'taken',
          ended: false,
          mtimeMs: receivedAt,
          lingerUntilMs: 0,
        });
        pendingOf(home).add(item.item);
      }
      for (const seen of readUnfinished(data)) view.show(seen);
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

/** A refused original may be taken away, or its time may be over, while somebody asks for it. */
function goneOr(error: unknown): never {
  if (systemCode(error) === 'ENOENT') throw new AppError('missing', 'there is no such file any more');
  throw error;
}

function modeOf(place: Place): SubmitMode {
  return place.folder === 'overwrite' ? 'overwrite' : 'send';
}

/** An upload under way shows the size that it had when it was opened: a client that sees more would try to resume what is still in other hands. */
function entryOf({ state, name, size, mtimeMs, setMs = mtimeMs }: Seen): Entry {
  return { state, name, size, mtimeMs: setMs };
}

function notYours(name: ByteName): AppError {
  return new AppError('forbidden', `'${nameText(name)}' is being written by another session; upload under a name of your own`);
}

/** Nobody was told OK for it, so nobody may be told OK for its new name. */
function unfinishedUpload(name: ByteName): AppError {
  return new AppError('forbidden', `the upload of '${nameText(name)}' was cut off before it was closed; resume it, or upload it again`);
}

function createEmpty(path: string): void {
  closeSync(openSync(path, 'wx', 0o640));
}
