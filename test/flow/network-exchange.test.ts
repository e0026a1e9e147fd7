// The whole way: two cores that find each other only through DNS and an SMP, each with a gateway in front, and an access point between.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CoreOptions } from '#core/core.ts';
import { selectTransmissions } from '#core/ledger/transmission-list.ts';
import { retryTransmission } from '#core/operate/transmissions.ts';
import type { FamilyName } from '#domain/family.ts';
import { followAgain } from '#gateway/follow/statuses.ts';
import { AP_TOKEN, carryFolders, handOver, startHttpAccessPoint } from '../support/access-point.ts';
import type { TestCore } from '../support/core.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { startNetwork, type TestNetwork } from '../support/network.ts';
import { answerDocument, envelopeOf, MLS } from '../support/network-answers.ts';
import { given } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

interface Side {
  readonly gateway: World;
  readonly core: TestCore;
  readonly coreUrl: string;
}

/** A core with one account, and its gateway, which the core rings. */
async function startSide(network: TestNetwork, account: 'seller' | 'buyer', settings: Partial<CoreOptions['network']>): Promise<Side> {
  let gateway: World | undefined;
  const rings = {
    incoming: (accountRegNo: string, family: FamilyName) => gateway?.gateway().ring(accountRegNo, family),
    changed: (accountRegNo: string, family: FamilyName) => gateway?.gateway().ringStatus(accountRegNo, family),
  };
  const core = await network.startCore(account, settings, rings);
  gateway = await startWorld(given(core.core), { accounts: { [account]: core[account].gatewayKey } });
  return { gateway, core, coreUrl: core.core.url };
}

const stages = (side: Side, account: string): string[] => side.gateway.stages(account);

