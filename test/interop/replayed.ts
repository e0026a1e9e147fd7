// Clients that do not run here, replayed packet by packet from what they are known to do: WinSCP, FileZilla, SSH.NET, SAP; and the ssh2
// library's own SFTP client, which runs in this process.
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { SFTPWrapper } from 'ssh2';
import { called, connect, openSftp, type Ran } from '../support/sftp-clients.ts';
import type { RawSftp } from '../support/sftp-raw.ts';
import type { Client, Door, Verbs } from './client.ts';
import {
  close,
  download,
  list,
  makeFolder,
  open,
  posixRename,
  realPath,
  rekey,
  remove,
  rename,
  type SessionOptions,
  session,
  setMode,
  setTimes,
  sizeOf,
  WRITE_ANEW,
  WRITE_ON,
  write,
} from './packets.ts';

const UNTIL_RENAMED_BYTES = 100 * 1024;

/** What tells one replayed client from another. */
interface Habits {
  readonly name: string;
  readonly showsSentences: boolean;
  readonly session: SessionOptions;
  /** WRITEs and READs that it keeps under way. */
  readonly inFlight: number;
  /** Before it uses a path. */
  readonly before: (sftp: RawSftp, path: string) => Promise<void>;
  /** From OPEN to the last packet of an upload to `remote`; `between` runs once in the middle. */
  readonly upload: (sftp: RawSftp, local: string, remote: string, between?: () => Promise<void>) => Promise<void>;
  /** Where an upload that was cut off lies, and how it goes on. */
  readonly resume?: (sftp: RawSftp, local: string, remote: string) => Promise<void>;
  readonly rename: (sftp: RawSftp, from: string, to: string) => Promise<void>;
  readonly mayList?: (longNames: readonly string[]) => void;
}

function replayed(habits: Habits): Client {
  const { name, showsSentences, upload, before, resume } = habits;
  const within = (door: Door, act: (sftp: RawSftp, rekey: () => Promise<void>) => Promise<unknown>): Promise<Ran> =>
    session(door, habits.session, ({ sftp, rekey }) => act(sftp, rekey));
  const verbs: Omit<Verbs, 'resume' | 'scp'> = {
    put: (door, local, remote) => within(door, (sftp) => upload(sftp, local, remote)),
    putBeside: (door, local, temporary, remote) =>
      within(door, async (sftp) => {
        await upload(sftp, local, temporary);
        await habits.rename(sftp, temporary, remote);
      }),
    putKeeping: (door, local, remote) =>
      within(door, async (sftp) => {
        await upload(sftp, local, remote);
        await setTimes(sftp, remote);
        await setMode(sftp, remote);
      }),
    putRekeying: (door, local, remote) => within(door, (sftp, rekey) => upload(sftp, local, remote, rekey)),
    list: (door, folder) =>
      within(door, async (sftp) => {
        await before(sftp, folder);
        const entries = await list(sftp, folder);
        habits.mayList?.(entries.map(({ longName }) => longName));
        return entries.map((entry) => entry.name).join('\n');
      }),
    get: (door, remote, local) =>
      within(door, async (sftp) => {
        await before(sftp, remote);
        await download(sftp, remote, local, habits.inFlight);
      }),
    remove: (door, remote) => within(door, (sftp) => remove(sftp, remote)),
    rename: (door, from, to) => within(door, (sftp) => habits.rename(sftp, from, to)),
    makeFolder: (door, path) =>
      within(door, async (sftp) => {
        await before(sftp, folderOf(path));
        await makeFolder(sftp, path);
      }),
  };
  return {
    name: `${name} (replayed)`,
    version: async () => 'packets',
    showsSentences,
    without: resume ? {} : { resume: `${name} begins again` },
    verbs: resume ? { ...verbs, resume: (door, local, remote) => within(door, (sftp) => resume(sftp, local, remote)) } : verbs,
  };
}

async function plainUpload(sftp: RawSftp, local: string, remote: string, inFlight: number, between?: () => Promise<void>): Promise<void> {
  const handle = await open(sftp, remote, WRITE_ANEW);
  await write(sftp, handle, local, 0, inFlight, between);
  await close(sftp, handle);
}

async function goOn(sftp: RawSftp, local: string, remote: string, inFlight: number): Promise<void> {
  const start = await sizeOf(sftp, remote);
  if (!start || start >= statSync(local).size) throw new Error(`nothing to resume: the server has ${start} bytes`);
  const handle = await open(sftp, remote, WRITE_ON);
  await write(sftp, handle, local, start, inFlight);
  await close(sftp, handle);
}

/** Over 100 KB: `.filepart`, CLOSE, REMOVE of the old target, RENAME; then the time, on the final name. */
const winScp = replayed({
  name: 'WinSCP',
  showsSentences: true,
  session: {},
  inFlight: 64,
  before: realPath,
  async upload(sftp, local, remote, between) {
    const isThere = (await sizeOf(sftp, remote)) !== undefined;
    if (statSync(local).size <= UNTIL_RENAMED_BYTES) {
      await plainUpload(sftp, local, remote, 64, between);
    } else {
      await plainUpload(sftp, local, `${remote}.filepart`, 64, between);
      if (isThere) await remove(sftp, remote);
      await rename(sftp, `${remote}.filepart`, remote);
    }
    await setTimes(sftp, remote);
  },
  async resume(sftp, local, remote) {
    await goOn(sftp, local, `${remote}.filepart`, 64);
    await rename(sftp, `${remote}.filepart`, remote);
    await setTimes(sftp, remote);
  },
  rename,
});

