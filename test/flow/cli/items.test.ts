// The commands about items on the command line: what they print, and what they say when they refuse.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { homeFolder } from '#gateway/disk/paths.ts';
import { noteQuarantined } from '#gateway/ledger/quarantine.ts';
import { invoice } from '../../support/documents.ts';
import { refusal, type ScriptedService } from '../../support/scripted-service.ts';
import { type CommandResult, command } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const ACCOUNT = 'acme-ab';

let service: ScriptedService;
let world: World<ScriptedService>;
let accepted: string;
let refused: string;

beforeEach(async () => {
  world = await startWorld(scripted());
  ({ service } = world);
  writeFileSync(join(world.data, 'dropgate.yaml'), `data: ${world.data}\n`);
  accepted = await world.drop(ACCOUNT, 'räkning.xml', invoice({ id: '2026-0042' }));
  await until('the first', () => world.files(ACCOUNT, 'accepted').length === 1);
  service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [] }) : { status: 204 });
  refused = await world.drop(ACCOUNT, 'wrong.xml', invoice({ id: '2026-0043' }));
  await until('the second', () => world.files(ACCOUNT, 'refused').length === 1);
  await world.stop();
});

const run = (...args: string[]): Promise<CommandResult> => command([...args, '--config', join(world.data, 'dropgate.yaml')]);
const short = (item: string): string => item.slice(-8).toLowerCase();
const json = (out: string): Record<string, unknown>[] => out.split('\n').map((line) => JSON.parse(line));

describe('items', () => {
  it('a line each, the newest first', async () => {
    const { status, out } = await run('items');
    expect(status).toBe(0);
    const [first = '', second = ''] = out.split('\n');
    expect(first).toMatch(new RegExp(`^${short(refused)}\trefused\t2026-.*Z\tacme-ab\tInvoice 2026-0043\twrong.xml\tThe service refused`));
    expect(second).toMatch(new RegExp(`^${short(accepted)}\taccepted\t.*\tInvoice 2026-0042\t`));
  });

  it.each([
    [['--document', '2026-0042'], 'accepted'],
    [['--file', 'kning'], 'accepted'],
    [['--state', 'refused'], 'refused'],
    [['--limit', '1'], 'refused'],
  ])('%j', async (args, state) => {
    const found = json((await run('items', ...args, '--json')).out);
    expect(found.map((each) => each.state)).toEqual([state]);
    expect(found[0]).toMatchObject({ item: expect.any(String), receivedAt: expect.stringContaining('T'), nextAttemptAt: null });
  });

  it.each([
    [['--state', 'lost'], '--state must be one of'],
    [['--since', 'yesterday'], '--since must be a day'],
    [['--since', '2026-02-30T99:00Z'], '--since must be a day'],
    [['--limit', '0'], '--limit must be'],
  ])('%j is refused', async (args, sentence) => {
    const { status, err } = await run('items', ...args);
    expect([status, err]).toEqual([64, expect.stringContaining(sentence)]);
  });

  it('since a moment or for a time', async () => {
    expect((await run('items', '--since', '2026-11-21', '--account', ACCOUNT)).out.split('\n')).toHaveLength(2);
    expect((await run('items', '--since', '2099-01-01T00:00:00+02:00')).out).toBe('');
    expect((await run('items', '--since', '3000d')).out.split('\n')).toHaveLength(2);
  });
});

it('outbox tells programs what each cell is, and people in the heads', async () => {
  writeFileSync(join(homeFolder(world.data, ACCOUNT), 'outbox', 'came.xml'), '<Invoice/>');
  await world.administer(({ ledger }) =>
    ledger.write([`account ${ACCOUNT}`], (rows) =>
      noteQuarantined(rows, { accountRegNo: ACCOUNT, family: 'Invoice' }, 'stuck-1', 'The disk is full.', Date.now()),
    ),
  );
  const [filled = '', stuck = ''] = (await run('outbox')).out.split('\n');
  expect(filled).toMatch(/^acme-ab\t1 document\tthe oldest since \S+Z$/);
  expect(stuck).toMatch(/^acme-ab\tInvoice stuck-1\tstuck since \S+Z , tried 1 time\tThe disk is full\.$/);
  const style = { isColoured: false, nowMs: Date.now() };
  const shown = await command(['outbox', '--config', join(world.data, 'dropgate.yaml')], undefined, style);
  const [heads = '', first = '', second = ''] = shown.out.split('\n');
  expect(heads).toMatch(/^HOME +DOCUMENTS +SINCE +REASON$/);
  expect(first).toMatch(/^acme-ab +1 +\d{4}-[^a-z]*\((?:now|\d+ s ago)\)$/);
  expect(second).toMatch(/^acme-ab +Invoice stuck-1 +\d{4}-[^a-z]*\((?:now|\d+ s ago)\) +stuck, tried 1 time: The disk is full\.$/);
});

