// Makes a backup of an installation, also while its daemon works, and reads it again.
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open as openFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { isoTime } from '#domain/day.ts';
import { AppError, messageOf } from '#domain/error.ts';
import { copySnapshot } from '#engines/copy.ts';
import { inspectDatabase } from '#engines/open.ts';
import { LEDGER_PLACES, LEDGERS_OF, type LedgerName } from '#installation/ledger-places.ts';
import type { Config } from '#runtime/config/config.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { lockBackup } from '#runtime/files/lock.ts';
import { open, type Secret, seal } from './cipher.ts';
import { contentsOf } from './contents.ts';
import { type Item, type Manifest, read, type Visitor, write } from './entries.ts';

interface BackupParts {
  readonly config: Config;
  readonly file: string;
  readonly secret: Secret;
  readonly version: string;
  readonly nowMs: number;
  readonly progress: (text: string) => void;
}

interface Made {
  readonly madeAt: string;
  readonly files: number;
  readonly bytes: number;
  /** Neither files nor folders, or not readable for this user. */
  readonly leftOut: readonly string[];
}

/** Copies of the ledgers, while they are packed: as confidential as the ledgers. */
const COPIES = 'backup-';

/** The file is there when all of it was written, synced, and read again. Throws `exists`, and `locked` while another one is made. */
export async function makeBackup({ config, file, secret, version, nowMs, progress }: BackupParts): Promise<Made> {
  const { data, role, environment } = config;
  const madeAt = isoTime(nowMs);
  const part = `${file}.part`;
  using _only = lockBackup(data);
  const copies = makeCopiesFolder(data);
  const leftOut: string[] = [];
  try {
    const manifest: Manifest = { kind: 'backup', version, madeAt, role, environment };
    // A file of this name would be taken for the backup that failed: so it is not overwritten.
    const target = await openFile(part, 'wx', 0o600).catch((error: unknown) => {
      throw new AppError('exists', `${part} cannot be made (${messageOf(error)}).`, {
        cause: error,
      });
    });
    try {
      await copyLedgers(config, copies, progress);
      const entries = Readable.from(write(manifest, allItems(config, copies, leftOut, progress)), { objectMode: false });
      await pipeline(
        entries,
        createGzip(),
        (source: AsyncIterable<Buffer>) => seal(source, secret),
        async (source: AsyncIterable<Buffer>) => {
          for await (const bytes of source) await target.writeFile(bytes);
        },
      );
      await target.sync();
    } finally {
      await target.close();
    }
    const files = await verify(part, secret, progress);
    await rename(part, file);
    await new FolderSync().sync(dirname(file));
    return { madeAt, files, bytes: (await stat(file)).size, leftOut };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'exists')) rmSync(part, { force: true });
    throw error;
  } finally {
    rmSync(copies, { recursive: true });
    progress('');
  }
}

/** What a backup that was killed has left goes; to be called with the lock of backups. */
function makeCopiesFolder(data: string): string {
  for (const name of readdirSync(data)) if (name.startsWith(COPIES)) rmSync(join(data, name), { recursive: true });
  return mkdtempSync(join(data, COPIES));
}

/** The gateway's first: what it calls open may have come to the core meanwhile, and is found there; the other way round it would be missing. */
async function copyLedgers(config: Config, folder: string, progress: BackupParts['progress']): Promise<void> {
  for (const ledger of LEDGERS_OF[config.role].toReversed()) {
    progress(`${ledger}: the ledger is being copied …`);
    const { schema, placeIn } = LEDGER_PLACES[ledger];
    const place = placeIn(config);
    if (!(await inspectDatabase(place, schema))) continue;
    const compared = await copySnapshot(place, copyOf(folder, ledger), schema);
    const different = compared.filter(({ isEqual }) => !isEqual).map(({ table }) => table);
    if (different.length > 0)
      throw new AppError('storage', `The copy of the ledger ${ledger} differs (${different.join(', ')}): try again.`);
  }
}

export function copyOf(folder: string, ledger: LedgerName): string {
  return join(folder, `${ledger}.db`);
}

async function* allItems({ data }: Config, copies: string, leftOut: string[], progress: BackupParts['progress']): AsyncGenerator<Item> {
  for (const name of readdirSync(copies)) {
    const { size, mtimeMs } = await stat(join(copies, name));
    yield { kind: 'file', path: `ledgers/${name}`, mode: 0o640, mtimeMs, size, content: createReadStream(join(copies, name)) };
  }
  let files = 0;
  for await (const item of contentsOf(data, (path) => leftOut.push(Buffer.from(path, 'latin1').toString()))) {
    if (item.kind === 'file' && ++files % 1_000 === 0) progress(`${files} files are packed …`);
    yield item;
  }
}

/** Reads all of it, and counts its files. */
async function verify(file: string, secret: Secret, progress: BackupParts['progress']): Promise<number> {
  progress('the backup is read again …');
  let files = 0;
  await readBackup(file, secret, {
    begin: async () => undefined,
    folder: async () => undefined,
    async file(_entry, content) {
      files++;
      for await (const _bytes of content);
    },
  });
  return files;
}

/** Throws `unreadable` for what is no whole backup, `usage` for another secret than it needs, and what the visitor throws. */
export async function readBackup(file: string, secret: Secret, visitor: Visitor): Promise<Manifest> {
  let manifest: Manifest | undefined;
  try {
    await pipeline(
      createReadStream(file),
      (source: AsyncIterable<Buffer>) => open(source, secret),
      createGunzip(),
      async (source: AsyncIterable<Buffer>) => {
        manifest = await read(source, visitor);
      },
    );
  } catch (error) {
    const isZlibs = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isZlibs ? new AppError('unreadable', 'The backup is damaged: it was changed or cut off.', { cause: error }) : error;
  }
  if (!manifest) throw new AppError('unreadable', 'The backup is empty.');
  return manifest;
}
