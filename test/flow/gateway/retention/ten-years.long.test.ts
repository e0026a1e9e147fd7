// Ten years of everything that retention, archive and erasure touch, in minutes: what has ended goes in its time, so that neither ledgers nor folders
// grow, and what is owed never does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coreSchema } from '#core/ledger/schema.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';
import { manualClock } from '../../../support/clock.ts';
import { isOnPostgres } from '../../../support/engine.ts';
import { newPostgresDatabase, type PostgresDatabase } from '../../../support/postgres.ts';
import { type Decade, ERASURE, liveTenYears, STEADY, type Year } from './decade.ts';
import { BOUNDED, FOLDERS, GROWS, ROWS_SPARE, UNUSED } from './growth.ts';
import { ARCHIVED_MS, DAY_MS, type Row, STUCK, TERM_MS, TERMS_A_YEAR } from './years.ts';

/** Of a day: terms are half a day longer than days are, and what comes in one is to stand in one day of the archive. */
const BEGIN_MS = 6 * 3_600_000;

let database: PostgresDatabase | null = null;
let folder: string;
let decade: Decade;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-years-'));
  if (isOnPostgres) database = await newPostgresDatabase();
  // Files cannot be younger than the clock of the machine says.
  const clock = manualClock(Math.ceil(Date.now() / DAY_MS) * DAY_MS + BEGIN_MS);
  decade = await liveTenYears({ data: folder, server: database?.place ?? null, clock });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database?.[Symbol.asyncDispose]();
});

type Tables = Year['tables'];

const rowsOf = (tables: Tables | undefined, table: string): readonly Row[] => tables?.get(table) ?? expect.unreachable(table);
/** The most of the first years, and of those in which nothing is new. */
const earliest = (sizes: readonly number[]): number => Math.max(...sizes.slice(0, STEADY));
const latest = (sizes: readonly number[]): number => Math.max(...sizes.slice(STEADY));
const last = (): Year => decade.years.at(-1) ?? expect.unreachable();

it('what is unread, unfetched, owed to the network, or waits for the service stays for all years', () => {
  expect(decade.years.map(({ gone }) => gone)).toEqual(decade.years.map(() => []));
});

it('all that was sent is known: it is there, or its number is taken, and a file that is dropped again is a duplicate', () => {
  const { tables } = last();
  const [terms, ofLeaver] = [10 * TERMS_A_YEAR, 8 * TERMS_A_YEAR];
  const accepted = rowsOf(tables, 'gateway.items').filter(({ state, duplicate_of }) => state === 'accepted' && duplicate_of === null);
  expect(accepted.length + rowsOf(tables, 'gateway.sent_before').length).toBe(terms + ofLeaver);
  // What they and the buyer have sent, as senders and as receivers have it.
  const sent = terms + ofLeaver + (2 * terms + ofLeaver);
  expect(rowsOf(tables, 'core.messages').length + rowsOf(tables, 'core.taken').length).toBe(2 * sent);
});

describe('tables of both ledgers', () => {
  it('of each it is said what bounds it, or why it grows', () => {
    const ledgers = Object.entries({ gateway: gatewaySchema, core: coreSchema });
    const all = ledgers.flatMap(([ledger, { tables }]) => Object.keys(tables).map((table) => `${ledger}.${table}`));
    expect([BOUNDED, GROWS, UNUSED].flatMap((tables) => Object.keys(tables)).sort()).toEqual(all.sort());
  });

  /** Of what waits each try in vain is known. */
  function sizeOf(tables: Tables, table: string): number {
    const waiting = rowsOf(tables, 'gateway.items').filter((row) => row.account_reg_no === STUCK);
    const isCounted = (row: Row): boolean => table !== 'gateway.attempts' || waiting.every(({ item }) => item !== row.item);
    return rowsOf(tables, table).filter(isCounted).length;
  }

  it.each(Object.entries(BOUNDED))('%s: %s', (table) => {
    const [busy, quiet] = [decade.years.map((year) => sizeOf(year.busy, table)), decade.years.map(({ tables }) => sizeOf(tables, table))];
    expect(Math.max(...busy)).toBeGreaterThan(0);
    for (const sizes of [busy, quiet]) expect(latest(sizes)).toBeLessThanOrEqual(earliest(sizes) + ROWS_SPARE);
  });

  it.each(Object.entries(GROWS))('%s grows: %s', (table) => {
    expect(rowsOf(last().tables, table).length).toBeGreaterThan(rowsOf(decade.years[STEADY - 1]?.tables, table).length);
  });

  it.each(Object.entries(UNUSED))('%s has no rows here: %s', (table) => {
    expect(decade.years.map(({ busy }) => sizeOf(busy, table))).toEqual(decade.years.map(() => 0));
  });
});

