// The access point behind a folder: an envelope is handed over once, wherever a crash falls; results are read as they come.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { AccessPoint } from '#core/network/access-point.ts';
import { openFolderAccessPoint } from '#core/network/folder-access-point.ts';
import { manualClock } from '../../../support/clock.ts';
import { silent } from '../../../support/core.ts';

const ID = '7f0a6b7e-0000-4000-8000-000000000001';
const META = {
  instanceId: ID,
  sender: '0088:1',
  receiver: '0088:2',
  documentType: { scheme: 's', value: 'v' },
  process: { scheme: 's', value: 'p' },
  country: 'SE',
};
const ENVELOPE = Buffer.from('<StandardBusinessDocument/>');

let folder: string;
let out: string;
let ap: AccessPoint;
const open = (results = true): AccessPoint => openFolderAccessPoint({ clock: manualClock(), log: silent }, { folder, results });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-ap-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  out = join(folder, 'out');
  ap = open();
});

const envelopes = () => readdirSync(out).filter((name) => name.endsWith('.xml'));
const stateOf = async (from = ap) => (await from.status(ID)).state;
/** The access point takes it. */
function take(into: string): void {
  mkdirSync(join(out, into), { recursive: true });
  renameSync(join(out, `${ID}.xml`), join(out, into, `${ID}.xml`));
}
const result = (into: string, text: string) => {
  mkdirSync(join(out, into), { recursive: true });
  writeFileSync(join(out, into, `${ID}.xml.json`), text);
};

it('an envelope is complete when it is seen, beside what it is about; again changes nothing', async () => {
  expect(await stateOf()).toBe('unknown');
  expect(await ap.send(ENVELOPE, META)).toEqual({ accessPointId: ID, sent: false, reason: null });
  expect(readdirSync(out).sort()).toEqual([`${ID}.json`, `${ID}.xml`, 'staged']);
  expect(JSON.parse(readFileSync(join(out, `${ID}.json`), 'utf8'))).toMatchObject({
    sbdhInstanceID: ID,
    countryC1: 'SE',
    receiverID: '0088:2',
  });
  expect(await stateOf()).toBe('working');
  take('pending');
  await ap.send(ENVELOPE, META);
  expect(envelopes()).toEqual([]);
  expect(await stateOf()).toBe('working');
});

it('without result files it counts as sent when the access point has done with it, and not while it works on it', async () => {
  const silentAp = open(false);
  await silentAp.send(ENVELOPE, META);
  expect(await stateOf(silentAp)).toBe('working');
  take('pending');
  expect(await stateOf(silentAp)).toBe('working');
  rmSync(join(out, 'pending', `${ID}.xml`));
  expect(await stateOf(silentAp)).toBe('sent');
});

it('a crash before the mark begins again, and leaves nothing torn', async () => {
  writeFileSync(join(out, 'staged', `${ID}.xml`), '<Stand');
  expect(await stateOf()).toBe('unknown');
  await open().send(ENVELOPE, META);
  expect(readFileSync(join(out, `${ID}.xml`))).toEqual(ENVELOPE);
});

it('a crash between the mark and the rename completes the rename', async () => {
  writeFileSync(join(out, 'staged', `${ID}.xml`), ENVELOPE);
  writeFileSync(join(out, `${ID}.json`), '{}');
  expect(await stateOf()).toBe('unknown');
  await open().send(ENVELOPE, META);
  expect(envelopes()).toEqual([`${ID}.xml`]);
  expect(existsSync(join(out, 'staged', `${ID}.xml`))).toBe(false);
});

it('a crash after the rename hands nothing over again, though the access point has taken it', async () => {
  await ap.send(ENVELOPE, META);
  rmSync(join(out, `${ID}.xml`));
  await open().send(ENVELOPE, META);
  expect(envelopes()).toEqual([]);
});

it.each([
  ['success', '{"success": true, "status": "sent"}', { state: 'sent', reason: null }],
  ['error', '{"success": false, "errorDetails": "no AS4 answer"}', { state: 'failed', reason: 'no AS4 answer' }],
])('a result in %s is told, and ends the mark', async (into, text, progress) => {
  await ap.send(ENVELOPE, META);
  take(into);
  expect(await stateOf()).toBe('working');
  result(into, '{"succ');
  await expect(ap.status(ID)).rejects.toMatchObject({ code: 'internal' });
  result(into, text);
  expect(await ap.status(ID)).toEqual({ ...progress, responseCode: null });
  expect(existsSync(join(out, `${ID}.json`))).toBe(false);
  expect(await ap.status(ID)).toEqual({ ...progress, responseCode: null });
});

it('where no results are expected, what was taken away counts as sent', async () => {
  const plain = open(false);
  await plain.send(ENVELOPE, META);
  expect(await stateOf(plain)).toBe('working');
  rmSync(join(out, `${ID}.xml`));
  expect(await stateOf(plain)).toBe('sent');
});
