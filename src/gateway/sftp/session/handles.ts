// The open uploads, downloads and listings of a client, each under a handle that is never used again.
import { close, read } from 'node:fs';
import { promisify } from 'node:util';
import { AppError } from '#domain/error.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { Facts, Listed } from '#gateway/sftp/protocol/replies.ts';
import type { OpenFile } from '#runtime/files/safe-folder.ts';
import { Coverage } from './coverage.ts';
import { RunningDigest } from './running-digest.ts';
import { Upload } from './upload.ts';
import { ViewDownload } from './views.ts';

const closeAsync = promisify(close);
const readAsync = promisify(read);

/** Entries of one reply to READDIR. */
const LISTED_AT_ONCE = 100;
/** Folders that one channel may be listing: each holds all names, and clients read one, or one for each level. */
const LISTINGS_MAX = 8;

/** Files of which a digest is made while they are read. */
const DIGEST_BYTES_MAX = 2 ** 20;

/** Of a file that counts as fetched when a client has all of it. */
export interface Fetching {
  /** So many of its first bytes were read before. */
  readonly readBefore: number;
  /** CLOSE by the client, which has it all; `isFromStart` where all was read under this handle. */
  readonly whole: (sha256: string | null, isFromStart: boolean) => Promise<void>;
  /** Closed earlier, with so many of its first bytes read. */
  readonly partly: (upTo: number) => void;
}

/** A file that a client is reading. */
export class Download {
  readonly #file: OpenFile;
  readonly #check: () => void;
  readonly #fetching: Fetching | null;
  readonly #reading = new Set<Promise<unknown>>();
  readonly #read = new Coverage();
  readonly #digest: RunningDigest | null;

  /** `check` throws when the file may not be read any more. */
  constructor(file: OpenFile, check: () => void, fetching: Fetching | null = null) {
    this.#file = file;
    this.#check = check;
    this.#fetching = fetching;
    this.#digest = fetching && file.size <= DIGEST_BYTES_MAX ? new RunningDigest() : null;
  }

