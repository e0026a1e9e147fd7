// Cores of one database have one key file: the first that starts seals something with its own, by which another one's is refused.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Core, startCore } from '#core/core.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import { loseSealed, readSealed, secretPlace } from '#core/ledger/sealed.ts';
import { insertWebhook, updateWebhook } from '#core/ledger/webhooks.ts';
import { addAccount } from '#core/operate/administration.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { coreOptions, testClock } from '../../../support/core.ts';
import { BUYER } from '../../../support/documents.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase } from '../../../support/postgres.ts';

const WEBHOOK = '7f0a6b7e-0000-4000-8000-000000000001';

describe.runIf(hasPostgres)('Cores with key files of their own', () => {
  let database: PostgresDatabase;
  let folders: Readonly<Record<string, string>>;

  beforeEach(async () => {
    database = await newPostgresDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    folders = Object.fromEntries(['one', 'two'].map((node) => [node, mkdtempSync(join(tmpdir(), 'dropgate-core-'))]));
    onTestFinished(() => Object.values(folders).forEach((folder) => void rmSync(folder, { recursive: true })));
  });

  const optionsOf = (node: string) => ({ ...coreOptions(folders[node] ?? '', testClock()), databaseServer: database.place, node });

  async function starts(node: string): Promise<Core> {
    const core = await startCore(optionsOf(node));
    onTestFinished(() => core.close());
    return core;
  }

  const refused = (node: string) => ({
    code: 'usage',
    message: expect.stringContaining(`${optionsOf(node).sealPath} is not the one that sealed`),
  });

  it('on an empty database: only the first starts, and does so again', async () => {
    const one = await starts('one');
    await expect(starts('two')).rejects.toMatchObject(refused('two'));
    await one.close();
    await expect(starts('two')).rejects.toMatchObject(refused('two'));
    await starts('one');
  });

  it('at the same time: only one of them starts', async () => {
    const started = await Promise.allSettled(['one', 'two'].map(starts));
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const loser = started[0]?.status === 'rejected' ? 'one' : 'two';
    expect(started.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused(loser) });
  });

  it('after a key was lost: only the first starts', async () => {
    await (await starts('one')).close();
    const ledger = await openCoreLedger('', database.place);
    onTestFinished(() => ledger.close());
    for (const each of await readSealed(ledger.read)) await ledger.write(['administration'], (rows) => loseSealed(rows, each));
    await starts('two');
    await expect(starts('one')).rejects.toMatchObject(refused('one'));
  });

  it('of which one has sealed a webhook: the other seals nothing before it is refused', async () => {
    const ledger = await openCoreLedger('', database.place);
    onTestFinished(() => ledger.close());
    const on = { ledger, environment: 'test', clock: testClock(), random: systemRandom } as const;
    await addAccount(on, { accountRegNo: 'buyer', name: 'Buyer', participants: [BUYER] });
    const seal = await openSeal(optionsOf('one').sealPath, systemRandom);
    await ledger.write([], async (rows) => {
      await insertWebhook(
        rows,
        { scope: 'account', accountRegNo: 'buyer' },
        { id: WEBHOOK, url: 'https://erp.example', types: ['new_document'] },
        0,
      );
      await updateWebhook(rows, WEBHOOK, { signing_sealed: seal.seal('secret', secretPlace('signing secret of webhook', WEBHOOK)) });
    });
    await expect(starts('two')).rejects.toMatchObject(refused('two'));
    await starts('one');
  });
});
