// The entries of a backup: a line of JSON each, and of a file its bytes and their SHA-256. The first says what it is a backup of, the last how many there
// are. Names are bytes, one character each (latin1), as everywhere.
import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';

const Manifest = Type.Object({
  kind: Type.Literal('backup'),
  version: Type.String(),
  madeAt: Type.String(),
  role: Type.Union([Type.Literal('all'), Type.Literal('gateway'), Type.Literal('core')]),
  environment: Type.String(),
});
const FolderEntry = Type.Object({ kind: Type.Literal('folder'), path: Type.String(), mode: Type.Integer() });
const FileEntry = Type.Object({
  kind: Type.Literal('file'),
  path: Type.String(),
  mode: Type.Integer(),
  mtimeMs: Type.Number(),
  size: Type.Integer({ minimum: 0 }),
});
const End = Type.Object({ kind: Type.Literal('end'), entries: Type.Integer() });
const form = Compile(Type.Union([Manifest, FolderEntry, FileEntry, End]));

export type Manifest = Static<typeof Manifest>;
export type FolderEntry = Static<typeof FolderEntry>;
export type FileEntry = Static<typeof FileEntry>;

/** What is written; of a file exactly as many bytes as it says. */
export type Item = FolderEntry | (FileEntry & { readonly content: AsyncIterable<Buffer> });

const LINE_BYTES_MAX = 65_536;
const DIGEST_BYTES = 32;

export async function* write(manifest: Manifest, items: AsyncIterable<Item>): AsyncGenerator<Buffer> {
  yield lineOf(manifest);
  let entries = 0;
  for await (const item of items) {
    entries++;
    if (item.kind === 'folder') yield lineOf(item);
    else yield* writeFile(item);
  }
  yield lineOf({ kind: 'end', entries });
}

async function* writeFile({ content, ...entry }: Extract<Item, { kind: 'file' }>): AsyncGenerator<Buffer> {
  yield lineOf(entry);
  const hash = createHash('sha256');
  for await (const bytes of content) {
    hash.update(bytes);
    yield bytes;
  }
  yield hash.digest();
}

function lineOf(entry: object): Buffer {
  return Buffer.from(`${JSON.stringify(entry)}\n`);
}

export interface Visitor {
  begin(manifest: Manifest): Promise<void>;
  folder(entry: FolderEntry): Promise<void>;
  /** Takes all of the content; that it was right is known when it has ended. */
  file(entry: FileEntry, content: AsyncIterable<Buffer>): Promise<void>;
}

/** Shows all entries to the visitor. Throws `unreadable` where something is missing, or a file is another one. */
export async function read(source: AsyncIterable<Buffer>, visitor: Visitor): Promise<Manifest> {
  const reader = new Reader(source);
  const manifest = entryIn(await reader.line());
  if (manifest.kind !== 'backup') throw damaged('it does not begin as one');
  await visitor.begin(manifest);
  for (let entries = 0; ; entries++) {
    const entry = entryIn(await reader.line());
    if (entry.kind === 'folder') await visitor.folder(entry);
    else if (entry.kind === 'file') await readFile(reader, entry, visitor);
    else if (entry.kind === 'end' && entry.entries === entries) return manifest;
    else throw damaged('entries are missing');
  }
}

async function readFile(reader: Reader, entry: FileEntry, visitor: Visitor): Promise<void> {
  const hash = createHash('sha256');
  async function* content(): AsyncGenerator<Buffer> {
    for await (const bytes of reader.bytes(entry.size)) {
      hash.update(bytes);
      yield bytes;
    }
  }
  await visitor.file(entry, content());
  const digest: Buffer[] = [];
  for await (const bytes of reader.bytes(DIGEST_BYTES)) digest.push(bytes);
  if (!hash.digest().equals(Buffer.concat(digest))) throw damaged(`${entry.path} is not what was written`);
}

function entryIn(line: Buffer): Static<typeof Manifest | typeof FolderEntry | typeof FileEntry | typeof End> {
  const entry = parsedJson(line);
  if (form.Check(entry)) return entry;
  throw damaged('an entry has another form');
}

function damaged(why: string): AppError {
  return new AppError('unreadable', `The backup is damaged: ${why}.`);
}

/** Bytes as they come, in lines and lengths. */
class Reader {
  readonly #source: AsyncIterator<Buffer>;
  #left = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async line(): Promise<Buffer> {
    for (;;) {
      const end = this.#left.indexOf(0x0a);
      if (end >= 0) return this.#take(end + 1);
      if (this.#left.length > LINE_BYTES_MAX) throw damaged('a line does not end');
      this.#left = Buffer.concat([this.#left, await this.#next()]);
    }
  }

  async *bytes(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#left.length === 0) this.#left = Buffer.from(await this.#next());
      const some = this.#take(Math.min(left, this.#left.length));
      left -= some.length;
      yield some;
    }
  }

  #take(length: number): Buffer {
    const taken = this.#left.subarray(0, length);
    this.#left = this.#left.subarray(length);
    return taken;
  }

  async #next(): Promise<Buffer> {
    const next = await this.#source.next();
    if (next.done) throw damaged('it ends too early');
    return next.value;
  }
}
