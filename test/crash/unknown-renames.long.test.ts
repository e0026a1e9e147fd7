// Over a network a rename may be done and answered with an error: a request that was sent again finds no such file (ENOENT), or the answer is lost (ESTALE, EIO).
// At each rename on a document's way, one at a time: what was asked for is acknowledged all the same, and in the end, after a restart, everybody has everything once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { defectiveDaemon } from '../support/defective-daemon.ts';
import { readJournal } from '../support/faults/journal.ts';
import { type Faults, openFaults } from '../support/faults/shim.ts';
import { inSession, takeOutbox, type World, worldOf, write } from '../support/faults/world.ts';
import { called } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { PEOPLE } from './people.ts';
import { arrival, documentOf, folderDrop, ordered, orderOf, receipt, renamedUpload, type Step, sentAgain, upload, wrong } from './steps.ts';

const FAILURES = ['ENOENT', 'ESTALE', 'EIO'] as const;
const PATIENCE_MS = 60_000;
/** Said where a rename was taken as failed. */
const FAILED: ReadonlySet<string | undefined> = new Set(['spool.failed', 'publish.postponed', 'order.postponed']);

interface Case {
  readonly what: string;
  readonly key: string;
  /** In which file names are answered so: the first one, or this. */
  readonly folder: string;
  readonly from?: number;
  readonly before?: (id: string) => readonly Step[];
  /** The daemon is killed in between. */
  readonly isAtStart?: boolean;
  /** All of them are as if nothing had happened. */
  readonly steps: (id: string) => readonly Step[];
  /** How everything ends, which is waited for when all have been begun. */
  readonly ends: (id: string) => readonly Step[];
  /** What each file of it comes to. */
  readonly files: (id: string) => Outcome['receipts'];
}

const uploaded = (id: string): Step[] => [upload(`${id}.xml`, documentOf(id))];
const delivered = (id: string): Step[] => [receipt(`${id}.xml`, 'delivered'), arrival(id)];
const sent = (id: string): Outcome['receipts'] => ({ [`seller/${id}.xml`]: ['accepted+delivered'] });
const refused = (id: string): Outcome['receipts'] => ({ [`seller/${id}.xml`]: ['refused'] });
const accepted = (id: string): Step => receipt(`${id}.xml`, 'accepted');
const onceClosed = { steps: uploaded, ends: delivered, files: sent };
const onceAccepted = { ...onceClosed, steps: (id: string) => [...uploaded(id), accepted(id)] };
const onceRenamed = { ...onceClosed, steps: (id: string) => [renamedUpload(`${id}.xml`, documentOf(id))] };
const answered: Pick<Case, 'before' | 'steps' | 'ends' | 'files'> = {
  before: (id) => [upload(`${id}.xml`, orderOf(id), 'buyer'), arrival(id, 1, 'seller')],
  steps: (id) => [ordered(id, 'accept', `${id}.xml`)],
  ends: (id) => [receipt(`accept-${id}.xml`, 'delivered'), receipt(`${id}.xml`, 'delivered', 'buyer')],
  files: (id) => ({ [`buyer/${id}.xml`]: ['accepted+delivered'], [`seller/accept-${id}.xml`]: ['accepted+delivered'] }),
};

const CASES: readonly Case[] = [
  { what: 'a file is closed', key: 'CLOSED', folder: '/spool/seller/', ...onceClosed },
  { what: 'a file is closed under a temporary name', key: 'PART', folder: '/spool/receiving/', ...onceRenamed },
  { what: 'a file gets its name', key: 'NAMED', folder: '/spool/seller/', ...onceRenamed },
  {
    what: 'a file is taken out of a folder',
    key: 'DROPPED',
    folder: '/spool/seller/',
    ...onceClosed,
    steps: (id) => [folderDrop(`${id}.xml`, documentOf(id)), accepted(id)],
  },
  { what: 'a receipt is published', key: 'RECEIPT', folder: '/homes/seller/receipts/', ...onceAccepted },
  { what: 'an original is published', key: 'ORIGINAL', folder: '/homes/seller/accepted/', ...onceAccepted },
  {
    what: 'a refused original is published',
    key: 'REFUSED',
    folder: '/homes/seller/refused/',
    steps: (id) => [upload(`${id}.xml`, wrong(id)), receipt(`${id}.xml`, 'refused')],
    ends: () => [],
    files: refused,
  },
  {
    what: 'a received document is published',
    key: 'RECEIVED',
    folder: '/homes/buyer/outbox/',
    ...onceClosed,
    steps: (id) => [...uploaded(id), arrival(id)],
  },
  {
    what: 'an original is sent again',
    key: 'AGAIN',
    folder: '/spool/seller/',
    before: (id) => [upload(`${id}.xml`, wrong(id)), receipt(`${id}.xml`, 'refused')],
    steps: (id) => [sentAgain(id, `more-${id}.xml`)],
    ends: (id) => [receipt(`more-${id}.xml`, 'refused')],
    files: (id) => ({ ...refused(id), ...refused(`more-${id}`) }),
  },
  {
    what: 'a document is renamed in the outbox',
    key: 'FETCHED',
    folder: '/homes/buyer/outbox/',
    before: (id) => [...uploaded(id), arrival(id)],
    steps: (id) => [fetched(id)],
    ends: (id) => [receipt(`${id}.xml`, 'delivered')],
    files: sent,
  },
  { what: 'an order is moved to be answered', key: 'ORDER', folder: '/homes/seller/answer/accept/', ...answered },
  {
    what: 'an order is taken to be answered',
    key: 'TAKEN',
    folder: '/homes/seller/answer/accept/',
    from: 2,
    ...answered,
    steps: (id) => [ordered(id, 'accept', `${id}.xml`), receipt(`accept-${id}.xml`, 'accepted')],
  },
  {
    what: 'a file under a temporary name is found by the next start',
    key: 'FOUND',
    folder: '/spool/receiving/',
    before: (id) => [inErp((sftp) => write(sftp, `/inbox/${id}.part`, documentOf(id)))],
    isAtStart: true,
    steps: (id) => [inErp((sftp) => called((done) => sftp.rename(`/inbox/${id}.part`, `/inbox/${id}.xml`, done)))],
    ends: delivered,
    files: sent,
  },
];

