// What a scenario needs to know of a running gateway with its core, be it a daemon or what a crash has left of one, and what the ERPs
// at both ends do there: they see their homes and speak SFTP.
import type { ConnectConfig, SFTPWrapper } from 'ssh2';
import type { TestDaemon } from '../daemon.ts';
import { called, connect, openSftp } from '../sftp-clients.ts';
import { until } from '../until.ts';
import { type Homes, homesOf } from '../world/homes.ts';

export interface World extends Homes {
  readonly data: string;
  /** Where SFTP is served. */
  readonly port: number;
  readonly coreUrl: string;
  /** The section of the configuration, for commands; where there is none, the ledgers are files. */
  readonly database?: unknown;
  apiKey(accountRegNo: string): string;
  /** How long what must come is waited for. */
  readonly patienceMs: number;
  /** What the buyer's ERP has taken out of its outbox: bytes by name. It does not forget when a gateway dies. */
  readonly taken: Map<string, Buffer>;
}

const TAKER = 'buyer';

/** The world of a daemon as it runs now: ports change with every start. */
export function worldOf({ data, port, coreUrl, apiKey }: TestDaemon, patienceMs: number): World {
  return { ...homesOf(data), data, port, coreUrl, apiKey, patienceMs, taken: new Map() };
}

/** One session of a login. What was asked when the connection is lost fails, and does not wait for ever. */
export async function inSession<Result>(
  world: World,
  login: string,
  work: (sftp: SFTPWrapper) => Promise<Result>,
  config: ConnectConfig = {},
): Promise<Result> {
  const client = await connect(
    { port: world.port, knownHosts: '' },
    { username: login, algorithms: { cipher: ['aes128-gcm@openssh.com'] }, ...config },
  );
  const lost = new Promise<never>((_, reject) => client.once('close', () => reject(new Error('the connection was lost'))));
  lost.catch(() => undefined);
  try {
    return await Promise.race([openSftp(client).then(work), lost]);
  } finally {
    client.destroy();
  }
}

/** Writes from an offset on and closes. Resolves when CLOSE was answered with OK: from then on the gateway owes the document. */
export async function write(sftp: SFTPWrapper, path: string, bytes: Buffer, from = 0): Promise<void> {
  const handle = await called<Buffer>((done) => sftp.open(path, from > 0 ? 'r+' : 'w', done));
  if (from < bytes.length) await called((done) => sftp.write(handle, bytes, from, bytes.length - from, from, done));
  await called((done) => sftp.close(handle, done));
}

/** Until the receipt of a file for a stage is there, so many times. */
export async function seeReceipt(world: World, home: string, file: string, stage: string, times = 1): Promise<void> {
  const isOne = (name: string): boolean => name.startsWith(`${file}.`) && name.includes(`.${stage}.`);
  const enough = (): boolean => world.files(home, 'receipts').filter(isOne).length >= times;
  await until(`receipt '${stage}' of ${file}`, enough, world.patienceMs);
}

/** Until so many versions of a document have come to a home, taken or not. */
export async function seeArrival(world: World, home: string, id: string, versions = 1): Promise<void> {
  await until(`${versions} versions of ${id} in the outbox of ${home}`, () => versionsOf(world, home, id) >= versions, world.patienceMs);
}

/** How many versions of a document have come to a home, taken or not. */
export function versionsOf(world: World, home: string, id: string): number {
  return [...arrivedAt(world, home).keys()].filter((name) => name.includes(`_${id}_`)).length;
}

/** How many receipts tell that the service took `ID.xml` of a home. */
export function acceptancesOf(world: World, home: string, id: string): number {
  return world.files(home, 'receipts').filter((name) => name.startsWith(`${id}.xml.`) && name.endsWith('.accepted.json')).length;
}

/** Each document that a home has got, by the name of its file; only the buyer takes any away. */
export function arrivedAt(world: World, home: string): Map<string, Buffer> {
  const there = world.files(home, 'outbox').map((name) => [name, world.read(home, 'outbox', name)] as const);
  return new Map([...(home === TAKER ? world.taken : []), ...there]);
}

/** The buyer's ERP reads what is there, and removes it. It counts as taken when the removal was answered. */
export async function takeOutbox(world: World): Promise<void> {
  await inSession(world, TAKER, async (sftp) => {
    for (const { filename } of await called<{ filename: string }[]>((done) => sftp.readdir('/outbox', done))) {
      const bytes = await called<Buffer>((done) => sftp.readFile(`/outbox/${filename}`, done));
      await called((done) => sftp.unlink(`/outbox/${filename}`, done));
      world.taken.set(filename, bytes);
    }
  });
}
