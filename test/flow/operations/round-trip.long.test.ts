// `dropgate export`, and `dropgate apply` on an empty data folder: the same state, whatever can be set. A column, a rule or an option that is
// new and not carried, or not set here, makes this red.
import { writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { EMPTY_PROFILE } from '#contract/accounts.ts';
import { coreSchema } from '#core/ledger/schema.ts';
import { updateCoreAccount } from '#core/operate/administration.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';
import { KeepRules } from '#gateway/model/keeping.ts';
import { LoginRules } from '#gateway/model/login-rules.ts';
import { ReceivingRules } from '#gateway/model/receiving.ts';
import type { Ledgers } from '#operations/installation.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { testSite } from '../../support/site.ts';
import { dumpTable } from '../../support/world/ledger-rows.ts';

const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl erp';
const [ONE, TWO, THREE, FOUR] = ['0088:7300010000001', '0088:7350000000016', '0088:7300010000018', '0088:7300010000025'];

/** What people set, by table. Secrets and times are compared as being there. */
const DECLARED = {
  gateway: ['accounts', 'drop_rules', 'login_homes', 'login_keys', 'logins', 'participants', 'partners'],
  core: ['accounts', 'participants', 'partner_links', 'partners'],
} as const;
const THERE_OR_NOT = ['service_key', 'created_at', 'disabled_at', 'unlinked_at'];

const site = testSite();
const { at } = site;
beforeEach(() => {
  writeFileSync(at('erp.pub'), `${PUBLIC_KEY}\n`);
  writeFileSync(at('key'), 'a-key\n');
});

async function run(line: string, secret?: string): Promise<string> {
  const result = await site.run(line, secret);
  expect(result, line).toMatchObject({ status: 0, err: '' });
  return result.out;
}

type Row = Readonly<Record<string, unknown>>;
type Dump = Readonly<Record<string, readonly Row[]>>;

function inLedgers<Result>(work: (ledgers: Ledgers) => Promise<Result>): Promise<Result> {
  return withLedgers(loadConfig(site.config, undefined).config, work);
}

/** All rows of the tables that are declared. */
function dumped(): Promise<Dump> {
  return inLedgers(async ({ core, gateway }) => {
    const tables: [string, Row[]][] = [];
    for (const table of DECLARED.gateway) if (gateway) tables.push([table, await dumpTable({ gateway: gateway.ledger }, table)]);
    for (const table of DECLARED.core) if (core) tables.push([`core.${table}`, await dumpTable({ core: core.ledger }, table)]);
    return Object.fromEntries(tables.map(([table, rows]) => [table, rows.map(comparable).sort(byText)]));
  });
}

function comparable(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, THERE_OR_NOT.includes(column) ? value !== null : value]));
}

const byText = (one: Row, other: Row): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

async function roundTrip(secondConfig: string): Promise<void> {
  const before = await dumped();
  const exported = await run('export');
  const file = at('accounts.yaml');
  writeFileSync(file, exported);
  await run(`apply ${file}`);
  expect(await dumped(), 'applied where it came from').toEqual(before);

  writeFileSync(site.config, secondConfig);
  // Keys of a remote service are never exported: an administrator says where they are.
  writeFileSync(file, exported.replaceAll(/( *)(key: own|- partnerRegNo: .*)/g, withKey(secondConfig)));
  await run(`apply ${file}`);
  expect(await dumped(), 'applied to an empty folder').toEqual(before);
  expect(await run('export')).toBe(exported);
}

function withKey(text: string): (whole: string, indent: string, found: string) => string {
  const key = `apiKey: {file: ${at('key')}}`;
  return (whole, indent, found) =>
    text.includes('role: gateway') ? `${whole}\n${indent}${found.startsWith('-') ? '  ' : ''}${key}` : whole;
}

const RULES =
  '--allow 10.0.0.0/8 --methods both --expires 2027-03-31 --sessions 2 --access read-only --removal say --verdict strict --answers lookup,status --reconciliation own --home-bytes 2GB --home-files 100 --charset latin1';
const RECEIVING = '--from 2026-01-01 --marks off --outbox downloaded --keep-outbox 30d --pickup-alarm never --archive 365d';

