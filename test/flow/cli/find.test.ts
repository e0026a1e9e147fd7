// `dropgate find`: by whatever a person knows of a document, dropped, received and failed ones together; and of one everything that happened.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { keepFetch } from '#gateway/ledger/fetches.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { invoice } from '../../support/documents.ts';
import { ACCOUNT, numbers, passing, poll, serve, started } from '../../support/polled.ts';
import { refusal } from '../../support/scripted-service.ts';
import { type CommandResult, command } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

type Find = (...args: string[]) => Promise<CommandResult>;

function finderOf(world: World): Find {
  writeFileSync(join(world.data, 'dropgate.yaml'), `data: ${world.data}\n`);
  return (...args) => command(['find', ...args, '--config', join(world.data, 'dropgate.yaml')]);
}

const short = (item: string): string => item.slice(-8).toLowerCase();
const FINDING = { rule: 'BR-CO-15', severity: 'fatal', message: 'The total is wrong.', line: 7 };
const DAY = 86_400_000;

const HOME = 'acme-ab';

/** One that was accepted, one that was refused with a finding, an upload that failed, under related names. */
async function dropped() {
  const world = await startWorld(scripted());
  const accepted = await world.drop(HOME, 'räkning_42.xml', invoice({ id: 'F-42', receiver: '0088:7350000000017' }));
  await until('the first', () => world.files(HOME, 'accepted').length === 1);
  world.service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [FINDING] }) : { status: 204 });
  const refused = await world.drop(HOME, 'wrong.xml', invoice({ id: 'F-43', receiver: '0088:7350000000024' }));
  await until('the second', () => world.files(HOME, 'refused').length === 1);
  const now = world.clock.now();
  const failed = {
    home: HOME,
    login: 'erp',
    address: '192.0.2.7',
    fileName: 'F-44.xml',
    size: 9,
    reason: 'file is too large',
    times: 1,
  };
  await world.administer(({ ledger }) => ledger.write([], (rows) => keepFailedUpload(rows, { ...failed, atMs: now + 1_000 })));
  await world.stop();
  return { world, accepted, refused, now, find: finderOf(world) };
}

it('what a sender wrote makes no further line, and moves no cursor', async () => {
  const world = await startWorld(scripted());
  await world.drop(HOME, 'odd.xml', invoice({ id: 'F-1\nstate   held\u009b2J' }));
  await until('it', () => world.files(HOME, 'receipts').length === 1);
  await world.stop();
  const find = finderOf(world);
  expect((await find('odd.xml')).out).toContain('Invoice F-1\\u000astate   held\\u009b2J\n');
  const { out } = await find('odd.xml', '--json');
  expect(out).not.toContain('\u009b');
  expect(JSON.parse(out).found[0].documentId).toBe('F-1\nstate   held\u009b2J');
});

it('finds by number, file name, participant, letters of a receipt and its name, the newest first', async () => {
  const { world, accepted, refused, find } = await dropped();
  const found = async (...args: string[]) =>
    JSON.parse((await find(...args, '--json')).out).found.map(({ documentId, fileName }: Record<string, string>) => documentId ?? fileName);
  expect(await found('f-4')).toEqual(['F-44.xml', 'F-43', 'F-42']);
  expect(await found('F-42')).toEqual(['F-42']);
  expect(await found('RäKNING')).toEqual(['F-42']);
  expect(await found('0088:7350000000024')).toEqual(['F-43']);
  expect(await found('735000000001')).toEqual(['F-42']);
  expect(await found(short(accepted))).toEqual(['F-42']);
  expect(await found(refused)).toEqual(['F-43']);
  expect(await found(world.files(HOME, 'receipts').find((name) => name.includes('refused')) ?? '?')).toEqual(['F-43']);
  expect(await found('f-4', '--state', 'refused', '--state', 'failed')).toEqual(['F-44.xml', 'F-43']);
  expect(await found('f-4', '--family', 'Invoice', '--limit', '1')).toEqual(['F-43']);
});

it('looks for a part from the middle in a period, which it tells, and says where it has looked in vain', async () => {
  const { world, find } = await dropped();
  const part = await find('NING_4', '--since', '3000d');
  expect([part.status, part.out]).toEqual([0, expect.stringContaining('Invoice F-42')]);
  expect(part.err).toMatch(/^Looked back to .*, for a part of what is known as well\.$/);
  const nothing = await find('nowhere', '--until', '2100-01-01');
  expect([nothing.status, nothing.out]).toEqual([1, '']);
  expect(nothing.err).toContain(`Nothing was found: looked in ${world.data}, 1 account (acme-ab), back to`);
  expect((await find('nowhere', '--json')).status).toBe(1);
  expect((await find('F-42', '--until', '1990-01-01')).status).toBe(1);
});

