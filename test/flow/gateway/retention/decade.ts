// Ten years from the first document on: what was seen at the end of each, and of what happened once in between: an account was exported, another one
// erased, which came back later, and the process died while days of the archive went.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { updateCoreAccount } from '#core/operate/administration.ts';
import { eraseFromCore, foreseeErasure } from '#core/operate/erase.ts';
import { exportFromCore } from '#core/operate/export.ts';
import { readEnds } from '#gateway/archive/chain.ts';
import { archiveFolder, daysOf, filesOf } from '#gateway/archive/places.ts';
import { verifyArchive } from '#gateway/archive/verify.ts';
import { setServed } from '#gateway/operate/account-rules.ts';
import { eraseArchive, eraseHere, foreseeErasureHere } from '#gateway/operate/erase.ts';
import { exportHere } from '#gateway/operate/export.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { dropped, type Place } from '../../../crash/long-life.ts';
import { calm } from '../../../support/calm.ts';
import { openFaults } from '../../../support/faults/shim.ts';
import { run } from '../../../support/sftp-clients.ts';
import { until } from '../../../support/until.ts';
import {
  administer,
  admit,
  foldersOf,
  type Left,
  type Living,
  live,
  liveTerm,
  type On,
  pass,
  people,
  type Row,
  STUCK,
  sent,
  TERM_MS,
  TERMS_A_YEAR,
  tablesOf,
  unreadOf,
} from './years.ts';

const YEARS = 10;
/** At whose end it is. */
const EXPORT = 2;
export const ERASURE = 4;
/** Before it. */
const DEATH = 6;
const RETURN = 7;
/** From this year on nothing is new, and all periods have passed. */
export const STEADY = 4;
/** In terms: what was sent so long ago has left the ledgers, but not the archive. */
const LONG_AGO = 6;
const PROGRAM = join(import.meta.dirname, 'years-program.ts');

type Tables = ReadonlyMap<string, readonly Row[]>;

export interface Year {
  readonly tables: Tables;
  /** In its last term, when all had just come. */
  readonly busy: Tables;
  readonly folders: ReadonlyMap<string, number>;
  /** Of what was left in the first term, what is not there as it was. */
  readonly gone: readonly string[];
  /** By account that has one: how many days are closed, what differs, and how old its oldest day is. */
  readonly archives: Readonly<
    Record<string, { readonly days: number; readonly differences: readonly unknown[]; readonly oldestMs: number }>
  >;
  /** Of what was sent long ago: whether the ledger and the archive have it. */
  readonly longAgo: { readonly inLedger: boolean; readonly inArchive: boolean };
}

export interface Decade {
  readonly years: readonly Year[];
  readonly exported: {
    readonly lines: Readonly<Record<string, number>>;
    /** Paths below the archive's folder, and below its copy. */
    readonly archive: { readonly copied: readonly string[] | undefined; readonly there: readonly string[] | undefined };
    readonly before: Tables;
    readonly after: Tables;
  };
  readonly erased: {
    readonly before: Tables;
    readonly after: Tables;
    /** Outside the ledgers, and but for alarms. */
    readonly onDisk: readonly string[];
  };
  /** How the process ended, and whether it had begun to remove a day of the archive. */
  readonly died: { readonly status: number | null; readonly err: string; readonly hasHalfADay: boolean };
}

export async function liveTenYears(place: Place): Promise<Decade> {
  const keys = await people(place);
  const left: Left = { unread: new Set(), unfetched: new Set(), owed: new Set() };
  const years: Year[] = [];
  let [exported, erased, died]: [Decade['exported']?, Decade['erased']?, Decade['died']?] = [];
  for (let year = 0; year < YEARS; year++) {
    if (year === DEATH) died = await dieHard(place);
    const senders = year > ERASURE && year < RETURN ? ['seller'] : ['seller', 'leaver'];
    await using life = await live(place, keys);
    const living = { place, keys, life, left };
    if (year === RETURN) await comeBack(living);
    let busy: Tables = new Map();
    const end = (year + 1) * TERMS_A_YEAR;
    for (let term = year * TERMS_A_YEAR; term < end; term++) {
      await liveTerm(living, term, senders);
      if (term === end - 1) busy = await tablesOf(place);
      await pass(place);
    }
    if (year > 1) await dropped(life, place.clock, `again-${year}.xml`, sent('seller', end - LONG_AGO), 'duplicate');
    if (year === EXPORT) exported = await exportSeller(place);
    if (year === ERASURE) erased = await eraseLeaver(living);
    years.push({ busy, ...(await seen(living, year)) });
  }
  if (!exported || !erased || !died) throw new Error('not all has happened');
  return { years, exported, erased, died };
}

async function seen(living: Living, year: number): Promise<Omit<Year, 'busy'>> {
  const { place } = living;
  const tables = await tablesOf(place);
  const archives: Record<string, Year['archives'][string]> = {};
  for (const account of readdirSync(join(place.data, 'archive'))) {
    const { days, differences } = await verifyArchive(place.data, account);
    const [oldest = ''] = await daysOf(place.data, account);
    archives[account] = { days, differences, oldestMs: place.clock.now() - Date.parse(oldest) };
  }
  const longAgo = `seller-${(year + 1) * TERMS_A_YEAR - LONG_AGO}.xml`;
  return {
    tables,
    folders: foldersOf(place),
    gone: await goneOf(living, tables),
    archives,
    longAgo: {
      inLedger: JSON.stringify(tables.get('gateway.items')).includes(longAgo),
      inArchive: (await archivedFiles(place, 'seller')).some((name) => name.includes(longAgo)),
    },
  };
}

