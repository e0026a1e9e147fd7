// What was turned away before it came in is told in the home of the account that it was meant for.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { AP_TOKEN } from '../support/access-point.ts';
import type { TestCore } from '../support/core.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { startNetwork, type TestNetwork } from '../support/network.ts';
import { envelopeOf } from '../support/network-answers.ts';
import { until } from '../support/until.ts';
import { given } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

let network: TestNetwork;
let core: TestCore;
let gateway: World | undefined;
beforeEach(async () => {
  network = await startNetwork();
  const settings = { accessPoint: 'http', url: 'http://127.0.0.1:9', token: AP_TOKEN } as const;
  core = await network.startCore('seller', settings, { turnedAway: (accountRegNo) => gateway?.gateway().ringTurnedAway(accountRegNo) });
  gateway = undefined;
  onTestFinished(() => network[Symbol.asyncDispose]());
});

const startGateway = async (): Promise<World> => {
  gateway = await startWorld(given(core.core), { accounts: { seller: core.seller.gatewayKey } });
  return gateway;
};

/** Has an invoice verified that breaks BR-CO-15. */
async function turnAway(instanceId: string, documentId: string): Promise<void> {
  const text = new TextDecoder().decode(invoice({ id: documentId, sender: BUYER, receiver: SELLER }));
  const wrong = text.replace(/(<cbc:TaxInclusiveAmount[^>]*>)[^<]+/, '$112345.00');
  const response = await fetch(`${core.core.url}/api/dd_and_validate/`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', 'x-token': AP_TOKEN },
    body: new Uint8Array(envelopeOf(new TextEncoder().encode(wrong), { instanceId, sender: BUYER, receiver: SELLER })),
  });
  expect(await response.json()).toMatchObject({ success: false });
}

const notices = (home: World): string[] => home.files('seller', 'receipts').filter((name) => name.includes('.turned-away.'));
const told = (home: World, count: number): Promise<string[]> =>
  until(`${count} notices`, () => {
    home.clock.advance(1_000);
    const found = notices(home);
    return found.length >= count ? found : undefined;
  });

it('says who sent what, and what is wrong with it', async () => {
  const home = await startGateway();
  await turnAway('an envelope', 'F-13');
  const [name = ''] = await told(home, 1);
  expect(name).toMatch(/Invoice.*F-13.*\.turned-away\.json$/);
  const notice = JSON.parse(home.read('seller', 'receipts', name).toString());
  expect(notice).toMatchObject({ stage: 'turned-away', action: 'none', family: 'Invoice', documentId: 'F-13', sender: BUYER });
  expect(notice.message).toContain(BUYER);
  expect(notice.findings).toContainEqual(expect.objectContaining({ rule: 'BR-CO-15', path: expect.stringContaining('/Invoice') }));
});

it('is told once, also of what was turned away before the gateway started, and in many pages', async () => {
  for (let each = 0; each < 103; each++) await turnAway(`envelope ${each}`, `F-${each}`);
  const first = await startGateway();
  await told(first, 103);
  await first.restart();
  await turnAway('another', 'F-200');
  expect(await told(first, 104)).toHaveLength(104);
});
