// The network seam: who is found.
import { beforeEach, describe, expect, it } from 'vitest';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { AP_TOKEN, type HttpAccessPoint } from '../../../support/access-point.ts';
import type { TestCore } from '../../../support/core.ts';
import { BUYER, invoice } from '../../../support/documents.ts';
import {
  BILLING_INVOICE,
  INVOICES,
  naptr,
  type SellerBehindHttp,
  startSellerBehindHttp,
  type TestNetwork,
  ZONE,
} from '../../../support/network.ts';
import { smpSigner, startSmp } from '../../../support/smp.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const HOUR = 60 * 60_000;

let network: TestNetwork;
let ap: HttpAccessPoint;
let core: TestCore;
let send: SellerBehindHttp['send'];
let statusOf: SellerBehindHttp['statusOf'];
let attemptsOf: SellerBehindHttp['attemptsOf'];
beforeEach(async () => {
  ({ network, ap, core, send, statusOf, attemptsOf } = await startSellerBehindHttp());
});

const settle = (changes: Partial<typeof INVOICES>) => network.smp.participants.set(BUYER, [{ ...INVOICES, ...changes }]);

describe('looking up a receiver', () => {
  it('S005 a receiver that DNS, SMP, type and process know is sent to', async () => {
    const { status, json } = await send();
    expect(status).toBe(200);
    await network.wait('the hand-over', () => ap.submissions.length > 0);
    expect(network.dns.asked).toEqual([`${dnsNameOf(BUYER, ZONE)} NAPTR`]);
    expect(network.smp.asked).toEqual([`/iso6523-actorid-upis::${BUYER}`, `/iso6523-actorid-upis::${BUYER}/services/${BILLING_INVOICE}`]);
    expect((await statusOf(json.data.integrationId)).status).toBe('queued');
  });

  it('of several records the one of the lowest order counts, then that of the lowest preference', async () => {
    const nowhere = naptr('http://127.0.0.1:9');
    network.answers.set(dnsNameOf(BUYER, ZONE), [
      { ...nowhere, order: 200, preference: 1 },
      { ...nowhere, preference: 20 },
      { ...nowhere, order: 1, flags: 'S' },
      naptr(network.smp.url),
    ]);
    expect((await send()).status).toBe(200);
    await network.wait('the hand-over', () => ap.submissions.length > 0);
    expect(network.dns.asked).toHaveLength(1);
  });

  const REFUSED: [what: string, () => void][] = [
    ['no NAPTR record (NXDOMAIN)', () => network.smp.participants.delete(BUYER)],
    ['a name without NAPTR records', () => network.answers.set(dnsNameOf(BUYER, ZONE), [])],
    [
      'records for something else only',
      () => network.answers.set(dnsNameOf(BUYER, ZONE), [{ ...naptr(network.smp.url), service: 'Meta:Other' }]),
    ],
    [
      'a participant that its SMP does not know',
      () => {
        network.smp.participants.delete(BUYER);
        network.answers.set(dnsNameOf(BUYER, ZONE), [naptr(network.smp.url)]);
      },
    ],
    ['another document type', () => settle({ documentType: BILLING_INVOICE.replace('Invoice-2::Invoice', 'CreditNote-2::CreditNote') })],
    ['another process', () => settle({ processes: ['urn:other'] })],
    ['another transport', () => settle({ transportProfile: 'busdox-transport-as2-ver1p0' })],
    ['an endpoint that begins tomorrow', () => settle({ activation: new Date(network.clock.now() + 24 * HOUR).toISOString() })],
    ['an endpoint that ended', () => settle({ expiration: new Date(network.clock.now() - 1).toISOString() })],
  ];
  it.each(REFUSED)('S295 is refused with E_PEPPOL_PARTICIPANT_SMP_LOOKUP, and nothing is stored: %s', async (_, arrange) => {
    arrange();
    const answer = await send();
    expect([answer.status, answer.json.type]).toEqual([422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP']);
    expect((await core.call(OUT)).status).toBe(204);
  });

  const UNCERTAIN: [what: string, () => void][] = [
    ['DNS fails', () => network.answers.set(dnsNameOf(BUYER, ZONE), 'servfail')],
    ['the SMP fails', () => (network.smp.tamper = () => 503)],
    ['the SMP is not there', () => network.answers.set(dnsNameOf(BUYER, ZONE), [naptr('http://127.0.0.1:9')])],
    ['the SMP has a forbidden address', () => network.answers.set(dnsNameOf(BUYER, ZONE), [naptr('http://10.0.0.1')])],
    ['the SMP speaks no XML', () => (network.smp.tamper = () => '<html>')],
    ['the signature does not hold', () => (network.smp.tamper = (text) => text.replace('https://ap.example', 'https://evil.example'))],
    ['there is no signature', () => (network.smp.tamper = (text) => text.replace(/<Signature[\s\S]*<\/Signature>/, ''))],
    ['the SMP redirects to nowhere', () => settle({ redirect: 'file:///etc/passwd' })],
  ];
  it.each(UNCERTAIN)('takes and queues the document while nobody can say: %s', async (_, arrange) => {
    arrange();
    const { status, json } = await send();
    expect(status).toBe(200);
    const { integrationId } = json.data;
    await network.wait('a second try', async () => (await attemptsOf(integrationId)) > 1);
    expect((await statusOf(integrationId)).status).toBe('queued');
    expect(ap.submissions).toEqual([]);
    // It is over.
    network.answers.clear();
    network.smp.tamper = (text) => text;
    settle({});
    await network.wait('the hand-over', () => ap.submissions.length === 1, 60_000);
  });

  it('answers 500 instead where the operator wants no queue', async () => {
    const strict = await network.startCore('seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN, outage: 'refuse' });
    network.answers.set(dnsNameOf(BUYER, ZONE), 'servfail');
    expect((await strict.call(OUT, { body: invoice() })).status).toBe(500);
    expect((await strict.call(OUT)).status).toBe(204);
  });

  it('a signer that no trusted authority has certified is not believed', async () => {
    await using foreign = await startSmp(smpSigner('Mallory'));
    foreign.participants.set(BUYER, [INVOICES]);
    network.answers.set(dnsNameOf(BUYER, ZONE), [naptr(foreign.url)]);
    const { integrationId } = (await send()).json.data;
    await network.wait('a second try', async () => (await attemptsOf(integrationId)) > 1);
    expect(ap.submissions).toEqual([]);
    expect(foreign.asked.length).toBeGreaterThan(1);
  });

  it('follows a redirect once, and believes exclusive canonicalisation, too', async () => {
    await using other = await startSmp(smpSigner(), true);
    other.participants.set(BUYER, [INVOICES]);
    const path = `${encodeURIComponent(`iso6523-actorid-upis::${BUYER}`)}/services/${encodeURIComponent(BILLING_INVOICE)}`;
    settle({ redirect: `${other.url}/${path}` });
    expect((await send()).status).toBe(200);
    await network.wait('the hand-over', () => ap.submissions.length > 0);
  });

  it('follows no second redirect', async () => {
    await using other = await startSmp();
    const path = `${encodeURIComponent(`iso6523-actorid-upis::${BUYER}`)}/services/${encodeURIComponent(BILLING_INVOICE)}`;
    other.participants.set(BUYER, [{ ...INVOICES, redirect: `${network.smp.url}/${path}` }]);
    settle({ redirect: `${other.url}/${path}` });
    const { integrationId } = (await send()).json.data;
    await network.wait('a second try', async () => (await attemptsOf(integrationId)) > 1);
    expect(ap.submissions).toEqual([]);
    // Nor is it a no.
    expect((await statusOf(integrationId)).status).toBe('queued');
    const asked = (smp: typeof other): number => smp.asked.filter((each) => each.includes('/services/')).length;
    // A third try may be under way.
    await network.wait('the other to be asked as often', async () => asked(network.smp) === asked(other));
  });

  it.each([['CN=Somebody else'], ['']])("does not follow a redirect to a signer that it does not name: '%s'", async (redirectUid) => {
    await using other = await startSmp();
    other.participants.set(BUYER, [INVOICES]);
    const path = `${encodeURIComponent(`iso6523-actorid-upis::${BUYER}`)}/services/${encodeURIComponent(BILLING_INVOICE)}`;
    settle({ redirect: `${other.url}/${path}`, redirectUid });
    const { integrationId } = (await send()).json.data;
    await network.wait('a second try', async () => (await attemptsOf(integrationId)) > 1);
    expect(ap.submissions).toEqual([]);
  });

  it('believes an access point only when a trusted authority has certified it, where the operator names such authorities', async () => {
    const { authority, certificate } = smpSigner('AP');
    const inBase64 = (pem: string): string => pem.replace(/-----[A-Z ]+-----|\s/g, '');
    const settings = { accessPoint: 'http', url: ap.url, token: AP_TOKEN, accessPointAuthorities: authority } as const;
    const strict = await network.startCore('seller', settings);
    for (const bad of ['', 'rubbish', inBase64(smpSigner('Mallory').certificate)]) {
      settle({ certificate: bad });
      const answer = await strict.call(OUT, { body: invoice({ id: `with ${bad.slice(0, 9)}` }) });
      expect(answer.status).toBe(200);
    }
    await network.wait('second tries', async () => {
      const all = await strict.transmissions();
      return all.every(({ attempts, reason }) => attempts > 1 && reason?.includes('access point of the receiver cannot be trusted'));
    });
    expect(ap.submissions).toEqual([]);
    settle({ certificate: inBase64(certificate) });
    await network.wait('the hand-overs', () => ap.submissions.length === 3, 60_000);
  });

  it('a yes is remembered for ten minutes, a no is not', async () => {
    await send();
    await send({ id: '2' });
    expect(network.dns.asked).toHaveLength(1);
    network.clock.advance(11 * 60_000);
    await send({ id: '3' });
    expect(network.dns.asked).toHaveLength(2);
  });

  it('a document is refused for its own faults before anybody is asked', async () => {
    await send();
    expect((await send()).status).toBe(409);
    expect((await send({ sender: BUYER, receiver: '0007:5567321707', id: '7' })).json.type).toBe('E_VALIDATION');
    expect(network.dns.asked).toHaveLength(1);
  });
});
