// What becomes of a complete file: what is to be sent comes into custody, what is put into `test` is judged; either stays in sight for a while.
import { lstatSync } from 'node:fs';
import { AppError } from '#domain/error.ts';
import { inboxComponents } from '#gateway/disk/inbox-folder.ts';
import { discard, homeFolder } from '#gateway/disk/paths.ts';
import { readRefused } from '#gateway/ledger/publications.ts';
import { type DropFolder, type FoundFile, isTest, type Named, type ResendRequest, type Taken, toByteName } from '#gateway/model/intake.ts';
import type { SubmitMode } from '#gateway/model/item.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Pending } from './pending.ts';
import { type Complete, type CustodyParts, takeIntoCustody } from './take-into-custody.ts';
import type { TestRuns } from './test-runs.ts';
import type { InboxView, Seen } from './view.ts';

export interface TakingParts extends CustodyParts {
  readonly newId: () => string;
  /** Judges what is put into the folder `test`. */
  readonly tests: Pick<TestRuns, 'run'>;
}

export interface TakingSettings {
  /** How long a taken file stays in sight after CLOSE, at least. */
  readonly linger: number;
  /** Files of one account that may wait for the service. */
  readonly itemsPerAccountMax: number;
}

/** A file that the gateway has written. */
export type WrittenFile = Pick<Complete, 'item' | 'home' | 'name' | 'path' | 'size' | 'together'>;

type FileOfHome = Pick<Complete, 'name' | 'login' | 'mode' | 'path' | 'resends'> & Pick<Seen, 'session'>;

/** Each throws what `takeIntoCustody` throws, and `quota` but for uploads, for which room was asked before. */
export class Taking {
  readonly #parts: TakingParts;
  readonly #view: InboxView;
  readonly #pending: Pending;
  readonly #settings: TakingSettings;

  constructor(parts: TakingParts, view: InboxView, pending: Pending, settings: TakingSettings) {
    this.#parts = parts;
    this.#view = view;
    this.#pending = pending;
    this.#settings = settings;
  }

  /** Throws `quota` where too many files of the home wait; at once where that is known here. */
  mustHaveRoom(home: string): Promise<void> | undefined {
    return this.#pending.mustHaveRoom(home, this.#settings.itemsPerAccountMax);
  }

  /** An upload, under a real name. */
  async upload(seen: Seen, to: Named, size: number, sha256: string | null, mode = modeOf(to)): Promise<Taken> {
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

  /** As if it had been dropped into the inbox. Throws `quota`, `storage`; then it is gone. */
  async put(file: WrittenFile): Promise<void> {
    await this.mustHaveRoom(file.home);
    const { item: id, home, name, size } = file;
    const path = await takeIntoCustody(this.#parts, { ...file, login: null, mode: 'send', sha256: null, onFailure: 'discard' });
    this.#showTaken({ home, folder: 'inbox', name, login: null, session: null, size, id, path });
  }

  /** What was refused, moved back to be sent again. */
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
        return this.fromHome(place, { name, login, session, mode, path, ...(resends !== undefined && { resends }) }, String(inbox.self));
      }),
    ).catch(goneOr);
  }

  /** Takes a file that lies in the home, whose folder and the one in which it may wait are held open. */
  async fromHome(place: DropFolder, { session, ...file }: FileOfHome, waitsIn: string, found?: FoundFile): Promise<Taken> {
    const { home } = place;
    if (isTest(place)) throw new AppError('forbidden', 'this file cannot be moved here; download it and put it here to test it');
    const asked = this.mustHaveRoom(home);
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

  /** Nothing of it is kept but its report, and its name in sight for a while. A crash leaves an upload that is not committed. */
  async #test(seen: Seen, { home, folder, name }: Named, size: number): Promise<Taken> {
    const { tests, inHand, newId, clock } = this.#parts;
    const item = newId();
    const { login, path } = seen;
    this.#view.hide(seen);
    try {
      await tests.run({ item, home, login, name, path, size });
    } finally {
      inHand.check();
      discard(path);
    }
    const now = clock.now();
    const lingerUntilMs = now + this.#settings.linger;
    this.#view.show({ ...seen, home, folder, name, id: item, size, state: 'taken', ended: true, mtimeMs: now, lingerUntilMs });
    return { state: 'taken', item };
  }

  #showTaken(file: Omit<Seen, 'state' | 'mtimeMs' | 'lingerUntilMs' | 'ended'>): Taken {
    const now = this.#parts.clock.now();
    const ended = !this.#pending.add({ home: file.home, item: file.id });
    this.#view.show({ ...file, state: 'taken', ended, mtimeMs: now, lingerUntilMs: now + this.#settings.linger });
    return { state: 'taken', item: file.id };
  }
}

/** A refused original may be taken away, or its time may be over, while a session asks for it. */
function goneOr(error: unknown): never {
  if (systemCode(error) === 'ENOENT') throw new AppError('missing', 'there is no such file any more');
  throw error;
}

export function modeOf(place: DropFolder): SubmitMode {
  return place.folder === 'overwrite' ? 'overwrite' : 'send';
}
