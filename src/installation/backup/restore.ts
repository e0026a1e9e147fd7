// Puts a backup into an empty data folder, and its ledgers to where the configuration has them.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { chmod, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { copyDatabase } from '#engines/copy.ts';
import { inspectDatabase, openDatabase } from '#engines/open.ts';
import { FOLDER_ID } from '#gateway/disk/folder-id.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';
import { changeFolder } from '#gateway/nodes/folder.ts';
import { contentsOf, LEDGER_FILES, RESTORING } from '#installation/data-folder.ts';
import { isMade, LEDGER_PLACES, LEDGERS_OF } from '#installation/ledger-places.ts';
import { systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import type { Secret } from './cipher.ts';
import { ROOTS } from './contents.ts';
import type { FileEntry, FolderEntry, Manifest } from './entries.ts';
import { copyOf, readBackup } from './make.ts';

/** Locks that commands leave. */
const LEDGERS = 'ledgers';
/** The stamp beside the spool: where it is missing, the next start knows that ledger and spool come from a backup. */
const STAMP = 'spool/.epoch';

/** Throws `exists` where there is something already, `usage` for a backup of another role or version, `unreadable` for one that is not whole. */
export async function restoreBackup(
  config: Config,
  file: string,
  secret: Secret,
  progress: (text: string) => void,
): Promise<Manifest & { readonly files: number }> {
  const { data } = config;
  const unpacked = join(data, RESTORING);
  if (existsSync(unpacked)) clear(data);
  await refuseInstalled(config);
  mkdirSync(unpacked, { recursive: true, mode: 0o750 });
  try {
    const unpacking = new Unpacking(unpacked, config, progress);
    const manifest = await readBackup(file, secret, unpacking);
    await unpacking.settle();
    await placeLedgers(config, unpacked);
    for (const name of readdirSync(unpacked)) renameSync(join(unpacked, name), join(data, name));
    await new FolderSync().sync(data);
    rmSync(unpacked, { recursive: true });
    return { ...manifest, files: unpacking.files };
  } catch (error) {
    clear(data);
    throw error;
  } finally {
    progress('');
  }
}

/** Of a restore that was not finished: the folder was empty before it. What it was unpacked in goes last, for it keeps the daemon from starting. */
function clear(data: string): void {
  for (const name of [...ROOTS, ...LEDGER_FILES, FOLDER_ID, RESTORING]) rmSync(join(data, name), { recursive: true, force: true });
}

async function refuseInstalled(config: Config): Promise<void> {
  const there = contentsOf(config.data);
  if (there.length > 0) {
    throw new AppError(
      'exists',
      `The data folder ${config.data} is not empty (${there.slice(0, 5).join(', ')}): restore into an empty one, and move this one away.`,
    );
  }
  for (const ledger of LEDGERS_OF[config.role]) {
    if (await isMade(ledger, config)) {
      throw new AppError(
        'exists',
        `The database of database.url has the ledger ${ledger} already: restore into an empty one, or drop schema dropgate_${ledger} cascade.`,
      );
    }
  }
}

/** In files the ledgers stay as they are unpacked; else their rows go to the server, and their files away. */
async function placeLedgers(config: Config, unpacked: string): Promise<void> {
  const folder = join(unpacked, LEDGERS);
  for (const ledger of LEDGERS_OF[config.role]) {
    const { schema, placeIn } = LEDGER_PLACES[ledger];
    const from = copyOf(folder, ledger);
    // Throws for one of another version.
    if (!(await inspectDatabase(from, schema))) continue;
    if (ledger === 'gateway') await sayFolder(from, unpacked);
    const to = placeIn(config);
    if (typeof to === 'string') renameSync(from, to);
    else await copyDatabase(from, to, schema, `the ledger ${ledger}`);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** To nodes, which work on no other folder than the one that their ledger knows. */
async function sayFolder(copy: string, unpacked: string): Promise<void> {
  const ledger = await openDatabase(copy, gatewaySchema);
  await changeFolder(unpacked, ledger, systemRandom).finally(() => ledger.close());
}

class Unpacking {
  readonly #folder: string;
  readonly #config: Config;
  readonly #progress: (text: string) => void;
  readonly #folders = new Map<string, FolderEntry>();
  files = 0;

  constructor(folder: string, config: Config, progress: (text: string) => void) {
    this.#folder = folder;
    this.#config = config;
    this.#progress = progress;
  }

  async begin({ role, environment }: Manifest): Promise<void> {
    const config = this.#config;
    if (role !== config.role)
      throw new AppError('usage', `The backup is one of role ${role}, and the configuration has role ${config.role}.`);
    if (environment !== config.environment)
      throw new AppError('usage', `The backup is one of environment ${environment}, and the configuration has ${config.environment}.`);
  }

  async folder(entry: FolderEntry): Promise<void> {
    const path = this.#pathOf(entry.path);
    await mkdir(path, { recursive: true, mode: 0o750 });
    this.#folders.set(entry.path, entry);
  }

  async file(entry: FileEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const path = this.#pathOf(entry.path);
    await mkdir(parentOf(path), { recursive: true, mode: 0o750 });
    const file = await open(path, 'w', entry.mode);
    try {
      for await (const bytes of content) await file.writeFile(bytes);
      await file.chmod(entry.mode);
      await file.utimes(new Date(), new Date(entry.mtimeMs));
      await file.sync();
    } finally {
      await file.close();
    }
    if (++this.files % 1_000 === 0) this.#progress(`${this.files} files are restored …`);
    if (entry.path === STAMP) rmSync(path);
  }

  /** Once all files are in them, folders get their rights, and are made durable. */
  async settle(): Promise<void> {
    const folders = new FolderSync();
    for (const [name, { mode }] of [...this.#folders].reverse()) {
      const path = this.#pathOf(name);
      await chmod(path, mode);
      const held = await open(path, 'r');
      await held.sync().finally(() => held.close());
    }
    await folders.sync(this.#folder);
  }

  /** Below the folder, whatever the backup says: it may come from anywhere. */
  #pathOf(name: string): Buffer {
    const components = name.split('/');
    const [root = ''] = components;
    const isOurs = root === LEDGERS || ROOTS.some((each) => each === root);
    const isPlain = components.every((each) => each !== '' && each !== '.' && each !== '..' && !each.includes('\0'));
    if (!isOurs || !isPlain)
      throw new AppError('unreadable', `The backup holds ${JSON.stringify(name)}, which has no place in a data folder.`);
    return Buffer.concat([Buffer.from(`${this.#folder}/`), Buffer.from(name, 'latin1')]);
  }
}

function parentOf(path: Buffer): Buffer {
  return path.subarray(0, path.lastIndexOf(0x2f));
}
