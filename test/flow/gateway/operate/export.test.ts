// What the gateway hands out of an account, table by table: a new table turns this red until somebody says what an export has of it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { putPause } from '#gateway/ledger/circuit-breaker.ts';
import { keepFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { keepFetch } from '#gateway/ledger/fetches.ts';
import { keepLastLogin, keepLastPickup } from '#gateway/ledger/last-uses.ts';
import { putOrderAnswer } from '#gateway/ledger/order-answers.ts';
import { replaceParticipants } from '#gateway/ledger/participants.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import { noteQuarantined } from '#gateway/ledger/quarantine.ts';
import { insertRedelivery } from '#gateway/ledger/redeliveries.ts';
import { gatewaySchema, type Rows } from '#gateway/ledger/schema.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { exportHere } from '#gateway/operate/export.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { BUYER, invoice } from '../../../support/documents.ts';
import { stagedIn } from '../../../support/staged.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const OTHER = 'other-ab';
/** The key at the service, and the hash of a password. */
const SECRETS = ['key-of-acme', '$argon2id$s3cret'];

/** In which file of an export a table's rows stand, and what of them. */
const EXPORTED: Readonly<Record<string, readonly [file: string, text: string]>> = {
  accounts: ['account.json', '"home": "acme-ab"'],
  participants: ['account.json', BUYER],
  drop_rules: ['account.json', '.done'],
  items: ['sent.jsonl', 'F-1'],
  attempts: ['sent.jsonl', '"outcome":"accepted"'],
  deliveries: ['sent.jsonl', '"network":'],
  publications: ['sent.jsonl', '"folder":"receipts"'],
  documents: ['received.jsonl', 'R-1'],
  fetches: ['fetched.jsonl', '"action":"downloaded"'],
  failed_uploads: ['failed.jsonl', 'half.xml'],
  logins: ['logins.jsonl', '"hasPassword":true'],
  login_keys: ['logins.jsonl', 'ssh-ed25519 AAAA'],
  login_homes: ['logins.jsonl', '"folder":"acme"'],
  last_logins: ['logins.jsonl', '192.0.2.7'],
  last_pickups: ['logins.jsonl', '"lastPickup":"20'],
  order_answers: ['order-answers.jsonl', 'A-1'],
  stuck: ['stuck.jsonl', 'the disk is full'],
  redeliveries: ['redeliveries.jsonl', '"integrationId":"again"'],
  pauses: ['pauses.jsonl', 'the key is refused'],
};

/** Why nothing of a table is in an export. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  partners: 'of its partner, which is named in account.json; its key is a secret',
  hints: 'a secret, by which the service is known that says that there is something',
  revisions: 'how a process notices changes',
  rejects: 'addresses that did not get in, under names that anybody may give',
  sent_before: 'digests, of which nobody can tell whose they are',
  parties: 'what documents of all accounts call participants: its own say so themselves',
  silences: 'how long to wait between two attempts',
  sweeps: 'how far lists of the service were read',
  turned_away_told: 'how far a list of the service was read',
  reconciliations: 'how far its reconciliation files go, which are in its home',
  reconciliation_open: 'the same',
  operators: 'who administers',
  processes: 'who works here',
  takeovers: 'who worked here',
  homes_in_hand: 'who works on a home',
  rings: 'what one process has changed for another',
  epochs: 'how a restored backup is recognised',
};

/** What no document, but a person or a program at the other end, has brought about. */
async function others(rows: Rows, { receipt, atMs }: { readonly receipt: string; readonly atMs: number }): Promise<void> {
  await replaceParticipants(rows, ACCOUNT, [BUYER]);
  const by = { login: 'erp', address: '192.0.2.7', times: 1, atMs };
  await keepFetch(rows, {
    ...by,
    home: ACCOUNT,
    folder: 'receipts',
    name: receipt,
    action: 'downloaded',
    key: null,
    bytes: 7,
    sha256: null,
  });
  await keepLastLogin(rows, { login: 'erp', address: '192.0.2.7', atMs });
  await keepLastPickup(rows, { home: ACCOUNT, login: 'erp', atMs });
  for (const accountRegNo of [ACCOUNT, OTHER]) {
    const mark = accountRegNo === ACCOUNT ? '' : ' of the other';
    await keepFailedUpload(rows, { ...by, home: accountRegNo, fileName: `half.xml${mark}`, size: 3, reason: 'cut off' });
    const answer = { answer: 'accept', number: `A-1${mark}`, item: 'ITEM', givenAt: atMs } as const;
    await putOrderAnswer(rows, { accountRegNo, sha256: 'digest' }, answer);
    const feed = { accountRegNo, family: 'Invoice' } as const;
    await noteQuarantined(rows, feed, 'waits', `the disk is full${mark}`, atMs);
    await insertRedelivery(rows, { ...feed, integrationId: `again${mark}` }, atMs);
    await putPause(rows, accountRegNo, null, { now: atMs, until: atMs + 1_000, reason: `the key is refused${mark}` });
  }
}

/** An account with a row in each table that is exported, and another one beside it. */
async function start(): Promise<World<StandIn>> {
  const world = await startWorld(standIn(), { accounts: { [ACCOUNT]: SECRETS[0] ?? '', [OTHER]: 'other' } });
  await world.drop(ACCOUNT, 'first.xml', invoice({ id: 'F-1' }));
  await world.inTime('it to be accepted', () => world.stages(ACCOUNT, 'first.xml').includes('accepted'));
  const [receipt = ''] = world.files(ACCOUNT, 'receipts');
  world.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'R-1' })));
  await world.inTime('it to be received', () => world.files(ACCOUNT, 'outbox').length === 1, 60_000);
  await world.administer(async (on) => {
    await changeAccount(on, ACCOUNT, { doneFile: '.done' });
    await addLogin(on, { login: 'erp', passwordHash: SECRETS[1] ?? '', publicKeys: ['ssh-ed25519 AAAA'] });
    await addLoginHome(on, 'erp', ACCOUNT, 'acme');
    await on.ledger.write([`home ${ACCOUNT}`], (rows) => others(rows, { receipt, atMs: on.clock.now() }));
  });
  return world;
}