async function goneOf(living: Living, tables: Tables): Promise<string[]> {
  const { life, left } = living;
  const [unread, outbox] = [await unreadOf(living), life.files('seller', 'outbox')];
  const [published, messages] = ['gateway.publications', 'core.messages'].map((table) => JSON.stringify(tables.get(table)));
  const waits = (tables.get('gateway.items') ?? []).filter((row) => row.account_reg_no === STUCK && row.ended_at === null);
  return [
    ...[...left.unread].filter((id) => !unread.includes(id)),
    ...[...left.owed].filter((id) => !messages?.includes(id)),
    ...[...left.unfetched].filter((name) => !outbox.includes(name) || !published?.includes(name)),
    ...(waits.length === 1 && life.spooled(STUCK).length === 1 ? [] : ['waits.xml']),
  ];
}

async function archivedFiles({ data }: Place, account: string): Promise<string[]> {
  const days = await daysOf(data, account);
  return (await Promise.all(days.map((day) => filesOf(join(archiveFolder(data, account), day))))).flat();
}

async function exportSeller(place: Place): Promise<Decade['exported']> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-export-'));
  try {
    const before = await tablesOf(place);
    await administer(place, async ({ core, gateway }) => {
      await exportFromCore(core, 'seller', ensureFolder(folder, 'core'), () => undefined);
      await exportHere(gateway, 'seller', ensureFolder(folder, 'gateway'), () => undefined);
    });
    const lines = (file: string): number => readFileSync(join(folder, file), 'utf8').split('\n').length - 1;
    const files = ['core/messages.jsonl', 'gateway/sent.jsonl', 'gateway/received.jsonl', 'gateway/order-answers.jsonl'];
    const [copied, there] = [join(folder, 'gateway', 'archive'), archiveFolder(place.data, 'seller')].map((at) =>
      readdirSync(at, { recursive: true, encoding: 'utf8' }).sort(),
    );
    return {
      lines: Object.fromEntries(files.map((file) => [file, lines(file)])),
      archive: { copied, there },
      before,
      after: await tablesOf(place),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As the command does, beside a daemon that runs. */
async function eraseLeaver(living: Living): Promise<Decade['erased']> {
  const { place } = living;
  const { data } = place;
  await noticed(living, ({ core, gateway }) =>
    setServed(gateway, 'leaver', false).then(() => updateCoreAccount(core, 'leaver', { enabled: false })),
  );
  const before = await tablesOf(place);
  await administer(place, async ({ core, gateway }) => {
    const here = await foreseeErasureHere(gateway, 'leaver');
    await foreseeErasure(core, 'leaver');
    if (here) await eraseHere(gateway, 'leaver', here, () => undefined);
    await eraseFromCore(core, 'leaver', () => undefined);
    await eraseArchive(gateway, 'leaver');
  });
  const entries = readdirSync(data, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: join(entry.parentPath, entry.name),
    isFile: entry.isFile() && !entry.parentPath.startsWith(join(data, 'alarms')) && entry.parentPath !== data,
  }));
  const isItsOwn = ({ path, isFile }: (typeof entries)[number]): boolean =>
    path.includes('leaver') || (isFile && readFileSync(path, 'latin1').includes('leaver'));
  return { before, after: await tablesOf(place), onDisk: entries.filter(isItsOwn).map(({ path }) => path) };
}

/** What a command changes, until the daemon knows it. */
async function noticed<Result>({ place, life }: Living, change: (on: On) => Promise<Result>): Promise<Result> {
  const changes = (): number => life.log.filter((line) => line.includes('accounts.changed')).length;
  const known = changes();
  const result = await administer(place, change);
  await until('it to be noticed', async () => {
    place.clock.advance(1_000);
    await calm();
    return changes() > known;
  });
  return result;
}

/** It is another account of that number; what it sends again was sent before. */
async function comeBack(living: Living): Promise<void> {
  const { place, keys, life } = living;
  keys.leaver = await noticed(living, (on) => admit(on, 'leaver'));
  await dropped(life, place.clock, 'again.xml', sent('leaver', 0), 'duplicate', 'leaver');
}

/** Another process goes on with it all, and dies in the middle of the first day of the archive that goes. */
async function dieHard({ data, server, clock }: Place): Promise<Decade['died']> {
  using faults = openFaults({ root: data, rules: [{ action: 'die-after', kinds: ['unlink'], path: '/archive/seller/*' }] });
  const { status, err } = await run(process.execPath, [PROGRAM, data, String(clock.now()), JSON.stringify(server)], '', faults.env);
  const [oldest = ''] = await daysOf(data, 'seller');
  const { thinned } = readEnds(data, 'seller');
  // Nobody goes on at once.
  clock.advance(TERM_MS);
  return { status, err, hasHalfADay: thinned !== null && oldest <= thinned };
}
