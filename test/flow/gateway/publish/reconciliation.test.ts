// Daily reconciliation files: of each day one, signed for its account and day, of all that was open and came; days add up to the next one.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepExpiry, keepFetch } from '#gateway/ledger/fetches.ts';
import { readReconciledOwners } from '#gateway/ledger/reconciliation.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { cancelItem } from '#gateway/operate/cancel.ts';
import { localDay } from '#runtime/local-time.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { type Mailbox, mailbox } from '../../../support/mailbox.ts';
import { retentionRounds } from '../../../support/retention.ts';
import { created } from '../../../support/scripted-service.ts';
import { have } from '../../../support/sftp-clients.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const HOUR_MS = 60 * 60_000;
const CAN_VERIFY = have('python3') && have('openssl');
const VERIFIER = join(import.meta.dirname, '../../../../docs/verify-reconciliation.py');

interface Site {
  readonly world: World;
  readonly box: Mailbox;
  /** What the service answers to documents that wait. */
  waits: boolean;
}

/** Two accounts, of which one gets files; a document whose number begins with WAITS waits for as long as `waits`. */
async function start(): Promise<Site> {
  const box = mailbox();
  const site = { waits: true };
  const world = await startWorld(
    scripted((seen) => {
      if (seen.method !== 'POST') return seen.path.includes(ACCOUNT) ? box.script(seen) : { status: 204 };
      return seen.body.includes('>WAITS') && site.waits ? 'reset' : created();
    }),
    { accounts: { [ACCOUNT]: 'key', 'beta-as': 'key of beta' }, hinted: true },
  );
  await turn(world, 'daily');
  return Object.assign(site, { world, box });
}

async function turn(world: World, reconciliation: 'daily' | null): Promise<void> {
  await world.administer((on) => changeAccount(on, ACCOUNT, { reconciliation }));
  await world.gateway().refreshAccounts();
  await world.pass(6 * 60_000);
  const begun = async (): Promise<number> => (await world.administer(({ ledger }) => readReconciledOwners(ledger.read))).length;
  await until('the first look', async () => (await begun()) === Number(reconciliation === 'daily'));
}

const drop = (world: World, home: string, name: string, id: string): Promise<string> =>
  world.drop(home, name, invoice({ id, sender: home === ACCOUNT ? SELLER : BUYER, receiver: home === ACCOUNT ? BUYER : SELLER }));

const tables = (world: World, home = ACCOUNT): string[] =>
  world.files(home, 'receipts').filter((name) => name.endsWith('.reconciliation.csv'));

/** Time goes on until the file of the day that is now is there; resolves with its name. */
async function nextFile(world: World): Promise<string> {
  const name = `${localDay(world.clock.now()).name}.reconciliation.csv`;
  await world.inTime(name, () => tables(world).includes(name), HOUR_MS);
  return name;
}

type Row = Readonly<Record<string, string>>;

