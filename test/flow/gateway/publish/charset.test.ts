// How receipts spell the names of a login's files: by its charset.
import { expect, it } from 'vitest';
import { addLogin } from '#gateway/operate/logins.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

it.each([
  ['without one', undefined, 'Łódź.xml'],
  ['latin1', 'latin1', 'Å_Ã³dÅº.xml'],
] as const)('a name in UTF-8 is spelled %s', async (_what, charset, spelled) => {
  await expectSpelled(Buffer.from('Łódź.xml').toString('latin1'), charset, spelled);
});

it.each([
  ['without one', undefined, '£ód¼.xml'],
  ['iso-8859-2', 'iso-8859-2', 'Łódź.xml'],
] as const)('a name in Latin-2 is spelled %s', async (_what, charset, spelled) => {
  await expectSpelled('\xa3\xf3d\xbc.xml', charset, spelled);
});

async function expectSpelled(name: string, charset: 'latin1' | 'iso-8859-2' | undefined, spelled: string): Promise<void> {
  const world = await startWorld(scripted(() => ({ status: 204 })));
  await world.administer((on) => addLogin(on, { login: 'erp', passwordHash: null, publicKeys: [], rules: { charset: charset ?? null } }));
  await world.restart();
  await world.drop('acme-ab', name, 'no document');
  expect(await world.receipt('acme-ab', spelled, 'refused')).toMatchObject({ file: spelled });
  const original = await until('the original', () => world.files('acme-ab', 'refused')[0]);
  expect(original).toMatch(new RegExp(`^${spelled.slice(0, -4)}\\.\\w{8}\\.xml$`));
}
