// Daily reconciliation files: of each day one, signed for its account and day, of all that was open and came; days add up to the next one.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepFetch } from '#gateway/ledger/fetches.ts';
import { readReconciledOwners } from '#gateway/ledger/reconciliation.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { localDay } from '#runtime/local-time.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { type Mailbox, mailbox } from '../../../support/mailbox.ts';
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

const drop = (world: World, home: string, name: string, id: string): Promise<unknown> =>
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
    expect(world.files(ACCOUNT, 'receipts')).toContain(sent?.receipt);
    const statement = world.read(ACCOUNT, 'receipts', `${first}.sig`).toString();
    expect(statement).toContain(`for: account ${ACCOUNT}\nday: ${day}\n`);
    expect(statement).toContain('sent: carried 0 + dropped 3 = accepted 1 + refused 1 + held 0 + cancelled 0 + waiting 1 + forgotten 0\n');
    expect(statement).toContain('received: carried 0 + received 2 = fetched 1 + unfetched 1 + forgotten 0\n');
    expect(tables(world, 'beta-as')).toEqual([]);

    site.waits = false;
    await world.passUntilDone(24 * HOUR_MS);
    rmSync(world.home(ACCOUNT, 'outbox', outbox.find((each) => each !== name) ?? ''));
    const second = await nextFile(world);
    expect(short(rowsOf(world, second))).toEqual(['sent carried accepted WAITS', 'received carried fetched LEFT']);
    expect(verify(world, [first, second])).toEqual({ said: [`${first}: ok`, `${second}: ok`], status: 0 });

    // Off, and nothing more is made.
    await turn(world, null);
    await world.pass(48 * HOUR_MS, HOUR_MS);
    expect(tables(world)).toEqual([first, second]);
  },
);

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
  expect(short(rowsOf(world, files[3] ?? ''))).toEqual([expect.stringMatching(/^sent carried (?:waiting|held) WAITS$/)]);
  await world.stop();
  world.clock.advance(60 * 24 * HOUR_MS);
  await world.restart();
  await world.inTime('the last 31', () => tables(world).length >= 31, 5 * 60_000);
  await world.restart();
  await world.pass(HOUR_MS);
  const again = readdirSync(world.home(ACCOUNT, 'receipts')).filter((name) => name.endsWith('.csv') && !files.includes(name));
  expect(again).toHaveLength(31);
  expect(verify(world, again).status).toBe(0);
});