describe('item', () => {
  it('tells everything of one, by the letters in names of receipts', async () => {
    const { out } = await run('item', short(accepted));
    for (const line of [
      `item               ${accepted}`,
      'state              accepted',
      'document           Invoice 2026-0042, from 0088:7300010000001 to 0088:7350000000016',
      'attempt 1          ',
      'receipt accepted   receipts/',
      'bytes              ',
    ]) {
      expect(out).toContain(line);
    }
    expect(out).toContain(homeFolder(world.data, ACCOUNT));
  });

  it('as JSON; and that its bytes are gone', async () => {
    world.clear(ACCOUNT, 'accepted');
    const [told] = json((await run('item', accepted, '--json')).out);
    expect(told).toMatchObject({
      state: 'accepted',
      bytes: null,
      attempts: [{ number: 1, outcome: 'accepted' }],
      files: [{ folder: 'receipts', stage: 'accepted' }, { folder: 'accepted' }],
    });
    expect((await run('item', accepted)).out).toContain('not here any more');
  });

  it('one that is not there', async () => {
    const { status, err } = await run('item', 'zzzzzzzz');
    expect([status, err]).toEqual([66, expect.stringContaining("'dropgate items' lists them")]);
    expect((await run('item', "%' or 1=1")).status).toBe(66);
  });
});

it('cancel refuses what has ended, resend sends the refused one again', async () => {
  const late = await run('cancel', short(refused));
  expect([late.status, late.err]).toEqual([77, expect.stringContaining('cannot be cancelled any more')]);
  const { status, out } = await run('resend', short(refused));
  expect(status).toBe(0);
  const again = /as item (\S+) \(in /.exec(out)?.[1] ?? '';
  expect((await run('items', '--state', 'pending')).out).toContain(again);
  expect((await run('cancel', again)).out).toBe(`Item ${again} (wrong.xml) was cancelled (in ${world.data}).`);
  expect(world.files(ACCOUNT, 'refused')).toEqual([`wrong.${again}.xml`]);
  expect((await run('resend', short(accepted))).status).toBe(77);
});

it('resubmit tells of one document as of one', async () => {
  const { status, out } = await run('resubmit', '--since', '2020-01-01', '--dry-run');
  expect([status, out]).toEqual([0, expect.stringContaining('1 document would be sent again, unless the service has it; 0 cannot be')]);
});

it('resend takes one item, or all of an account that are held', async () => {
  for (const args of [[], [short(refused), '--account', ACCOUNT]]) {
    expect(await run('resend', ...args)).toMatchObject({ status: 64, err: expect.stringContaining('Name one item, or --account') });
  }
  expect((await run('resend', '--account', ACCOUNT)).out).toBe(`0 items are on their way again (in ${world.data}).`);
});

it('resubmit tells what it would send, sends it, and says what it cannot', async () => {
  expect((await run('resubmit')).status).toBe(64);
  const foreseen = await run('resubmit', '--since', '2026-11-21', '--dry-run');
  expect(foreseen.out).toContain('1 document would be sent again');
  expect((await run('items', '--state', 'pending')).out).toBe('');
  const [told] = json((await run('resubmit', '--since', '2026-11-21', '--account', ACCOUNT, '--json')).out);
  expect(told).toMatchObject({ documentId: '2026-0042', sentAgainAs: expect.any(String), problem: null });
  expect((await run('items', '--state', 'pending')).out).toContain('räkning.xml');
  expect((await run('resubmit', '--since', '2026-11-21')).out).toContain('0 documents are sent again');
  await run('cancel', String(told?.sentAgainAs));
  rmSync(join(homeFolder(world.data, ACCOUNT), 'accepted', readdirSync(join(homeFolder(world.data, ACCOUNT), 'accepted'))[0] ?? ''));
  const { out, err } = await run('resubmit', '--since', '2026-11-21');
  expect(out).toContain('1 cannot be');
  expect(err).toContain('is not in the home any more');
});

it('recover --restored says so', async () => {
  const { status, out } = await run('recover', '--restored');
  expect([status, out]).toEqual([0, expect.stringContaining('come from a backup')]);
  expect((await run('recover')).out).not.toContain('come from a backup');
});