/** Logs in by keyboard-interactive; tells folders from files by the first letter of the long name; lists again after an upload. */
const fileZilla = replayed({
  name: 'FileZilla',
  showsSentences: true,
  session: { keyboardInteractive: true },
  inFlight: 32,
  before: realPath,
  async upload(sftp, local, remote, between) {
    await list(sftp, folderOf(remote));
    await plainUpload(sftp, local, remote, 32, between);
    await setTimes(sftp, remote);
    await list(sftp, folderOf(remote));
  },
  resume: (sftp, local, remote) => goOn(sftp, local, remote, 32),
  rename,
  mayList(longNames) {
    const odd = longNames.find((each) => !/^[-d][rwx-]{9} /.test(each));
    if (odd !== undefined) throw new Error(`FileZilla cannot read '${odd}'`);
  },
});

/** Inside Logic Apps and Dynamics: REALPATH for every path. */
const sshNet = replayed({
  name: 'SSH.NET',
  showsSentences: true,
  session: {},
  inFlight: 16,
  before: realPath,
  async upload(sftp, local, remote, between) {
    await realPath(sftp, remote);
    await plainUpload(sftp, local, remote, 16, between);
    if ((await sizeOf(sftp, remote)) !== statSync(local).size) throw new Error('another size than what was sent');
  },
  async resume(sftp, local, remote) {
    await realPath(sftp, remote);
    await goOn(sftp, local, remote, 16);
  },
  async rename(sftp, from, to) {
    await realPath(sftp, from);
    await rename(sftp, from, to);
  },
});

/** SAP's file adapter: looks whether the target is there, writes a temporary file, and renames it by posix-rename. */
const sap = replayed({
  name: 'SAP PI/CPI',
  showsSentences: true,
  session: {},
  inFlight: 10,
  before: async (sftp, path) => void (await sizeOf(sftp, path)),
  async upload(sftp, local, remote, between) {
    await realPath(sftp, '.');
    await sizeOf(sftp, remote);
    await plainUpload(sftp, local, `${remote}.tmp`, 10, between);
    await posixRename(sftp, `${remote}.tmp`, remote);
    await sizeOf(sftp, remote);
  },
  rename: posixRename,
});

async function library(door: Door, act: (sftp: SFTPWrapper, rekey: () => Promise<void>) => Promise<unknown>): Promise<Ran> {
  try {
    const client = await connect(door);
    const lost = new Promise<never>((_, reject) => client.once('close', () => reject(new Error('the connection was lost'))));
    lost.catch(() => undefined);
    try {
      const out = await Promise.race([openSftp(client).then((sftp) => act(sftp, () => rekey(client))), lost]);
      return { status: 0, out: typeof out === 'string' ? out : '', err: '' };
    } finally {
      client.end();
    }
  } catch (error) {
    return { status: 1, out: '', err: String(error) };
  }
}

const put = (sftp: SFTPWrapper, local: string, remote: string): Promise<void> => called((done) => sftp.fastPut(local, remote, done));

const ssh2Library: Client = {
  name: 'ssh2',
  async version() {
    const told: unknown = createRequire(import.meta.url)('ssh2/package.json');
    return typeof told === 'object' && told && 'version' in told ? String(told.version) : undefined;
  },
  showsSentences: true,
  without: { resume: 'fastPut begins again' },
  verbs: {
    put: (door, local, remote) => library(door, (sftp) => put(sftp, local, remote)),
    putBeside: (door, local, temporary, remote) =>
      library(door, async (sftp) => {
        await put(sftp, local, temporary);
        await called((done) => sftp.rename(temporary, remote, done));
      }),
    putKeeping: (door, local, remote) =>
      library(door, async (sftp) => {
        await put(sftp, local, remote);
        await called((done) => sftp.utimes(remote, 1_772_445_600, 1_772_445_600, done));
        await called((done) => sftp.chmod(remote, 0o640, done));
      }),
    putRekeying: (door, local, remote) =>
      library(door, async (sftp, rekey) => {
        await Promise.all([put(sftp, local, remote), rekey()]);
      }),
    list: (door, folder) =>
      library(door, async (sftp) => {
        const entries = await called<{ filename: string }[]>((done) => sftp.readdir(folder, done));
        return entries.map(({ filename }) => filename).join('\n');
      }),
    get: (door, remote, local) => library(door, (sftp) => called<void>((done) => sftp.fastGet(remote, local, done))),
    remove: (door, remote) => library(door, (sftp) => called<void>((done) => sftp.unlink(remote, done))),
    rename: (door, from, to) => library(door, (sftp) => called<void>((done) => sftp.rename(from, to, done))),
    makeFolder: (door, path) => library(door, (sftp) => called<void>((done) => sftp.mkdir(path, done))),
  },
};

export const inProcess: readonly Client[] = [ssh2Library, winScp, fileZilla, sshNet, sap];

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
