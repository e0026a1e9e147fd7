// A daemon on which every upload is refused: each of its logins meets another reason.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { receivingPath } from '#gateway/disk/spool-files.ts';
import { type DaemonAccount, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { openSsh } from '../support/sftp-clients.ts';

export interface Refusal {
  readonly title: string;
  readonly login: string;
  readonly sentence: string;
  /** Whether the status says no more than FAILURE. */
  readonly isFailure: boolean;
}

export const REFUSALS: readonly Refusal[] = [
  { title: 'full inbox', login: 'full', sentence: 'inbox is full: 1 of 1 files wait for the service; try again later', isFailure: true },
  {
    title: 'no room for more uploads',
    login: 'crowded',
    sentence: 'no room for more: 5 uploads are not finished; close, rename or remove some of them',
    isFailure: true,
  },
  { title: 'full home, by files', login: 'many', sentence: 'the home is full: 1 of 1 files; delete what you have taken', isFailure: true },
  { title: 'full home, by bytes', login: 'heavy', sentence: 'the home is full: 0 of 100 bytes, and this file has', isFailure: true },
  { title: 'read-only login', login: 'reader', sentence: 'this login may only read', isFailure: false },
];

const MEBIBYTE = 2 ** 20;
/** Where nobody listens: what is dropped waits. */
const NOWHERE = 'http://127.0.0.1:9';

export async function startRefusing(): Promise<TestDaemon> {
  const accounts = REFUSALS.map(({ login }): DaemonAccount => ({ accountRegNo: login, participants: [], login }));
  const daemon = await startDaemon({
    accounts,
    config: {
      sftp: { listen: '127.0.0.1:0', exempt: ['127.0.0.0/8'], unfinishedMax: '100MiB', itemsPerAccountMax: 1 },
    },
  });
  await change(daemon, 'many', '--home-files', '1');
  await change(daemon, 'heavy', '--home-bytes', '100B');
  await change(daemon, 'reader', '--access', 'read-only');
  writeFileSync(join(daemon.home('many', 'outbox'), 'taken-by-nobody.xml'), '<x/>');
  await daemon.stop();
  const { core: _, ...config }: Record<string, unknown> = parse(readFileSync(daemon.configFile, 'utf8'));
  writeFileSync(daemon.configFile, stringify({ ...config, role: 'gateway', service: { url: NOWHERE } }));
  fillReceiving(daemon.data);
  await daemon.start();
  const waiting = join(daemon.folder, 'waits.xml');
  writeFileSync(waiting, invoice({ id: 'WAITS' }));
  const waits = await openSsh({ ...daemon, login: 'full' }, [`put ${waiting} /inbox/waits.xml`], ['-q', '-b', '-']);
  if (waits.status !== 0) throw new Error(waits.err);
  return daemon;
}

async function change(daemon: TestDaemon, login: string, ...rules: string[]): Promise<void> {
  const { status, err } = await daemon.cli(['login', 'change', login, ...rules]);
  if (status !== 0) throw new Error(err);
}

/** Uploads of 20 MiB each that were closed under temporary names. */
function fillReceiving(data: string): void {
  for (let at = 0; at < 5; at++) {
    const upload = `01ARZ3NDEKTSV4RRFFQ69G5FA${at}`;
    const path = receivingPath(data, 'BEFORE', {
      upload,
      home: 'crowded',
      login: 'crowded',
      folder: 'inbox',
      name: `${at}.part`,
      state: 'waiting',
    });
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '');
    truncateSync(path, 20 * MEBIBYTE);
  }
}
