// Canaries: keys, tokens and the secret of the access point are used well and badly, and then stand in no file and no line of the log.
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { addPartner, linkPartner } from '#core/operate/administration.ts';
import { openLog } from '#runtime/log.ts';
import { handOver, startHttpAccessPoint } from '../../../support/access-point.ts';
import { invoice } from '../../../support/documents.ts';
import { startNetwork } from '../../../support/network.ts';
import { keptIn } from '../../../support/world/ledger-files.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const CANARY = 'canary-of-the-access-point-Q7!x';

it('API keys, tokens and the token of the access point stand in no file and no line of the log', async () => {
  const lines: string[] = [];
  await using network = await startNetwork();
  // Knows another token: every hand-over fails, and is told in the log.
  await using ap = await startHttpAccessPoint();
  const log = openLog('trace', { write: (line) => void lines.push(line) });
  const core = await network.startCore('seller', { accessPoint: 'http', url: ap.url, token: `${CANARY}\n` }, { log });
  const { administration, seller } = core;
  const { apiKey: partnerKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
  await linkPartner(administration, 'firm', 'seller');
  const child = JSON.stringify({ actingAs: 'parent', forChildRegNo: 'seller' });
  const { access_token: own } = (await core.call('/token/seller')).json;
  const { access_token: ofPartner } = (await core.call('/token/firm', { key: partnerKey, type: 'application/json', body: child })).json;

  for (const token of [own, ofPartner, seller.gatewayKey]) {
    const headers = { authorization: `Bearer ${token}` };
    expect((await core.call(OUT, { key: null, headers })).status).toBe(204);
    expect((await core.call(OUT.replace('seller', 'buyer'), { key: null, headers })).status).toBe(401);
  }
  const wrongly = JSON.stringify({ client_id: 'buyer', client_secret: seller.apiKey });
  expect((await core.call('/token', { key: null, type: 'application/json', body: wrongly })).status).toBe(401);
  expect((await core.call(OUT, { body: invoice() })).status).toBe(200);
  await network.wait('a try in vain', () => lines.some((line) => line.includes('network.postponed')));
  expect((await handOver(core.core.url, '<a/>', CANARY)).status).toBe(422);
  expect((await handOver(core.core.url, '<a/>', `${CANARY}!`)).status).toBe(401);
  // An internal error tells of the request.
  await core.call(`${OUT}?from=x`, { key: null, headers: { authorization: `Bearer ${own}`, 'x-token': CANARY } });

  const files = keptIn(dirname(core.databasePath));
  expect(files.keys()).toContain(core.databasePath);
  const kept = Buffer.concat([...files.values()]).toString('latin1');
  const told = lines.join('');
  const secrets = { CANARY, own, ofPartner, partnerKey, ...seller };
  for (const [name, secret] of Object.entries(secrets)) {
    expect(String(secret).length, name).toBeGreaterThan(20);
    expect([kept.includes(secret), told.includes(secret)], name).toEqual([false, false]);
  }
});