it.each(['http', 'folder'] as const)(
  'S005 S006 an invoice goes from one ERP’s inbox to the other’s outbox, with all receipts, by %s',
  async (kind) => {
    await using network = await startNetwork();
    await using ap = await startHttpAccessPoint();
    const root = mkdtempSync(join(tmpdir(), 'dropgate-ap-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const folders = { seller: join(root, 'seller'), buyer: join(root, 'buyer') };
    const settings = (account: 'seller' | 'buyer'): Partial<CoreOptions['network']> =>
      kind === 'http' ? { accessPoint: 'http', url: ap.url, token: AP_TOKEN } : { accessPoint: 'folder', folder: folders[account] };
    const seller = await startSide(network, 'seller', settings('seller'));
    const buyer = await startSide(network, 'buyer', settings('buyer'));
    const sides = [seller, buyer];
    const step = <Value>(what: string, condition: () => Value): Promise<NonNullable<Value>> =>
      network.wait(what, () => {
        for (const { gateway } of sides) gateway.clock.advance(1_000);
        return condition();
      });

    await seller.gateway.drop('seller', 'march.xml', invoice());
    await step('the hand-over', () =>
      kind === 'http' ? ap.transactions.size > 0 : readdirSync(join(folders.seller, 'out')).some((name) => name.endsWith('.xml')),
    );
    await step('the receipt', () => stages(seller, 'seller').length > 0);
    expect(stages(seller, 'seller')).toEqual(['accepted']);
    // Only now the access point brings it there.
    if (kind === 'folder')
      carryFolders(
        folders.seller,
        new Map([
          [BUYER, folders.buyer],
          [SELLER, folders.seller],
        ]),
      );
    else ap.carry([[BUYER, buyer.coreUrl]]);

    await step('the receipt sent', () => stages(seller, 'seller').includes('sent'));
    const name = await step('the document in the outbox', () => buyer.gateway.files('buyer', 'outbox')[0]);
    const text = (bytes: Uint8Array): string =>
      new TextDecoder()
        .decode(bytes)
        .replace(/^<\?xml.*\?>\s*/, '')
        .trim();
    expect(text(buyer.gateway.read('buyer', 'outbox', name))).toBe(text(invoice()));
    expect(name).toContain('Invoice_1001');

    if (kind === 'http') {
      for (const transaction of ap.transactions.values()) transaction.mlsStatus = 'received_ap';
      await step('the receipt delivered', () => stages(seller, 'seller').includes('delivered'));
      expect(stages(seller, 'seller').sort()).toEqual(['accepted', 'delivered', 'sent']);
      expect((await seller.gateway.receipt('seller', 'march.xml', 'delivered')).action).toBe('none');
    } else {
      const [side] = readdirSync(join(folders.buyer, 'in', 'taken'));
      expect(readFileSync(join(folders.buyer, 'in', 'taken', side ?? ''), 'utf8')).toContain('StandardBusinessDocumentHeader');
    }
  },
);

it('what the network refuses or gives up is told with what to do, and can be dropped again', async () => {
  await using network = await startNetwork();
  await using ap = await startHttpAccessPoint();
  const seller = await startSide(network, 'seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN });
  const { gateway } = seller;
  const step = <Value>(what: string, condition: () => Value): Promise<NonNullable<Value>> =>
    network.wait(what, () => {
      gateway.clock.advance(1_000);
      return condition();
    });
  await gateway.drop('seller', 'a.xml', invoice());
  await step('the hand-over', () => ap.transactions.size === 1);
  for (const transaction of ap.transactions.values())
    Object.assign(transaction, { status: 'permanently_failed', errorDetails: 'no answer' });
  await step('the receipt failed', () => stages(seller, 'seller').includes('failed'));
  const failed = await gateway.receipt('seller', 'a.xml', 'failed');
  expect(failed).toMatchObject({
    action: 'resend',
    code: 'not-delivered',
    message: expect.stringContaining('no answer. To have it tried again'),
  });

  await gateway.drop('seller', 'a.xml', invoice(), 'overwrite');
  await step('a second hand-over', () => ap.transactions.size === 2);
  const [, second] = [...ap.transactions];
  const [reference = ''] = second ?? [];
  // The access point tells the code before it hands over the document, which says why.
  Object.assign(second?.[1] ?? {}, { status: 'sent', mlsStatus: 'received_re' });
  await step('the receipt sent', () => stages(seller, 'seller').includes('sent'));
  const answer = {
    customization: MLS,
    code: 'RE',
    reference,
    reason: 'It breaks a rule.',
    lines: [['/Invoice/cbc:ID', 'BR-02 is broken']],
  } as const;
  await handOver(seller.coreUrl, envelopeOf(answerDocument(answer), { instanceId: 'an-answer', sender: '0242:000123', receiver: SELLER }));
  await step('the receipt rejected', () => stages(seller, 'seller').includes('rejected'));
  expect(await gateway.receipt('seller', 'a.xml', 'rejected')).toMatchObject({
    action: 'fix',
    code: 'receiver-rejected',
    message: expect.stringContaining('It breaks a rule.'),
    answer: { kind: 'mls', code: 'RE', text: 'It breaks a rule.', at: expect.stringMatching(/Z$/) },
    findings: [{ rule: 'BV', severity: 'fatal', message: 'BR-02 is broken', path: '/Invoice/cbc:ID' }],
  });
  // Each item keeps its own end.
  expect(stages(seller, 'seller').filter((stage) => stage === 'failed')).toHaveLength(1);
});

it('what is tried again after it failed is told again', async () => {
  await using network = await startNetwork();
  await using ap = await startHttpAccessPoint();
  const side = await startSide(network, 'seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN });
  const { gateway, core } = side;
  const step = <Value>(what: string, condition: () => Value): Promise<NonNullable<Value>> =>
    network.wait(what, () => {
      gateway.clock.advance(1_000);
      return condition();
    });
  await gateway.drop('seller', 'a.xml', invoice());
  await step('the hand-over', () => ap.transactions.size === 1);
  for (const transaction of ap.transactions.values()) transaction.status = 'permanently_failed';
  await step('the receipt failed', () => stages(side, 'seller').includes('failed'));

  const [failed] = await selectTransmissions(core.administration.ledger.read, { states: ['failed'], accountRegNo: null, limit: 2 });
  const retried = await retryTransmission({ ...core.administration, clock: network.clock }, failed?.instanceId ?? '');
  await gateway.administer((on) => followAgain(on, retried));
  await step('the second hand-over', () => ap.transactions.size === 2);
  Object.assign(ap.transactions.get(retried.instanceId) ?? {}, { status: 'sent' });
  await step('the receipt sent', () => stages(side, 'seller').includes('sent'));
  Object.assign(ap.transactions.get(retried.instanceId) ?? {}, { mlsStatus: 'received_ap' });
  await step('the receipt delivered', () => stages(side, 'seller').includes('delivered'));
  expect(stages(side, 'seller').sort()).toEqual(['accepted', 'delivered', 'failed', 'sent']);
});

it('statuses are found by timers where nobody rings, and after a restart; each is told once', async () => {
  await using network = await startNetwork();
  await using ap = await startHttpAccessPoint();
  const core = await network.startCore('seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN });
  const gateway = await startWorld(given(core.core), { accounts: { seller: core.seller.gatewayKey }, hinted: false });
  const step = <Value>(what: string, condition: () => Value): Promise<NonNullable<Value>> =>
    network.wait(what, () => {
      gateway.clock.advance(1_000);
      return condition();
    });
  const side = { gateway, core, coreUrl: core.core.url };
  for (let number = 1; number <= 7; number++) await gateway.drop('seller', `${number}.xml`, invoice({ id: String(number) }));
  await step('the hand-overs', () => ap.transactions.size === 7);
  for (const transaction of ap.transactions.values()) transaction.status = 'sent';
  await step('the receipts sent', () => stages(side, 'seller').filter((stage) => stage === 'sent').length === 7);
  await gateway.restart();
  for (const transaction of ap.transactions.values()) transaction.mlsStatus = 'received_ap';
  await step('the receipts delivered', () => stages(side, 'seller').filter((stage) => stage === 'delivered').length === 7);
  expect(stages(side, 'seller')).toHaveLength(21);
});
