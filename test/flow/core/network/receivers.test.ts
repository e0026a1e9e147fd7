// Whether a receiver can receive: accounts of this core and participants of the network, what they take, and which address was meant by one that nobody answers to.
import { beforeEach, describe, expect, it } from 'vitest';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { addAccount } from '#core/operate/administration.ts';
import { coreOfTest, type TestCore } from '../../../support/core.ts';
import { BUYER, SELLER } from '../../../support/documents.ts';
import { INVOICES, naptr, startSellerBehindHttp, type TestNetwork, ZONE } from '../../../support/network.ts';

const ask = (core: TestCore, receiver: string) => core.call(`/network/seller/receivers/${encodeURIComponent(receiver)}`);
const told = async (core: TestCore, receiver: string) => (await ask(core, receiver)).json.data;
const REGISTERED = '0208:0123456749';
const BY_VAT = '9925:be0123456749';
const PINT =
  'peppol-doctype-wildcard::urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2::CreditNote##urn:peppol:pint:billing-1*::2.1';

describe('of the network', () => {
  let network: TestNetwork;
  let core: TestCore;
  beforeEach(async () => {
    ({ network, core } = await startSellerBehindHttp());
  });
  const outage = (participant: string) => network.answers.set(dnsNameOf(participant, ZONE), 'servfail');

  it('what its SMP lists, by families and profiles that are exchanged here', async () => {
    network.smp.participants.set(BUYER, [
      INVOICES,
      { documentType: PINT, processes: [] },
      { documentType: 'busdox-docid-qns::a::B##c::2.1', processes: [] },
    ]);
    const { takes, ...rest } = await told(core, BUYER.toUpperCase());
    expect(rest).toEqual({ receiver: BUYER, canReceive: 'yes', reason: null, meant: null, ageMs: 0 });
    expect(takes).toEqual([
      { family: 'Invoice', profiles: ['peppol-billing'] },
      { family: 'CreditNote', profiles: expect.arrayContaining(['pint', 'pint-sg']) },
    ]);
    expect(takes[1].profiles).not.toContain('peppol-billing');
  });

  it('one that is registered for nothing that is exchanged here cannot receive', async () => {
    network.smp.participants.set(BUYER, [{ documentType: 'busdox-docid-qns::a::B##c::2.1', processes: [] }]);
    expect(await told(core, BUYER)).toMatchObject({
      canReceive: 'no',
      reason: expect.stringContaining('no documents that are exchanged'),
      takes: [],
    });
  });

  it.each([
    ['0208:0123456789', REGISTERED, 'a wrong check digit'],
    ['0208:0123456749', BY_VAT, 'its VAT number'],
    ['0208:0123456789', BY_VAT, 'its VAT number, and a wrong check digit'],
    ['9925:be0123456749', REGISTERED, 'its number in the register'],
    ['0088:7300010000002', '0088:7300010000001', 'a GLN'],
    ['0192:974760670', '0192:974760673', 'a Norwegian number'],
    ['0007:5567321708', '0007:5567321707', 'a Swedish number'],
  ])('%s: %s was meant, by %s', async (asked, meant) => {
    network.smp.participants.set(meant, [INVOICES]);
    expect(await told(core, asked)).toMatchObject({ canReceive: 'no', meant });
  });

  it('nothing is meant that is not registered itself; a wrong check digit is told all the same', async () => {
    expect(await told(core, '0208:0123456789')).toEqual({
      receiver: '0208:0123456789',
      canReceive: 'no',
      reason:
        'The receiver 0208:0123456789 is not registered on the network. Check the address. The check digit of 0208:0123456789 is wrong.',
      takes: [],
      meant: null,
      ageMs: 0,
    });
    expect(await told(core, REGISTERED)).toMatchObject({
      canReceive: 'no',
      reason: expect.not.stringContaining('check digit'),
      meant: null,
    });
  });

  it('an SMP or a DNS server that is away is no no, and is asked again', async () => {
    outage(BUYER);
    expect(await told(core, BUYER)).toMatchObject({
      canReceive: 'unknown',
      reason: expect.stringContaining('DNS cannot say now'),
      takes: [],
      meant: null,
    });
    network.answers.set(dnsNameOf(BUYER, ZONE), [naptr('http://127.0.0.1:9')]);
    expect(await told(core, BUYER)).toMatchObject({ canReceive: 'unknown', reason: expect.stringContaining('cannot be reached') });
    network.answers.delete(dnsNameOf(BUYER, ZONE));
    expect(await told(core, BUYER)).toMatchObject({ canReceive: 'yes' });
  });

  it('a sibling that cannot be asked now is not remembered as none', async () => {
    network.smp.participants.set(BY_VAT, [INVOICES]);
    outage(BY_VAT);
    expect(await told(core, REGISTERED)).toMatchObject({ canReceive: 'no', meant: null });
    network.answers.delete(dnsNameOf(BY_VAT, ZONE));
    expect(await told(core, REGISTERED)).toMatchObject({ meant: BY_VAT });
  });

  it('is kept for ten minutes to the millisecond, whether yes or no, and asked once by many at a time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => told(core, BUYER)));
    expect(await told(core, '0007:0000000000')).toMatchObject({ canReceive: 'no' });
    const asked = network.dns.asked.length;
    expect(asked).toBe(2);
    network.smp.participants.delete(BUYER);
    network.smp.participants.set('0007:0000000000', [INVOICES]);
    network.clock.advance(10 * 60_000 - 1);
    expect(await told(core, BUYER)).toMatchObject({ canReceive: 'yes', ageMs: 10 * 60_000 - 1 });
    expect((await told(core, '0007:0000000000')).canReceive).toBe('no');
    expect(network.dns.asked.length).toBe(asked);
    network.clock.advance(1);
    expect([(await told(core, BUYER)).canReceive, (await told(core, '0007:0000000000')).canReceive]).toEqual(['no', 'yes']);
  });

  it('an account of this core takes everything, and nobody asks the network for it', async () => {
    const { takes, ...rest } = await told(core, SELLER);
    expect(rest).toEqual({ receiver: SELLER, canReceive: 'yes', reason: null, meant: null, ageMs: 0 });
    expect(takes).toHaveLength(8);
    expect(network.dns.asked).toEqual([]);
    await addAccount(core.administration, { accountRegNo: 'belgian', name: 'Belgian', participants: [REGISTERED] });
    expect(await told(core, BY_VAT)).toMatchObject({ canReceive: 'no', meant: REGISTERED });
  });
});

describe('without a network', () => {
  it('the accounts of this core, and no one else; an account can ask for itself alone, and pays for it', async () => {
    const core = await coreOfTest({ requests: 4 });
    expect(await told(core, BUYER)).toMatchObject({
      canReceive: 'yes',
      takes: expect.arrayContaining([{ family: 'OrderChange', profiles: ['order-change'] }]),
    });
    expect(await told(core, '0007:0000000000')).toMatchObject({
      canReceive: 'no',
      reason: expect.stringContaining('not found on the network'),
    });
    expect((await core.call(`/network/buyer/receivers/${BUYER}`)).status).toBe(401);
    expect((await core.call(`/network/seller/receivers/${BUYER}`, { key: null })).status).toBe(401);
    expect((await ask(core, 'nonsense')).status).toBe(400);
    expect((await ask(core, `0007:${'1'.repeat(130)}`)).status).toBe(200);
    expect((await ask(core, BUYER)).status).toBe(429);
  });
});