it('folders of the data folder are known, and do not grow', () => {
  const known = Object.entries(FOLDERS);
  for (const { folders } of decade.years) {
    expect([...folders.keys()].filter((name) => !known.some(([pattern]) => new RegExp(`^${pattern}$`).test(name)))).toEqual([]);
  }
  for (const name of last().folders.keys()) {
    const sizes = decade.years.map(({ folders }) => folders.get(name) ?? 0);
    const [, spare = 0] = known.find(([pattern]) => new RegExp(`^${pattern}$`).test(name)) ?? [];
    expect(latest(sizes), name).toBeLessThanOrEqual(earliest(sizes) + spare);
  }
});

describe('the archive', () => {
  it('is whole each year, and keeps its period', () => {
    for (const { archives } of decade.years) {
      for (const { days, differences, oldestMs } of Object.values(archives)) {
        expect(days).toBeGreaterThanOrEqual(TERMS_A_YEAR - 1);
        expect(differences).toEqual([]);
        expect(oldestMs).toBeLessThan(ARCHIVED_MS + 2 * DAY_MS);
      }
    }
    expect(last().archives.seller?.oldestMs).toBeGreaterThan(ARCHIVED_MS - TERM_MS - DAY_MS);
  });

  it('has what has left the ledger before it', () => {
    const seen = decade.years.slice(1).map(({ longAgo }) => longAgo);
    expect(seen).toEqual(seen.map(() => ({ inLedger: false, inArchive: true })));
  });

  it('is gone on with where a process died while a day of it went', () => {
    expect(decade.died).toEqual({ status: null, err: '', hasHalfADay: true });
  });
});

describe('an account that leaves', () => {
  const NAMES = ['account_reg_no', 'home', 'owner'];
  const isOfLeaver = (row: Row): boolean => NAMES.some((column) => row[column] === 'leaver');

  it('leaves nothing behind, in no table and no folder', () => {
    const { before, after, onDisk } = decade.erased;
    expect([...before.values()].flat().filter(isOfLeaver).length).toBeGreaterThan(40);
    expect(onDisk).toEqual([]);
    for (const [table, rows] of after) {
      // Of a process that works alone, until its next start.
      if (table !== 'gateway.homes_in_hand') expect(rows.filter(isOfLeaver), table).toEqual([]);
    }
    const later = decade.years[ERASURE + 1]?.tables ?? expect.unreachable();
    expect([...later.values()].flat().filter(isOfLeaver)).toEqual([]);
    for (const [table, rows] of later) if (table.startsWith('gateway.')) expect(JSON.stringify(rows), table).not.toContain('leaver');
  });

  it('takes nothing of others with it', () => {
    const { before, after } = decade.erased;
    const names = ['item', 'publication', 'sequence', 'participant'];
    const own = new Set<string>();
    for (const [table, rows] of before) {
      for (const row of rows.filter(isOfLeaver)) for (const name of names) own.add(`${table.split('.')[0]} ${name} ${row[name]}`);
    }
    for (const [table, rows] of before) {
      // Whoever reads the ledger is to notice that something has changed; names that no document has any more go.
      if (table === 'gateway.revisions' || table === 'gateway.parties') continue;
      const [ledger] = table.split('.');
      const isOthers = (row: Row): boolean => !isOfLeaver(row) && names.every((name) => !own.has(`${ledger} ${name} ${row[name]}`));
      const there = new Set(rowsOf(after, table).map((row) => JSON.stringify(row)));
      expect(
        rows.filter((row) => isOthers(row) && !there.has(JSON.stringify(row))),
        table,
      ).toEqual([]);
    }
  });

  it('and comes back gets what it is sent, and nothing of before', () => {
    const documents = rowsOf(last().tables, 'gateway.documents').filter(isOfLeaver);
    expect(documents).toHaveLength(3 * TERMS_A_YEAR);
  });
});

it('an export has what both ledgers and the archive have of the account, and changes nothing', () => {
  const { lines, archive, before, after } = decade.exported;
  const of = (table: string): number => rowsOf(before, table).filter((row) => row.account_reg_no === 'seller').length;
  expect(lines).toEqual({
    'core/messages.jsonl': of('core.messages'),
    'gateway/sent.jsonl': of('gateway.items'),
    'gateway/received.jsonl': of('gateway.documents'),
    'gateway/order-answers.jsonl': of('gateway.order_answers'),
  });
  expect(archive.copied).toEqual(archive.there);
  for (const part of [/\/sent\/seller-/, /\/receipts\/seller-/, /to-seller-/]) {
    expect(archive.there).toEqual(expect.arrayContaining([expect.stringMatching(part)]));
  }
  expect(after).toEqual(before);
});