it('says that a text is empty, or too long', async () => {
  const { find } = await dropped();
  expect(await find('')).toEqual({ status: 65, out: '', err: 'dropgate: The text is empty.' });
  expect(await find('x'.repeat(256))).toEqual({ status: 65, out: '', err: 'dropgate: The text has more than 255 characters.' });
});

it('tells of one its whole life, its findings, and who fetched its files', async () => {
  const { world, refused, now, find } = await dropped();
  const receipt = world.files(HOME, 'receipts').find((name) => name.includes('refused')) ?? '?';
  const fetch = {
    home: HOME,
    folder: 'receipts',
    name: receipt,
    login: 'erp',
    key: 'SHA256:k',
    address: '192.0.2.7',
    bytes: 5,
    sha256: null,
  } as const;
  await world.administer(({ ledger }) =>
    ledger.write([], (rows) => keepFetch(rows, { ...fetch, action: 'downloaded', atMs: now + DAY, times: 1 })),
  );
  const { out, status } = await find('F-43');
  expect(status).toBe(0);
  expect(out).toContain(short(refused));
  expect(out).toContain('BR-CO-15 (fatal, line 7): The total is wrong.');
  const events = out.split('\n').flatMap((line) => /Z\t([^\t]+)\t/.exec(line)?.[1] ?? []);
  expect(events).toEqual(['in custody', 'attempt 1', 'refused', 'receipt refused', 'published', 'downloaded']);
  expect(out).toMatch(/attempt 1\t\d+ ms\trefused/);
  expect(out).toContain(`${receipt} by erp from 192.0.2.7 with SHA256:k, 5 bytes`);
});

it('finds received documents by number, sender, integrationId and file, and tells when they came', async () => {
  const there = await serve();
  const world = await poll(there, {});
  await started(world, there.service);
  const { integrationId } = there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'R-1', sender: '0088:7350000000031' })));
  await passing(world, 'the document', () => numbers(world).length === 1, 60_000);
  const [file = ''] = world.files(ACCOUNT, 'outbox');
  await world.stop();
  const find = finderOf(world);
  for (const text of ['r-1', '0088:735000000003', integrationId, file]) {
    const { out } = await find(text);
    expect(out, text).toContain('Invoice R-1');
    expect(out).toMatch(/Z\tcame\t/);
    expect(out).toContain(`outbox/${file}`);
  }
});

/** An invoice whose receiver and sender have these names. */
function named(receiver: string, sender: string, options: Parameters<typeof invoice>[0]): Buffer {
  const text = Buffer.from(invoice(options)).toString();
  return Buffer.from(text.replaceAll('Lakeside Printing AB', receiver).replaceAll('Northern Paper Supplies AB', sender));
}

it('finds dropped and received documents by the names that documents give their parties', async () => {
  const world = await startWorld(scripted());
  await world.drop(HOME, 'a.xml', named('Söder Kontor AB', 'Acme', { id: 'F-50', receiver: '0088:7350000000017' }));
  await world.drop(HOME, 'b.xml', named('Norra Bygg AB', 'Acme', { id: 'F-51', receiver: '0088:7350000000024' }));
  await until('both', () => world.files(HOME, 'accepted').length === 2);
  await world.stop();
  const there = await serve();
  const receiving = await poll(there, {});
  await started(receiving, there.service);
  there.service.arrive(ACCOUNT, named('Acme', 'Västra Vind AB', { id: 'R-50', sender: '0088:7350000000031' }));
  await passing(receiving, 'the document', () => numbers(receiving).length === 1, 60_000);
  await receiving.stop();
  const [ofDropped, ofReceived] = [finderOf(world), finderOf(receiving)];
  const found = async (find: Find, text: string) =>
    JSON.parse((await find(text, '--json')).out).found.map(({ documentId }: Record<string, string>) => documentId);
  expect(await found(ofDropped, 'söder kONTOR')).toEqual(['F-50']);
  expect(await found(ofDropped, 'bygg')).toEqual(['F-51']);
  expect(await found(ofDropped, 'acme')).toEqual(['F-51', 'F-50']);
  expect(await found(ofReceived, 'Västra Vind')).toEqual(['R-50']);
});

it('tells of an upload that failed until when it is remembered, by the period of its account', async () => {
  const { world, now, find } = await dropped();
  const told = async (): Promise<string> => JSON.parse((await find('F-44', '--json')).out).timeline.rememberedUntil;
  expect(await told()).toBe(new Date(now + 1_000 + 30 * DAY).toISOString());
  await world.administer((on) => changeAccount(on, HOME, { keep: { failedUploads: 7 * DAY } }));
  const atMs = now + 1_000 + 7 * DAY;
  expect(await told()).toBe(new Date(atMs).toISOString());
  expect((await find('F-44')).out).toContain(`remembered until   ${new Date(atMs).toISOString()}\n`);
  expect((await find('F-42')).out).not.toContain('remembered until');
});
