// Names of publications: one each, whatever service and senders call their documents, and never a path.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { insertPublication, markWritten, readOwed } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';

let data: string;
let ledger: Ledger;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-'));
  ledger = await openGatewayLedger(data);
});
afterEach(async () => {
  await ledger.close();
  rmSync(data, { recursive: true });
});

const insert = (subject: string, name: string) =>
  ledger.write([], (rows) =>
    insertPublication(rows, {
      accountRegNo: 'acme-ab',
      home: 'acme-ab',
      folder: 'outbox',
      name,
      staged: subject,
      subject,
      stage: 'version 1',
    }),
  );

it('long names that three documents share become three names', async () => {
  const name = `${'x'.repeat(190)}_12345678.xml`;
  const names = [];
  for (const subject of ['one', 'two', 'three', 'four']) names.push((await insert(subject, name))?.name);
  expect(new Set(names).size).toBe(4);
  expect(names).not.toContain(undefined);
  for (const each of names) expect(each).toMatch(/\.xml$/);
});

it('an identifier that is a path stays within the folder', async () => {
  await insert('one', 'a.xml');
  const second = await insert('../../beta-as/outbox/x', 'a.xml');
  expect(second?.name).not.toContain('/');
});

it('the same subject and stage is decided once', async () => {
  expect(await insert('one', 'a.xml')).not.toBeNull();
  expect(await insert('one', 'b.xml')).toBeNull();
});

it('a name that cannot be told apart is no decision: it is thrown, so that nothing counts as published', async () => {
  await insert('one', 'a.xml');
  await insert('a/b', 'a.xml');
  await expect(insert('a:b', 'a.xml')).rejects.toMatchObject({ code: 'exists' });
});

it('more files settle together than a statement takes values, and are owed no more', async () => {
  const owed = await insert('one', 'a.xml');
  const others = Array.from({ length: 33_000 }, (_, at) => 1_000 + at);
  expect(await readOwed(ledger.read, ALL_HOMES)).toHaveLength(1);
  await ledger.write([], (rows) => markWritten(rows, [...others, owed?.publication ?? 0], 1));
  expect(await readOwed(ledger.read, ALL_HOMES)).toHaveLength(0);
});
