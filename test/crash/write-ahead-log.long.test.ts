// A ledger on a disk that is slow, and on one that refuses: nobody hears of what is not durable, and nobody waits who need not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isOn } from '../support/engine.ts';
import { openFaults, type Rule } from '../support/faults/shim.ts';

const ofFile = isOn('SQLite', 'A commit that waits for a disk of our own');
const SLOW_MS = 300;
const LOG_SYNCS = { kinds: ['sync'], path: '*-wal' } as const;
const SLOW: Rule = { action: 'delay', ...LOG_SYNCS, delayMs: SLOW_MS };

/** Writes a row when it is told to, and reads rows while that becomes durable. Says what it hears, and how many turns its event loop had until then. */
const PROGRAM = `
import { openDatabase } from '#engines/open.ts';
import { prepared } from '#engines/prepared.ts';
import { text } from '#engines/schema.ts';
const tables = { things: { columns: { name: text() }, primaryKey: '(name)' } };
const database = await openDatabase(process.argv[1], { version: 1, tables });
const names = prepared((rows) => rows.selectFrom('things').selectAll());
const say = (what) => process.stdout.write(what + '\\n');
await database.write([], (rows) => rows.insertInto('things').values({ name: 'first' }).execute());
say('ready');
process.stdin.once('data', async () => {
  process.stdin.destroy();
  let turns = 0;
  const written = database.write([], (rows) => rows.insertInto('things').values({ name: 'second' }).execute()).then(() => 'written');
  const count = () => void (++turns < 1e9 && (counting = setImmediate(count)));
  let counting = setImmediate(count);
  while (database.commits < 2) await new Promise((turn) => setImmediate(turn));
  const read = database.read.selectFrom('things').selectAll().execute().then((rows) => 'read ' + rows.length);
  const again = names(database.read, {}).then((rows) => 'read again ' + rows.length);
  await Promise.all([written, read, again].map((each) => each.then(say)));
  clearImmediate(counting);
  say(turns > 5 ? 'went on' : 'stood still');
  await database.close();
});
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function ran(rules: readonly Rule[]): Promise<{ said: string[]; complained: string; status: number | null }> {
  using faults = openFaults({ root: folder });
  const program = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, join(folder, 'things.db')], {
    env: { ...process.env, ...faults.env },
  });
  const ended = once(program, 'exit');
  const [output, complaints] = [text(program.stdout), text(program.stderr)];
  await once(program.stdout, 'data');
  faults.set(rules);
  program.stdin.write('go\n');
  const [status] = await ended;
  return { said: (await output).split('\n').filter((line) => line !== ''), complained: await complaints, status };
}

it.runIf(ofFile)('a commit that takes long holds up those only who ask for what it wrote', async () => {
  const { said, status } = await ran([SLOW]);
  expect(said.slice(1).toSorted()).toEqual(['read 2', 'read again 2', 'went on', 'written'].toSorted());
  expect(status).toBe(0);
});

it.runIf(ofFile)('a commit that the disk refuses is told to nobody, and the process ends', async () => {
  const { said, complained, status } = await ran([SLOW, { action: 'fail', ...LOG_SYNCS, failure: 'EIO' }]);
  expect(said.slice(1)).toEqual([]);
  expect(complained).toContain('The disk did not take what was written to');
  expect(status).not.toBe(0);
});
