// The overview: what the network delivered today, when the certificate of the page ends, and which releases of rules judge documents.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LATEST_RELEASES } from '#rules/releases.ts';
import { certified } from '../../support/certificates.ts';
import { invoice } from '../../support/documents.ts';
import { startPage } from '../../support/page.ts';
import { ACCOUNT, MINUTE, passing, poll, serve } from '../../support/polled.ts';

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