it('beside a core', async () => {
  const beside = (data: string): string => `data: ${at(data)}\n`;
  writeFileSync(site.config, beside('data'));
  await run(`account add own --name Own --participant ${ONE} --login own --public-key ${at('erp.pub')}`);
  await run('account set own --feature apiIntegration=off --feature sftpIntegration=off --feature capture=on');
  await run('account set own --requests 600 --validation warn --profiles any');
  await run(
    'account set own --receipts text --done-file .done --validate local --unreachable at-once --reconciliation daily --repair suggest --hints on --verify warn',
  );
  await run(`account receiving own ${RECEIVING}`);
  await run('account set own --keep-items 900d --keep-accepted 40d --keep-receipts 50d --keep-failed-uploads 60d --keep-messages 800d');
  await run('login set-password own --password-stdin', 'a password that is long');
  await run(`login change own ${RULES} --layout flat`);
  await run('account add off --name Off --login off');
  await run('account disable off');
  await run('login disable off');
  await run(`account add child --name Child --participant ${TWO}`);
  await run(`account add gone --name Gone --participant ${THREE}`);
  await run(`account add pooled --name Pooled --participant ${FOUR}`);
  for (const account of ['bare', 'unseen', 'api', 'elsewhere']) await run(`account add ${account} --name ${account}`);
  await run('login add other');
  await run('partner add firm --name Firm --login firm --requests 9000 --children-max 20');
  await run('partner link firm child --folder child-ab');
  await run('partner link firm gone --folder gone-ab');
  await run('partner link firm own --folder own-ab');
  await run('partner link firm elsewhere --login other --folder elsewhere-ab');
  await run('partner link firm unseen');
  await run('login remove-home firm unseen');
  await run('partner unlink firm gone');
  await run('account receiving child --archive 48h');
  await run('partner add pool --name Pool --login pool --consolidated');
  await run('partner link pool pooled');
  await run('account set pooled --done-file *.done');
  await run('partner add api-only --name Api');
  await run('partner link api-only api');
  await run('partner disable api-only');
  await run('partner add lonely --name Lonely --login lonely');
  await run('partner link lonely bare');
  await run('login remove lonely');
  await run('login add-home other own');
  const profile = Object.fromEntries(
    Object.keys(EMPTY_PROFILE).map((field) => [field, field === 'country' ? 'SE' : field === 'currency' ? 'SEK' : field]),
  );
  await inLedgers(({ core }) => updateCoreAccount(core!, 'own', { profile }));

  const set = await dumped();
  // Everything is set somewhere: no column has one value only.
  for (const [table, rows] of Object.entries(set)) {
    for (const column of Object.keys(rows[0] ?? {}).filter((each) => !ALWAYS.includes(`${table}.${each}`))) {
      expect(new Set(rows.map((row) => row[column])).size, `${table}.${column} is set nowhere`).toBeGreaterThan(1);
    }
  }
  const ruled = (table: string, column: string): string[] =>
    Object.keys(Object.assign({}, ...(set[table] ?? []).map((row) => JSON.parse(String(row[column])))));
  expect(ruled('logins', 'rules').sort()).toEqual(Object.keys(LoginRules.properties).sort());
  expect(ruled('accounts', 'receiving').sort()).toEqual(Object.keys(ReceivingRules.properties).sort());
  expect(ruled('accounts', 'keep').sort()).toEqual(Object.keys(KeepRules.properties).sort());
  await roundTrip(beside('other'));
});

/** Of these one value is all that there is. */
const ALWAYS = [
  'accounts.created_at',
  'logins.created_at',
  'partners.created_at',
  'partners.service_key',
  'core.accounts.created_at',
  'core.partners.created_at',
  'login_keys.login',
  'login_keys.public_key',
];

it('in front of a remote service', async () => {
  const remote = (data: string): string => `role: gateway\ndata: ${at(data)}\nservice: {url: "https://x.example"}\n`;
  writeFileSync(site.config, remote('data'));
  await run('account add own --remote --api-key-stdin --login own --from now', 'a-key');
  await run('account add off --remote --api-key-stdin --login off', 'a-key');
  await run('account disable off');
  await run('login change own --layout inbox=UT,outbox=.');
  await run('partner add firm --remote --api-key-stdin --login firm', 'the-key');
  await run(`partner link firm child --folder child-ab --participant ${ONE}`);
  await run(`partner link firm gone --folder gone-ab --participant ${TWO}`);
  await run('partner link firm own --folder own-ab');
  await run('partner unlink firm gone');
  await run('account receiving child --outbox downloaded');
  await run('partner add pool --remote --api-key-stdin --login pool --consolidated', 'the-key');
  await run(`partner link pool pooled --participant ${THREE}`);
  await run(`partner link pool keyed --participant ${FOUR}`);
  await run('account rotate-key keyed --api-key-stdin', 'a-key');
  await roundTrip(remote('other'));
});

it('each table is declared, or holds what nobody sets', () => {
  const tables = ({ tables }: { readonly tables: object }): string[] => Object.keys(tables).sort();
  expect(tables(gatewaySchema)).toEqual([...DECLARED.gateway, ...KEPT.gateway].sort());
  expect(tables(coreSchema)).toEqual([...DECLARED.core, ...KEPT.core].sort());
});

/** Tables of work, of secrets, and of what accounts say by the API. */
const KEPT = {
  gateway: [
    ...[
      'attempts',
      'deliveries',
      'documents',
      'epochs',
      'failed_uploads',
      'fetches',
      'hints',
      'homes_in_hand',
      'items',
      'last_logins',
      'last_pickups',
      'operators',
    ],
    ...[
      'order_answers',
      'parties',
      'pauses',
      'processes',
      'publications',
      'reconciliation_open',
      'reconciliations',
      'redeliveries',
      'rejects',
      'revisions',
      'rings',
    ],
    ...['sent_before', 'silences', 'stuck', 'sweeps', 'takeovers', 'turned_away_told'],
  ],
  core: [
    ...['api_keys', 'enrichments', 'idempotency_keys', 'message_contents', 'message_log', 'messages', 'receptions', 'responses'],
    ...['signing_keys', 'taken', 'transmissions', 'turned_away', 'watched', 'differences', 'webhook_events', 'webhooks'],
  ],
};
