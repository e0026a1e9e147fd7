// From the CLOSE of an upload to its receipt and to the receiver's outbox: small invoices through the real daemon, core embedded.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SFTPWrapper } from 'ssh2';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoiceOfSize } from '../support/documents.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { p50And99, table } from './figures.ts';
import type { BenchOptions } from './main.ts';
import { buyer, participantOfBuyer, sellerAndBuyers } from './parties.ts';

const DOCUMENT_BYTES = 10_000;
const UPLOADS_AT_ONCE = 8;
const BUYERS = 20;
const DONE_WITHIN_MS = 300_000;

/** What of the configuration is not the default. */
const CONFIG = { core: { listen: '127.0.0.1:0', requests: 10_000_000 } };

interface Load {
  readonly documents: number;
  readonly buyers: number;
  readonly uploadsAtOnce: number;
}

export async function benchPipeline({ short, print }: BenchOptions): Promise<void> {
  const documents = short ? 100 : 2_000;
  print(
    `  invoices of ${DOCUMENT_BYTES} bytes over SFTP (ssh2, one connection per upload under way, aes128-gcm); core.requests ${CONFIG.core.requests}`,
  );
  // Nothing is deleted between the runs: on some file systems that makes the next one slower.
  await using daemons = new AsyncDisposableStack();
  const several: Load = { documents, buyers: BUYERS, uploadsAtOnce: UPLOADS_AT_ONCE };
  await measure(daemons, several, print);
  await measure(daemons, { ...several, documents: documents / 5, buyers: 1 }, print);
  await countFsyncs(daemons, { ...several, documents: documents / 5 }, print);
}

async function measure(daemons: AsyncDisposableStack, load: Load, print: (line: string) => void): Promise<void> {
  const nodeOptions = ['--import', join(import.meta.dirname, 'loop-delay.ts')];
  const daemon = daemons.use(await startDaemon({ accounts: sellerAndBuyers(load.buyers), config: CONFIG, nodeOptions }));
  await loopDelay(daemon);
  const cpuBefore = cpuSeconds(daemon);
  const times = await run(daemon, load);
  const cpu = cpuSeconds(daemon) - cpuBefore;
  const delay = await loopDelay(daemon);
  await daemon.stop();

  const perSecond = (untilMs: number): string => `${((load.documents / (untilMs - times.startMs)) * 1_000).toFixed(0)}/s`;
  const last = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  const ofClosed = (at: readonly number[]): number[] => at.map((value, index) => value - (times.closedMs[index] ?? Number.NaN));
  print(
    `\n  ${load.documents} documents, ${load.uploadsAtOnce} at once, to ${load.buyers === 1 ? 'one buyer: one pair of parties, served in order' : `${load.buyers} buyers`}`,
  );
  print(
    table([
      ['uploaded (CLOSE acknowledged)', perSecond(last(times.closedMs))],
      ['accepted (receipt in the folder)', perSecond(last(times.acceptedMs))],
      ["published (in the buyer's outbox)", perSecond(last(times.publishedMs))],
      ['CLOSE sent → acknowledged, p50 / p99', p50And99(times.closingMs)],
      ['CLOSE acknowledged → accepted', p50And99(ofClosed(times.acceptedMs))],
      ['CLOSE acknowledged → published', p50And99(ofClosed(times.publishedMs))],
      ['event-loop delay of the SFTP loop', `p50 ${delay.p50.toFixed(1)}, p99 ${delay.p99.toFixed(1)}, max ${delay.max.toFixed(0)} ms`],
      ['CPU of the daemon per document', `${((cpu * 1_000) / load.documents).toFixed(1)} ms`],
    ]),
  );
}

interface Times {
  readonly startMs: number;
  /** How long each CLOSE took. */
  readonly closingMs: readonly number[];
  /** Moments, by document: CLOSE answered; receipt there; file in the outbox. */
  readonly closedMs: readonly number[];
  readonly acceptedMs: readonly number[];
  readonly publishedMs: readonly number[];
}