/** None of the cells that are compared has a comma. */
function rowsOf(world: World, name: string): Row[] {
  const [head = '', ...lines] = world.read(ACCOUNT, 'receipts', name).toString().trimEnd().split('\r\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])));
}

const short = (rows: readonly Row[]): string[] =>
  rows.map(({ direction, entry, state, documentId }) => `${direction} ${entry} ${state} ${documentId}`);

const statementOf = (world: World, name: string): string => world.read(ACCOUNT, 'receipts', `${name}.sig`).toString();

/** The stages of receipts by which a state is told. */
const TOLD_BY: Readonly<Record<string, readonly string[]>> = {
  accepted: ['accepted', 'duplicate'],
  refused: ['refused'],
  held: ['held'],
  cancelled: ['cancelled'],
};

/** What was dropped is all in one state, and each row but of what waits names the receipt that tells of it, which is there. */
function expectToBalance(world: World, name: string): void {
  const rows = rowsOf(world, name).filter(({ direction }) => direction === 'sent');
  const count = (word: string): number => rows.filter(({ entry, state }) => [entry, state].includes(word)).length;
  const states = ['accepted', 'refused', 'held', 'cancelled', 'waiting', 'forgotten'].map((state) => [state, count(state)] as const);
  const sum = states.reduce((total, [, some]) => total + some, 0);
  expect(sum).toBe(count('carried') + count('dropped'));
  const told = states.map((pair) => pair.join(' ')).join(' + ');
  expect(statementOf(world, name)).toContain(`\nsent: carried ${count('carried')} + dropped ${count('dropped')} = ${told}\n`);
  for (const { state = '', receipt = '', file } of rows) {
    if (state === 'waiting' || state === 'forgotten') continue;
    expect(world.files(ACCOUNT, 'receipts'), `${file} ${state}`).toContain(receipt);
    const { stage, file: about }: Record<string, unknown> = JSON.parse(world.read(ACCOUNT, 'receipts', receipt).toString());
    expect(TOLD_BY[state]).toContain(stage);
    expect(about).toBe(file);
  }
}

/** What the verifier in the documentation says of files, in their order, and how it ended. */
function verify(
  world: World,
  files: readonly string[],
  owner = `account ${ACCOUNT}`,
): { readonly said: string[]; readonly status: number | null } {
  const paths = files.map((name) => (name.includes('/') ? name : world.home(ACCOUNT, 'receipts', name)));
  const args = [VERIFIER, join(world.data, 'keys', 'archive.pub'), owner, ...paths];
  const { stdout, status } = spawnSync('python3', args, { encoding: 'utf8' });
  const lines = stdout.trimEnd().split('\n');
  return { said: lines.map((line) => line.replace(/^\S*\//, '')), status };
}

it.runIf(CAN_VERIFY)(
  'each day has one file of all that was open and came, which adds up to the next one and is signed for the account and the day',
  async () => {
    const site = await start();
    const { world, box } = site;
    await drop(world, ACCOUNT, 'sent.xml', 'SENT');
    await world.drop(ACCOUNT, 'refused.xml', 'no document');
    await drop(world, ACCOUNT, 'waits.xml', 'WAITS');
    await drop(world, 'beta-as', 'other.xml', 'OTHER');
    const fetched = box.put(invoice({ id: 'FETCHED' }));
    box.put(invoice({ id: 'LEFT' }));
    world.gateway().ring(ACCOUNT, 'Invoice');
    await until('both documents', () => world.files(ACCOUNT, 'outbox').length === 2);
    const outbox = world.files(ACCOUNT, 'outbox');
    const name = outbox.find((each) => each.endsWith(`${fetched.replaceAll('-', '').slice(-8)}.xml`)) ?? '';
    await world.receipt(ACCOUNT, 'sent.xml', 'accepted');
    await world.receipt(ACCOUNT, 'refused.xml', 'refused');
    const download = {
      folder: 'outbox',
      action: 'downloaded',
      login: 'erp',
      key: null,
      address: '::1',
      bytes: 1,
      sha256: null,
      times: 1,
    } as const;
    await world.administer(({ ledger, clock }) =>
      ledger.write([], (rows) => keepFetch(rows, { ...download, home: ACCOUNT, name, atMs: clock.now() })),
    );

    const first = await nextFile(world);
    const day = first.slice(0, 10);
    expect(short(rowsOf(world, first)).sort()).toEqual([
      'received received fetched FETCHED',
      'received received unfetched LEFT',
      'sent dropped accepted SENT',
      'sent dropped refused ',
      'sent dropped waiting WAITS',
    ]);
    const [sent] = rowsOf(world, first);
    expect(sent).toMatchObject({ day, accountRegNo: ACCOUNT, file: 'sent.xml', family: 'Invoice', sender: SELLER, receiver: BUYER });
    expectToBalance(world, first);
    const statement = statementOf(world, first);
    expect(statement).toContain(`for: account ${ACCOUNT}\nday: ${day}\n`);
    expect(statement).toContain('sent: carried 0 + dropped 3 = accepted 1 + refused 1 + held 0 + cancelled 0 + waiting 1 + forgotten 0\n');
    expect(statement).toContain('received: carried 0 + received 2 = fetched 1 + unfetched 1 + forgotten 0\n');
    expect(tables(world, 'beta-as')).toEqual([]);

    site.waits = false;
    await world.passUntilDone(24 * HOUR_MS);
    // As by keepOutbox: it is gone, and no login has fetched it.
    const left = outbox.find((each) => each !== name) ?? '';
    await world.administer(({ ledger, clock }) =>
      ledger.write([], (rows) => keepExpiry(rows, { home: ACCOUNT, folder: 'outbox', name: left }, clock.now())),
    );
    rmSync(world.home(ACCOUNT, 'outbox', left));
    const second = await nextFile(world);
    expect(short(rowsOf(world, second))).toEqual(['sent carried accepted WAITS', 'received carried fetched LEFT']);
    expect(rowsOf(world, second).at(-1)?.endedAt).toBe('');
    expectToBalance(world, second);
    expect(verify(world, [first, second])).toEqual({ said: [`${first}: ok`, `${second}: ok`], status: 0 });

    // Off, and nothing more is made.
    await turn(world, null);
    await world.pass(48 * HOUR_MS, HOUR_MS);
    expect(tables(world)).toEqual([first, second]);
  },
);

it.runIf(CAN_VERIFY)(
  'what was dropped is accepted, refused, held, cancelled or waiting, each with its receipt; or has been forgotten since',
  async () => {
    const { world } = await start();
    await drop(world, ACCOUNT, 'sent.xml', 'SENT');
    await world.receipt(ACCOUNT, 'sent.xml', 'accepted');
    await drop(world, ACCOUNT, 'again.xml', 'SENT');
    await world.receipt(ACCOUNT, 'again.xml', 'duplicate');
    await world.drop(ACCOUNT, 'refused.xml', 'no document');
    await world.receipt(ACCOUNT, 'refused.xml', 'refused');
    const tried = async (times: number): Promise<void> => {
      await until('a try', () => world.logged('submit.postponed') === times);
    };
    // Its bytes are not what was received any more, at the second try.
    const held = await drop(world, ACCOUNT, 'held.xml', 'WAITS-HELD');
    await tried(1);
    const [spooled = ''] = world.spooled(ACCOUNT);
    writeFileSync(join(world.data, 'spool', ACCOUNT, spooled), 'changed');
    await world.inTime('held', () => world.stages(ACCOUNT, 'held.xml').includes('held'));
    const before = world.logged('submit.postponed');
    await drop(world, ACCOUNT, 'waits.xml', 'WAITS');
    await tried(before + 1);
    // Behind the one that waits, so that it is not tried.
    const taken = await drop(world, ACCOUNT, 'cancelled.xml', 'CANCELLED');
    await world.operate((on) => cancelItem(on, taken, false));
    await world.receipt(ACCOUNT, 'cancelled.xml', 'cancelled');

    const first = await nextFile(world);
    expect(short(rowsOf(world, first)).sort()).toEqual([
      'sent dropped accepted SENT',
      'sent dropped accepted SENT',
      'sent dropped cancelled CANCELLED',
      'sent dropped held WAITS-HELD',
      'sent dropped refused ',
      'sent dropped waiting WAITS',
    ]);
    expectToBalance(world, first);

    // A person closes the case, and its row goes from the ledger before the day ends; what is kept for an hour goes from receipts/ as well.
    // Behind the other by its path: the days count, wherever the files lie.
    const folder = mkdtempSync(join(tmpdir(), 'zz-days-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of [first, `${first}.sig`]) copyFileSync(world.home(ACCOUNT, 'receipts', name), join(folder, name));
    await world.administer((on) => changeAccount(on, ACCOUNT, { keep: { items: HOUR_MS, accepted: HOUR_MS, receipts: HOUR_MS } }));
    await world.operate((on) => cancelItem(on, held, true));
    await retentionRounds(world);
    const second = await nextFile(world);
    expect(short(rowsOf(world, second)).sort()).toEqual(['sent carried forgotten ', 'sent carried waiting WAITS']);
    expectToBalance(world, second);
    expect(verify(world, [join(folder, first), second])).toEqual({ said: [`${first}: ok`, `${second}: ok`], status: 0 });
  },
);

it('the verifier has 60 lines at the most: who is to believe it reads it first', () => {
  expect(readFileSync(VERIFIER, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});

it.runIf(CAN_VERIFY)('the verifier misses what was changed, left out, or is of another owner, day or key', async () => {
  const { world } = await start();
  await drop(world, ACCOUNT, 'one.xml', 'WAITS-1');
  const first = await nextFile(world);
  const second = await nextFile(world);
  const third = await nextFile(world);
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-verify-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const said = (files: readonly string[], owner?: string): string => verify(world, files, owner).said.join('\n');
  expect(said([first, second, third])).toBe([first, second, third].map((each) => `${each}: ok`).join('\n'));
  expect(said([first], 'account beta-as')).toContain(`it is for account ${ACCOUNT}; it has rows of another day or account`);
  expect(said([first, third])).toContain(`it follows ${second.slice(0, 10)}`);
  const at = (name: string): string => join(folder, name);
  const take = (from: string, to: string): void => copyFileSync(world.home(ACCOUNT, 'receipts', from), at(to));
  const table = world.read(ACCOUNT, 'receipts', first).toString();
  const statement = world.read(ACCOUNT, 'receipts', `${first}.sig`).toString();

  take(first, 'moved.csv');
  take(`${second}.sig`, 'moved.csv.sig');
  expect(said([at('moved.csv')])).toContain('the file was changed; it has rows of another day or account');
  writeFileSync(at('row.csv'), table.replace('waiting', 'refused'));
  take(`${first}.sig`, 'row.csv.sig');
  expect(said([at('row.csv')])).toContain('the file was changed; sent: carried 0 + dropped 1 = ');
  for (const [from, to] of [
    [ACCOUNT, 'beta-as'],
    [first.slice(0, 10), second.slice(0, 10)],
  ] as const) {
    take(first, 'signed.csv');
    writeFileSync(at('signed.csv.sig'), statement.replace(from, to));
    expect(said([at('signed.csv')], `account ${to}`)).toContain('the signature is not of this key and statement');
  }
  expect(verify(world, [at('signed.csv')]).status).toBe(1);
  take(first, 'alone.csv');
  take(first, 'odd.csv');
  writeFileSync(at('odd.csv.sig'), 'signature: ?');
  take(`${first}.sig`, 'text.csv.sig');
  writeFileSync(at('text.csv'), Buffer.from([0xff, 0x0a, 0x61]));
  const { said: lines, status } = verify(world, [at('alone.csv'), at('odd.csv'), at('text.csv'), first]);
  expect(status).toBe(1);
  expect(lines).toEqual([
    `${first}: ok`,
    expect.stringContaining('alone.csv.sig'),
    expect.stringContaining('odd.csv: '),
    expect.stringContaining('text.csv: it cannot be checked: '),
  ]);
});

it.runIf(CAN_VERIFY)('names and numbers of a hostile tenant stay in their cells', async () => {
  const { world } = await start();
  const names = ['=cmd|calc!A1.xml', '+1,"2";3.xml', 'line\r\nsent,dropped,accepted.xml', '\u0007@bell\t.xml', '-\u0085next.xml'];
  for (const [at, name] of names.entries()) {
    await drop(world, ACCOUNT, Buffer.from(name).toString('latin1'), `=HYPERLINK("${at}"),\t'`);
  }
  const file = await nextFile(world);
  const text = world.read(ACCOUNT, 'receipts', file).toString();
  expect(text.trimEnd().split('\r\n')).toHaveLength(1 + names.length);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/\p{Cc}/u);
  expect(text).not.toMatch(/(?:^|,)"?[=+@-]/m);
  expect(verify(world, [file]).said).toEqual([`${file}: ok`]);
});

it.runIf(CAN_VERIFY)('a daemon that was off makes the days that are missing, each once, and of a long absence the last 31', async () => {
  const { world } = await start();
  await drop(world, ACCOUNT, 'waits.xml', 'WAITS');
  const first = await nextFile(world);
  await world.stop();
  world.clock.advance(3 * 24 * HOUR_MS);
  await world.restart();
  await world.inTime('three more', () => tables(world).length === 4, 5 * 60_000);
  const files = tables(world);
  expect(files[0]).toBe(first);
  expect(verify(world, files).status).toBe(0);
  expect(short(rowsOf(world, files[3] ?? ''))).toEqual(['sent carried waiting WAITS']);
  await world.stop();
  world.clock.advance(60 * 24 * HOUR_MS);
  await world.restart();
  await world.inTime('the last 31', () => tables(world).length >= 31, 5 * 60_000);
  await world.restart();
  await world.pass(HOUR_MS);
  const again = readdirSync(world.home(ACCOUNT, 'receipts')).filter((name) => name.endsWith('.csv') && !files.includes(name));
  expect(again).toHaveLength(31);
  for (const name of again) {
    // Whatever became of it since the daemon runs again: on those days it was waiting.
    expect(short(rowsOf(world, name))).toEqual(['sent carried waiting WAITS']);
    expectToBalance(world, name);
  }
  expect(verify(world, again).status).toBe(0);
});
