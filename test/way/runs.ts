// A daemon that writes its calls down (`recorder.ts`), and invoices that go through it one after the other, by a real SSH client.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type ssh2 from 'ssh2';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import type { Call, Rename } from './recorder.ts';

/** A call on the way of one invoice; its caller, where that was called on the way, too. */
export interface Step {
  readonly file: string;
  readonly name: string;
  readonly isNamed: boolean;
  readonly by: Step | null;
}

/** Where and when an invoice came and went, in nanoseconds. */
interface Passage {
  readonly from: number;
  readonly outboxName: string;
}

const RECORDER = pathToFileURL(join(import.meta.dirname, 'recorder.ts')).href;
/** For so long nothing may be written down before an invoice is sent. */
const QUIET_MS = 300;

/** From before WRITE to the rename into the buyer's outbox, for each of `count` invoices: what was called, in order of time. One goes before them and is left out. */
export async function recordedRuns(count: number): Promise<readonly (readonly Step[])[]> {
  const records = mkdtempSync(join(tmpdir(), 'dropgate-way-'));
  try {
    const passages: Passage[] = [];
    await using daemon = await startDaemon({
      accounts: SELLER_AND_BUYER,
      nodeOptions: ['--import', RECORDER],
      env: { DROPGATE_WAY: records },
    });
    const client = await connect(daemon);
    const sftp = await openSftp(client);
    for (let at = 0; at <= count; at++) passages.push(await passed(daemon, sftp, `way-${at}`, () => quiet(records)));
    client.end();
    await daemon.stop();
    return runsIn(records, passages.slice(1));
  } finally {
    rmSync(records, { recursive: true });
  }
}

/** Sends an invoice; resolves when the buyer has it, and the seller the receipt. */
async function passed(daemon: TestDaemon, sftp: ssh2.SFTPWrapper, id: string, calm: () => Promise<void>): Promise<Passage> {
  const content = Buffer.from(invoice({ id }));
  const handle = await called<Buffer>((done) => sftp.open(`inbox/${id}.xml`, 'w', done));
  await calm();
  const from = Number(process.hrtime.bigint());
  await called((done) => sftp.write(handle, content, 0, content.length, 0, done));
  await called((done) => sftp.close(handle, done));
  const outboxName = await until(`${id} in the buyer's outbox`, () =>
    daemon.files('buyer', 'outbox').find((name) => name.includes(`_${id}_`)),
  );
  await daemon.receipt('seller', `${id}.xml`, 'accepted');
  return { from, outboxName };
}

async function quiet(records: string): Promise<void> {
  const size = (): number => readdirSync(records).reduce((sum, file) => sum + statSync(join(records, file)).size, 0);
  for (let [before, now] = [-1, size()]; before !== now; [before, now] = [now, size()]) await pause(QUIET_MS);
}

function runsIn(records: string, passages: readonly Passage[]): Step[][] {
  const threads = readdirSync(records).map((file) => linesOf(join(records, file)));
  return passages.map(({ from, outboxName }) => {
    const end = threads.flat().find((line) => 'renamed' in line && basename(line.renamed) === outboxName)?.at;
    if (end === undefined) throw new Error(`nobody was seen renaming ${outboxName} into the outbox`);
    const isOnTheWay = (line: Call | Rename): line is Call => 'call' in line && line.at >= from && line.at <= end;
    return threads
      .flatMap((lines) => stepsOf(lines.filter(isOnTheWay)))
      .sort((one, other) => one.at - other.at)
      .map(({ step }) => step);
  });
}

function linesOf(file: string): (Call | Rename)[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Of one thread: a caller comes before those that it calls. */
function stepsOf(calls: readonly Call[]): { readonly at: number; readonly step: Step }[] {
  const steps = new Map<number, Step>();
  return calls.map(({ call, by, at, file, name, isNamed }) => {
    const step = { file, name, isNamed, by: steps.get(by) ?? null };
    steps.set(call, step);
    return { at, step };
  });
}
