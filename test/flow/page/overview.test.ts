// The overview: what the network delivered today, when the certificate of the page ends, and which releases of rules judge documents.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { finishItem, insertItem } from '#gateway/ledger/items.ts';
import { LATEST_RELEASES } from '#rules/releases.ts';
import { systemRandom } from '#runtime/clock.ts';
import { certified } from '../../support/certificates.ts';
import { invoice } from '../../support/documents.ts';
import { startPage } from '../../support/page.ts';
import { ACCOUNT, MINUTE, passing, poll, serve } from '../../support/polled.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld } from '../../support/world/world.ts';

const DAY = 1_440 * MINUTE;

it('shows what was delivered today, certificates and releases with their dates', async () => {
  const there = await serve();
  const world = await poll(there);
  const endsAt = Math.floor((there.clock.now() + 30 * DAY) / 1_000) * 1_000;
  const { certificate, key } = certified({ name: 'page', kind: 'ec', until: endsAt });
  const [cert, keyFile] = [join(world.data, 'page.pem'), join(world.data, 'page.key')];
  writeFileSync(cert, certificate);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const browser = (await startPage(world, undefined, `admin: {tls: {cert: ${cert}, key: ${keyFile}}}\n`)).browser();
  await browser.login('looker');

  await world.drop(ACCOUNT, 'a.xml', invoice({ id: 'A' }));
  const stages = (): string => world.files(ACCOUNT, 'receipts').join(' ');
  await passing(world, 'it to be accepted', () => stages().includes('.accepted.'), 100);
  expect((await browser.get('/')).text).toContain('<b>0</b> delivered');
  for (const sent of there.service.holding.all) sent.status = 'delivered';
  await passing(world, 'it to be delivered', () => stages().includes('.delivered.'), MINUTE);
  const { text } = await browser.get('/');
  expect(text).toContain('<b>1</b> delivered');
  expect(text).toContain(`certificate of admin.tls ends</dt><dd><time datetime="${new Date(endsAt).toISOString()}"`);
  for (const { name, release, from } of LATEST_RELEASES)
    expect(text).toMatch(new RegExp(`${name}.*${release.replaceAll('.', '\\.')}.*data-name="mandatory from">${from}<`));
});

it('shows the first of very many accounts that wait or need a person, and says how many there are', async () => {
  const world = await startWorld(scripted());
  const browser = (await startPage(world)).browser();
  await browser.login('looker');
  const newId = itemIds(world.clock.now, systemRandom);
  await world.administer(({ ledger }) =>
    ledger.write([], async (rows) => {
      for (let at = 0; at < 60; at++) {
        for (const state of ['pending', 'held'] as const) {
          const [item, home] = [newId(), `account-${at}`];
          const names = { item, accountRegNo: home, home, login: null, fileName: 'a.xml', spoolName: item, mode: 'send' as const };
          await insertItem(rows, { ...names, sha256: item, size: 1, receivedAt: world.clock.now(), recovered: false });
          if (state === 'held')
            await finishItem(rows, item, { state, integrationId: null, duplicateOf: null, reason: null, endedAt: world.clock.now() });
        }
      }
    }),
  );
  const { text } = await browser.get('/');
  expect(text).toContain('The first 50 of 60.');
  expect(text).toMatch(/And 40 more like these.*dropgate status/s);
  expect([text.match(/They wait for a person/g)?.length, text.match(/state=pending/g)?.length]).toEqual([20, 50]);
});