/** What an export has written, by path. */
async function exported(on: Administration): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await exportHere(on, ACCOUNT, folder, () => undefined)).not.toBeNull();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

it('of each table it is said whether it is exported', () => {
  expect([...Object.keys(EXPORTED), ...Object.keys(LEFT_OUT)].sort()).toEqual(Object.keys(gatewaySchema.tables).sort());
});

it('export has what each of these tables has of the account, nothing of another one, and nothing secret', async () => {
  const world = await start();
  const files = await world.administer(exported);
  for (const [table, [file, text]] of Object.entries(EXPORTED)) {
    expect(await world.administer(({ ledger }) => dumpTable({ gateway: ledger }, table)), table).not.toEqual([]);
    expect(files.get(file), `${table} in ${file}`).toContain(text);
  }
  const all = [...files.values()].join('');
  for (const other of [...SECRETS, OTHER, 'of the other']) expect(all).not.toContain(other);
  const manual = readFileSync(resolve('docs/operations.md'), 'utf8');
  for (const [file] of Object.values(EXPORTED)) expect(manual).toContain(`\`${file}\``);
});

it('export has files that are on their way into the home at that moment, by the names that they will have', async () => {
  const world = await start();
  for (const folder of ['outbox', 'receipts', 'refused']) rmSync(world.home(ACCOUNT, folder), { recursive: true });
  const arriving = invoice({ id: 'R-2' });
  world.service.arrive(ACCOUNT, Buffer.from(arriving));
  await world.drop(ACCOUNT, 'bad.xml', 'no document');
  await world.inTime('both to be staged', () => stagedIn(world.data).length === 2, 60_000);
  const files = await world.administer(exported);
  const paths = [...files.keys()].filter((path) => path.startsWith('arriving/')).sort();
  expect(paths).toEqual([
    expect.stringMatching(/^arriving\/outbox\/.*R-2.*\.xml$/),
    expect.stringMatching(/^arriving\/receipts\/bad\.xml\./),
  ]);
  expect(files.get(paths[0] ?? '')).toBe(Buffer.from(arriving).toString());
  // Its original is in the spool until it is in its place.
  expect([...files.keys()].filter((path) => path.startsWith('unfinished/bad.'))).toHaveLength(1);

  // When they have arrived they are in the home alone.
  for (const folder of ['outbox', 'receipts', 'refused']) mkdirSync(world.home(ACCOUNT, folder));
  await world.inTime('both to arrive', () => stagedIn(world.data).length === 0 && world.files(ACCOUNT, 'refused').length === 1);
  const later = [...(await world.administer(exported)).keys()];
  expect(later.filter((path) => /^(arriving|unfinished)\//.test(path))).toEqual([]);
  expect(later).toContain(paths[0]?.replace('arriving', 'home'));
});

it('export has what is staged in a home on a disk of its own, but nothing that a link there leads to', async () => {
  const world = await start();
  writeFileSync(world.home(ACCOUNT, '.staged', 'one'), 'R-3');
  symlinkSync(join(world.data, 'keys', 'secret.key'), world.home(ACCOUNT, '.staged', 'two'));
  await world.administer(({ ledger }) =>
    ledger.write([`home ${ACCOUNT}`, `account ${ACCOUNT}`], async (rows) => {
      for (const name of ['one', 'two']) {
        const owed = { accountRegNo: ACCOUNT, home: ACCOUNT, folder: 'outbox', name: `${name}.xml`, subject: name, stage: '1' } as const;
        await insertPublication(rows, { ...owed, staged: `homes/${ACCOUNT}/.staged/${name}` });
      }
    }),
  );
  const files = await world.administer(exported);
  expect([...files].filter(([path]) => path.startsWith('arriving/'))).toEqual([['arriving/outbox/one.xml', 'R-3']]);
});
