// The page of a gateway with two documents: one was accepted, and one refused.
import { invoice } from './documents.ts';
import { type Browser, startPage, type TestPage } from './page.ts';
import type { ScriptedService } from './scripted-service.ts';
import { until } from './until.ts';
import { scripted } from './world/services.ts';
import { startWorld, type World } from './world/world.ts';

interface TwoDocuments {
  readonly world: World<ScriptedService>;
  readonly page: TestPage;
  /** The items. */
  readonly sent: string;
  readonly refused: string;
  readonly browser: Browser;
}

export async function twoDocuments(): Promise<TwoDocuments> {
  const world = await startWorld(scripted());
  const page = await startPage(world);
  const sent = await world.drop('acme-ab', 'a.xml', invoice({ id: 'F-1' }));
  const refused = await world.drop('acme-ab', 'b.xml', '<Invoice>\n<oops>\n');
  await until('both', () => world.files('acme-ab', 'receipts').length === 2);
  return { world, page, sent, refused, browser: page.browser() };
}