async function run(daemon: TestDaemon, { documents, buyers, uploadsAtOnce }: Load): Promise<Times> {
  const bytes = Array.from({ length: documents }, (_, at) =>
    Buffer.from(invoiceOfSize(DOCUMENT_BYTES, { id: `B-${at}`, receiver: participantOfBuyer(at % buyers) })),
  );
  const clients = await Promise.all(
    Array.from({ length: uploadsAtOnce }, () => connect(daemon, { algorithms: { cipher: ['aes128-gcm@openssh.com'] } })),
  );
  const channels = await Promise.all(clients.map(openSftp));
  const closingMs: number[] = [];
  const closedMs: number[] = [];
  const startMs = now();
  const left = bytes.entries();
  await Promise.all(
    channels.map(async (channel) => {
      for (const [at, document] of left) {
        closingMs[at] = await upload(channel, `/inbox/b-${at}.xml`, document);
        closedMs[at] = now();
      }
    }),
  );
  const receivers = Array.from({ length: buyers }, (_, at) => buyer(at));
  await until(
    'every document to be accepted and published',
    () =>
      daemon.files('seller', 'receipts').filter((name) => name.includes('.accepted.')).length >= documents &&
      receivers.reduce((sum, each) => sum + daemon.files(each, 'outbox').length, 0) >= documents,
    DONE_WITHIN_MS,
  );
  for (const client of clients) client.end();
  return {
    startMs,
    closingMs,
    closedMs,
    acceptedMs: arrivals(daemon, 'seller', 'receipts', /^b-(\d+)\.xml\.[^.]+\.accepted\.json$/, documents),
    publishedMs: combined(receivers.map((each) => arrivals(daemon, each, 'outbox', /_Invoice_B-(\d+)_/, documents))),
  };
}

/** Resolves with how long the CLOSE took. */
async function upload(channel: SFTPWrapper, path: string, bytes: Buffer): Promise<number> {
  const handle = await called<Buffer>((done) => channel.open(path, 'w', done));
  await called((done) => channel.write(handle, bytes, 0, bytes.length, 0, done));
  const before = now();
  await called((done) => channel.close(handle, done));
  return now() - before;
}

/** When each document's file came into a folder. A rename sets the change time, so nobody has to watch, and watching costs nothing. */
function arrivals(daemon: TestDaemon, accountRegNo: string, folder: string, pattern: RegExp, documents: number): number[] {
  const times: number[] = [];
  for (const name of daemon.files(accountRegNo, folder)) {
    const at = Number(pattern.exec(name)?.[1]);
    if (Number.isInteger(at) && at < documents) times[at] = statSync(join(daemon.home(accountRegNo, folder), name)).ctimeMs;
  }
  return times;
}

function combined(parts: readonly (readonly number[])[]): number[] {
  return parts.reduce<number[]>((all, part) => Object.assign(all, part), []);
}

/** Counted by strace, which slows everything down: a run of its own. */
async function countFsyncs(daemons: AsyncDisposableStack, load: Load, print: (line: string) => void): Promise<void> {
  if (!(process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'strace')))) {
    print('\n  fsyncs per document: not counted, strace is not installed');
    return;
  }
  const daemon = daemons.use(await startDaemon({ accounts: sellerAndBuyers(load.buyers), config: CONFIG }));
  const trace = join(daemon.folder, 'strace');
  const strace = spawn('strace', ['-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace, '-p', String(daemon.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(strace, 'exit');
  await Promise.race([once(strace.stderr, 'data'), ended]);
  await run(daemon, load);
  strace.kill('SIGINT');
  await ended;
  print(`\n  ${load.documents} documents under strace, ${load.uploadsAtOnce} at once, to ${load.buyers} buyers`);
  const synced = existsSync(trace)
    ? [...readFileSync(trace, 'utf8').matchAll(/f(?:data)?sync\(\d+<(.*?)>/g)].map(([, path = '']) => path)
    : [];
  if (synced.length === 0) return print('  fsyncs per document: not counted, strace may not attach here');
  const perDocument = (paths: readonly string[]): string => (paths.length / load.documents).toFixed(2);
  const isOf = (path: string, [, pattern]: readonly [string, RegExp]): boolean => pattern.test(path);
  print(
    table([
      ['fsyncs per document', perDocument(synced)],
      ...SYNCED.map((kind) => [`  ${kind[0]}`, perDocument(synced.filter((path) => isOf(path, kind)))] as const),
      ['  other', perDocument(synced.filter((path) => !SYNCED.some((kind) => isOf(path, kind))))],
    ]),
  );
}

/** What is fsynced, by its path. */
const SYNCED: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["gateway's ledger", /\/gateway\.db/],
  ["core's ledger", /\/core\.db/],
  ['uploaded files', /\/spool\/receiving\/./],
  ['folders of the spool', /\/spool\/[^/]+$/],
  ['staged receipts and documents', /\/\.staged\/./],
  ['folders of homes', /\/homes\/[^/]+\/[a-z]+$/],
];

async function loopDelay(daemon: TestDaemon): Promise<{ p50: number; p99: number; max: number }> {
  const seen = (): ReturnType<TestDaemon['facts']> => daemon.facts().filter(({ event }) => event === 'bench.loop-delay');
  const before = seen().length;
  daemon.signal('SIGUSR2');
  const { p50, p99, max } = await until('the event-loop delay', () => seen()[before]);
  return { p50: Number(p50), p99: Number(p99), max: Number(max) };
}

/** User and system time so far, by /proc/PID/stat in hundredths of a second (proc(5)). */
function cpuSeconds({ pid }: TestDaemon): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