describe('A rename that was done and answered with an error', () => {
  let parent: string;
  let faults: Faults;
  let daemon: TestDaemon;
  const taken: World['taken'] = new Map();
  const world = (): World => ({ ...worldOf(daemon, PATIENCE_MS), taken });
  const failAfter = (folder: string, from: number, failure: (typeof FAILURES)[number]): void =>
    faults.set([{ action: 'fail-after', kinds: ['rename'], path: `*${folder}*`, from, times: 1, failure }]);
  const renamesSince = (mark: string, folder: string): number => {
    const calls = readJournal(faults.journal());
    const since = calls.slice(calls.findLastIndex(({ kind, path }) => kind === 'mark' && path === mark));
    return since.filter(({ kind, other }) => kind === 'rename' && other.includes(folder)).length;
  };

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'dropgate-renames-'));
    faults = openFaults({ root: parent, journal: true });
    daemon = await startDaemon({ ...PEOPLE, parent, env: faults.env, config: { gateway: { answerAfter: '1s' } } });
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    faults?.[Symbol.dispose]();
    rmSync(parent, { recursive: true, force: true });
  });

  it.each(FAILURES.flatMap((failure) => CASES.map((each) => ({ ...each, failure }))))('$failure, when $what', async (given) => {
    const { key, folder, from = 1, before, isAtStart, steps, failure } = given;
    const id = `${key}-${failure}`;
    for (const { act } of before?.(id) ?? []) await act(world(), {});
    if (isAtStart) await daemon.kill();
    faults.mark(id);
    failAfter(folder, from, failure);
    if (isAtStart) await daemon.start();
    for (const { act } of steps(id)) await act(world(), {});
    await until('the rename', () => renamesSince(id, folder) >= from);
    faults.set([]);
    expect(daemon.facts().filter(({ event }) => FAILED.has(event))).toEqual([]);
  });

  it('and in the end, after a restart, everybody has everything once', async () => {
    const cases = FAILURES.flatMap((failure) => CASES.map((each) => ({ ...each, id: `${each.key}-${failure}` })));
    for (const { act } of cases.flatMap(({ ends, id }) => ends(id))) await act(world(), {});
    await takeOutbox(world());
    await daemon.kill();
    // What the killed process has left is removed, and that is not known.
    faults.set([{ action: 'fail-after', kinds: ['unlink'], path: '*/incarnations/*', times: 1, failure: 'EIO' }]);
    await daemon.start();
    faults.set([]);
    const outcome = await outcomeOf(world());
    const receipts = Object.assign({}, ...cases.map(({ files, id }) => files(id)));
    const invoices = cases.filter(({ files, id }) => files(id)[`seller/${id}.xml`]?.includes('accepted+delivered')).map(({ id }) => id);
    expect(outcome).toMatchObject({
      again: [],
      leftovers: [],
      receipts,
      sent: invoices.map((id) => `seller/${id}`).sort(),
      received: invoices.map((id) => `buyer/${id}`).sort(),
    });
    expect(Object.keys(outcome.receipts).sort()).toEqual(Object.keys(receipts).sort());
    const arrived = [...taken.keys()];
    expect(invoices.map((id) => arrived.filter((name) => name.includes(`_${id}_`) || name === `${id}.done.xml`).length)).toEqual(
      invoices.map(() => 1),
    );
    console.log(`unknown renames: ${cases.length} answered with an error, ${Object.keys(receipts).length} files sent, 0 lost, 0 twice`);
  });

  it('a seeded defect is found: a rename that was answered with an error counts as not done', async () => {
    const defect = defectiveDaemon({
      file: 'runtime/files/rename.ts',
      from: 'if (NOT_DONE.has(systemCode(error))) return false;',
      to: 'return false;',
    });
    await using defective = await startDaemon({ ...PEOPLE, ...defect, parent, env: faults.env });
    failAfter('/spool/seller/', 1, 'EIO');
    const uploading = upload('DEFECT.xml', documentOf('DEFECT')).act(worldOf(defective, PATIENCE_MS), {});
    await expect(uploading).rejects.toThrow('could not be stored safely');
    faults.set([]);
  });
});

function inErp(work: Parameters<typeof inSession<void>>[2]): Step {
  return { act: (world) => inSession(world, 'erp', work) };
}

/** The buyer's ERP marks what it has fetched. */
function fetched(id: string): Step {
  return {
    act: (world) =>
      inSession(world, 'buyer', async (sftp) => {
        const there = await called<{ filename: string }[]>((done) => sftp.readdir('/outbox', done));
        const name = there.find(({ filename }) => filename.includes(`_${id}_`))?.filename;
        await called((done) => sftp.rename(`/outbox/${name}`, `/outbox/${id}.done.xml`, done));
      }),
  };
}