  stat(): Facts {
    return { kind: 'file', size: this.#file.size, mtimeMs: this.#file.mtimeMs };
  }

  /** Returns the number of bytes; 0 at the end. Throws what `check` does. */
  async read(offset: number, into: Buffer, start: number): Promise<number> {
    this.#check();
    const reading = readAsync(this.#file.descriptor, into, start, into.length - start, offset);
    this.#reading.add(reading);
    try {
      const { bytesRead } = await reading;
      if (this.#fetching) this.#read.add(offset, bytesRead);
      this.#digest?.add(offset, into.subarray(start, start + bytesRead));
      return bytesRead;
    } finally {
      this.#reading.delete(reading);
    }
  }

  /** The connection was lost. Closes when no read is under way: a descriptor closed too early could by then be another file's. */
  async abandon(): Promise<void> {
    await this.#close();
    this.#partly();
  }

  /** CLOSE by the client. It has all when it has read to the end from the start, or from where it knows that an earlier session had come. */
  async finish(): Promise<void> {
    await this.#close();
    const { size } = this.#file;
    const from = size === 0 ? 0 : this.#read.restFrom(size);
    const isWhole = from === 0 || (from < size && from <= (this.#fetching?.readBefore ?? 0));
    if (isWhole) await this.#fetching?.whole(this.#digest?.ofFirst(size) ?? null, from === 0);
    else this.#partly();
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#reading);
    await closeAsync(this.#file.descriptor);
  }

  #partly(): void {
    if (this.#fetching) this.#fetching.partly(this.#read.upTo(this.#fetching.readBefore));
  }
}

/** A folder that a client is listing. */
export class Listing {
  readonly #left: Listed[] = [];
  readonly #pages: AsyncIterator<readonly Listed[]>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(pages: AsyncIterable<readonly Listed[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** Names as they were at OPENDIR, their facts as they are when asked for; what is known before them. */
  static of(
    names: readonly string[],
    factsOf: (names: readonly string[]) => Promise<readonly Listed[]>,
    before: readonly Listed[] = [],
  ): Listing {
    return new Listing(factPages(names, factsOf, before));
  }

  /** The next entries; none at the end. Asked several times at once, it reads one page after the other. */
  next(): Promise<readonly Listed[]> {
    const turn = this.#turn.then(() => this.#next());
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #next(): Promise<readonly Listed[]> {
    while (this.#left.length === 0) {
      const { done, value } = await this.#pages.next();
      if (done) return [];
      this.#left.push(...value);
    }
    return this.#left.splice(0, LISTED_AT_ONCE);
  }
}

async function* factPages(
  names: readonly string[],
  factsOf: (names: readonly string[]) => Promise<readonly Listed[]>,
  before: readonly Listed[],
): AsyncGenerator<readonly Listed[]> {
  if (before.length > 0) yield before;
  const left = [...names];
  while (left.length > 0) yield await factsOf(left.splice(0, LISTED_AT_ONCE));
}

type Open = Upload | Download | ViewDownload | Listing;

const DOING = (open: Open): string => (open instanceof Upload ? 'uploads' : open instanceof Listing ? 'lists' : 'downloads');

/** The open things of one SFTP channel. */
export class Handles {
  /** How many may be open. */
  readonly most: number;
  readonly #open = new Map<string, Open>();
  /** Under which they were opened. */
  readonly #paths = new Map<string, string>();
  #given = 0;
  #opening = 0;
  #listing = 0;

  constructor(most: number) {
    this.most = most;
  }

  get count(): number {
    return this.#open.size + this.#opening;
  }

  /** What the client does with them: `uploads invoice.xml`. */
  get doing(): string[] {
    return [...this.#open].map(([handle, open]) => `${DOING(open)} ${nameText(this.#paths.get(handle)?.split('/').at(-1) || '.')}`);
  }

  /** OPENDIR. Throws `quota` before anything is read, and what `open` throws. */
  async addListing(open: () => Promise<Listing>, path = ''): Promise<string> {
    const listings = [...this.#open.values()].filter((each) => each instanceof Listing).length + this.#listing;
    if (listings >= LISTINGS_MAX) throw new AppError('quota', `too many folders are open: ${listings} of ${LISTINGS_MAX}`);
    this.#listing++;
    try {
      return await this.add(open, path);
    } finally {
      this.#listing--;
    }
  }

  /** Opens something and gives it a handle. Throws `quota` before anything is opened, and what `open` throws. */
  async add(open: () => Promise<Open>, path = ''): Promise<string> {
    if (this.count >= this.most) throw new AppError('quota', `too many files are open: ${this.count} of ${this.most}; close some first`);
    this.#opening++;
    try {
      const opened = await open();
      const handle = (++this.#given).toString(36);
      this.#open.set(handle, opened);
      this.#paths.set(handle, path);
      return handle;
    } finally {
      this.#opening--;
    }
  }

  get(handle: string): Open {
    const open = this.#open.get(handle);
    if (!open) throw new AppError('bad-request', 'this handle is not open');
    return open;
  }

  upload(handle: string): Upload {
    const open = this.get(handle);
    if (!(open instanceof Upload)) throw new AppError('forbidden', 'this file was not opened for writing');
    return open;
  }

  file(handle: string): Upload | Download | ViewDownload {
    const open = this.get(handle);
    if (open instanceof Listing) throw new AppError('forbidden', 'this is a folder');
    return open;
  }

  listing(handle: string): Listing {
    const open = this.get(handle);
    if (!(open instanceof Listing)) throw new AppError('forbidden', 'this is not a folder');
    return open;
  }

  /** CLOSE: the handle is gone at once, whatever closing brings. */
  async close(handle: string): Promise<void> {
    const open = this.get(handle);
    this.#open.delete(handle);
    this.#paths.delete(handle);
    if (open instanceof Upload) await open.commit();
    else if (open instanceof Download) await open.finish();
    else if (open instanceof ViewDownload) open[Symbol.dispose]();
  }

  /** The channel has ended: uploads that were not closed are given up. Throws nothing; what failed comes back. */
  async abandonAll(): Promise<unknown[]> {
    const open = [...this.#open.values()];
    this.#open.clear();
    this.#paths.clear();
    const ended = await Promise.allSettled(
      open.map(async (each) => {
        if (each instanceof Upload) await each.abandon();
        else if (each instanceof Download) await each.abandon();
        else if (each instanceof ViewDownload) each[Symbol.dispose]();
      }),
    );
    return ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  }
}
