// What is found out about a document before anything is sent: an envelope is opened, and our own rules are asked where an account wants that.

import { describe, expect, it } from 'vitest';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { BUYER, invoice, invoiceOfSize, SELLER } from '../../../support/documents.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { until } from '../../../support/until.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

let world: World<StandIn>;

async function start(settings = {}): Promise<World<StandIn>> {
  world = await startWorld(standIn(), { settings });
  return world;
}

const creates = (): number => world.service.requests.filter(({ method }) => method === 'POST').length;

interface Addressed {
  readonly sender?: string;
  readonly receiver?: string;
}

function enveloped(document: Uint8Array, { sender = SELLER, receiver = BUYER }: Addressed = {}): string {
  const partner = (role: string, participant: string): string =>
    `<${role}><Identifier Authority="iso6523-actorid-upis">${participant}</Identifier></${role}>`;
  const payload = Buffer.from(document)
    .toString()
    .replace(/^<\?xml[^>]*>\s*/, '')
    .trim();
  return `<?xml version="1.0" encoding="UTF-8"?>
<StandardBusinessDocument xmlns="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader">
  <StandardBusinessDocumentHeader>
    <HeaderVersion>1.0</HeaderVersion>${partner('Sender', sender)}${partner('Receiver', receiver)}
  </StandardBusinessDocumentHeader>
  ${payload}
</StandardBusinessDocument>
`;
}

describe('an envelope', () => {
  it.each([
    ['a short document', invoice({ id: 'E-1' })],
    ['a long one', invoiceOfSize(300_000, { id: 'E-1' })],
  ])('is opened, and what is in it is sent: %s', async (_, document) => {
    const { service } = await start();
    await world.drop('acme-ab', 'e.xml', enveloped(document));
    const receipt = await world.receipt('acme-ab', 'e.xml', 'accepted');
    expect(receipt).toMatchObject({ family: 'Invoice', documentId: 'E-1', sender: SELLER, receiver: BUYER });
    const sent = Buffer.from(service.holding.all[0]?.bytes ?? []).toString();
    expect(sent).toMatch(/^<Invoice [\s\S]*<\/Invoice>$/);
    expect(Buffer.from(document).toString()).toContain(sent);
  });

  it('is sent with the same bytes and the same key when the first answer was lost and the gateway was started again', async () => {
    const { service } = await start();
    service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.lostRequest : undefined);
    await world.drop('acme-ab', 'e.xml', enveloped(invoice({ id: 'E-1' })));
    await until('the first try', () => creates() === 1);
    await until('the first try to be noted', async () => (await world.items())[0]?.reason !== null);
    service.manners.fault = () => undefined;
    await world.restart();
    world.clock.advance(6_000);
    await world.receipt('acme-ab', 'e.xml', 'accepted');
    const keys = service.requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(service.tally('acme-ab', ['E-1'])).toEqual({ lost: [], twice: [] });
  });

  it.each([
    [
      'another receiver',
      enveloped(invoice(), { receiver: '0088:7340000000000' }),
      /goes from .* to 0088:7340000000000/,
      'envelope-differs',
    ],
    ['another sender', enveloped(invoice(), { sender: '0088:7340000000000' }), /goes from 0088:7340000000000/, 'envelope-differs'],
    [
      'two documents',
      enveloped(invoice()).replace('</StandardBusinessDocument>', '<More/></StandardBusinessDocument>'),
      /envelope/,
      'envelope',
    ],
  ])('with %s is refused, and costs no request', async (_, bytes, says, code) => {
    await start();
    await world.drop('acme-ab', 'e.xml', bytes);
    expect(await world.receipt('acme-ab', 'e.xml', 'refused')).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(creates()).toBe(0);
  });
});

const broken = Buffer.from(invoice())
  .toString()
  .replace(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/, '')
  .replace(/<cac:OrderReference>[\s\S]*?<\/cac:OrderReference>/, '');

describe('a document whose head lacks something', () => {
  it('is refused with what the rules say of all of it', async () => {
    await start();
    await world.drop('acme-ab', 'scheme.xml', broken.replace('schemeID="0088"', 'schemeID="88"'));
    const rules = (await world.receipt('acme-ab', 'scheme.xml', 'refused')).findings.map(({ rule }) => rule);
    for (const rule of ['BR-CL-25', 'PEPPOL-EN16931-R003', 'head-sender']) expect(rules).toContain(rule);
  });

  it('because of a wrong namespace is told of that, and of nothing that it only seems to lack', async () => {
    await start();
    const text = Buffer.from(invoice()).toString();
    await world.drop('acme-ab', 'namespace.xml', text.replace('CommonBasicComponents-2"', 'CommonBasicComponents-3"'));
    const { message, findings } = await world.receipt('acme-ab', 'namespace.xml', 'refused');
    expect(message).toContain('write it as cbc:CustomizationID, with the namespace');
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(['ubl-namespace']));
  });
});

describe('judging before sending', () => {
  it('local: what breaks a rule is refused with its findings and costs no request; what does not is sent', async () => {
    await start({ validate: 'local' });
    await world.drop('acme-ab', 'bad.xml', broken);
    await world.drop('acme-ab', 'good.xml', invoice({ id: 'GOOD' }));
    const receipt = await world.receipt('acme-ab', 'bad.xml', 'refused');
    expect(receipt.action).toBe('fix');
    expect(receipt.findings.map(({ rule }) => rule)).toContain('PEPPOL-EN16931-R003');
    expect(receipt.message).toContain('the same document number may be used');
    await world.receipt('acme-ab', 'good.xml', 'accepted');
    expect(creates()).toBe(1);
  });

  it('core: the service alone decides', async () => {
    await start();
    await world.drop('acme-ab', 'bad.xml', broken);
    await world.receipt('acme-ab', 'bad.xml', 'accepted');
  });

  it('an account may differ from the settings, from the next file on', async () => {
    const { clock } = await start();
    await world.administer((on) => changeAccount(on, 'acme-ab', { validate: 'local' }));
    clock.advance(5_000);
    await until('the account to be read again', () => world.logged('accounts.changed') > 0);
    await world.drop('acme-ab', 'bad.xml', broken);
    await world.receipt('acme-ab', 'bad.xml', 'refused');
    expect(creates()).toBe(0);
    expect(await world.attempts()).toEqual([]);
  });
});
