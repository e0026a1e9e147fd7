// The participants of accounts, looked up each day as a stranger would: what differs is kept and told, and so is its end.
import { describe, expect, it } from 'vitest';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { addParticipant, removeParticipant } from '#core/operate/administration.ts';
import { certified } from '../../../support/certificates.ts';
import { SELLER } from '../../../support/documents.ts';
import { INVOICES, naptr, ZONE } from '../../../support/network.ts';
import { smpSigner, startSmp } from '../../../support/smp.ts';
import { BILLING_CREDIT_NOTE, inBase64, registered, startWatch, type Watch } from '../../../support/watch.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const FINE = [{ participant: SELLER, accountRegNo: 'seller', what: null, detail: null, since: null, reason: null }];

const certificate = (until: number): string => inBase64(certified({ name: 'AP', kind: 'ec', until }).certificate);
const register = ({ network }: Watch, changes: Parameters<typeof registered>[0]) =>
  network.smp.participants.set(SELLER, registered(changes));
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

describe('what differs is kept since when it was found, told every day, and its end is told', () => {
  const IN_29_DAYS = Date.now() + 29 * DAY;
  const AN_HOUR_AGO = Date.now() - HOUR;
  const DIFFERENCES: [title: string, what: string, detail: string, (watch: Watch) => void][] = [
    ['it is registered nowhere', 'absent', '', ({ network }) => network.smp.participants.delete(SELLER)],
    [
      'its SMP does not know it',
      'absent',
      '',
      ({ network }) => {
        network.smp.participants.delete(SELLER);
        network.answers.set(dnsNameOf(SELLER, ZONE), [naptr(network.smp.url)]);
      },
    ],
    [
      'a type is missing',
      'missing-type',
      'CreditNote (peppol-billing)',
      ({ network }) => network.smp.participants.set(SELLER, registered().slice(0, 1)),
    ],
    [
      'a type has no endpoint any more',
      'missing-type',
      'Invoice (peppol-billing)',
      ({ network }) => {
        const [, creditNotes = INVOICES] = registered();
        const [ended = INVOICES] = registered({ expiration: new Date(network.clock.now()).toISOString() });
        network.smp.participants.set(SELLER, [ended, creditNotes]);
      },
    ],
    [
      'a type goes to another access point',
      'elsewhere',
      'https://other.example/as4',
      ({ network }) => {
        const [invoices = INVOICES, creditNotes = INVOICES] = registered();
        network.smp.participants.set(SELLER, [invoices, { ...creditNotes, address: 'https://other.example/as4/' }]);
      },
    ],
    [
      'the certificate ends within 30 days',
      'certificate',
      `It ends on ${dayOf(IN_29_DAYS)}.`,
      (watch) => register(watch, { certificate: certificate(IN_29_DAYS) }),
    ],
    [
      'the certificate has ended',
      'certificate',
      `It ends on ${dayOf(AN_HOUR_AGO)}.`,
      (watch) => register(watch, { certificate: certificate(AN_HOUR_AGO) }),
    ],
    ['the certificate is none', 'certificate', 'The certificate cannot be read.', (watch) => register(watch, { certificate: 'rubbish' })],
  ];
  it.each(DIFFERENCES)('%s', async (_, what, detail, arrange) => {
    const watch = await startWatch();
    expect(await watch.nextLook()).toMatchObject(FINE);
    arrange(watch);
    const found = await watch.nextLook();
    const since = watch.network.clock.now();
    expect(found).toMatchObject([{ participant: SELLER, accountRegNo: 'seller', what, detail, since, lookedUpAt: since }]);
    expect(await watch.nextLook()).toMatchObject([{ what, detail, since, lookedUpAt: since + DAY }]);
    const told = { accountRegNo: 'seller', participant: SELLER, what, detail };
    expect(watch.logged).toMatchObject([1, 2].map(() => ({ level: 'error', event: 'network.difference', ...told })));
    watch.network.answers.clear();
    register(watch, {});
    expect(await watch.nextLook()).toMatchObject(FINE);
    expect(watch.logged.slice(2)).toMatchObject([{ level: 'info', event: 'network.difference-ended', ...told }]);
  });
});

it('a certificate is told of from 30 days before its end on', async () => {
  const watch = await startWatch();
  const until = Math.floor(Date.now() / DAY + 32) * DAY;
  register(watch, { certificate: certificate(until) });
  const looks = [await watch.nextLook(), await watch.nextLook(), await watch.nextLook(), await watch.nextLook()].flat();
  for (const { what, lookedUpAt, certificateEndsAt } of looks) {
    expect(certificateEndsAt).toBe(until);
    expect(what).toBe(until - (lookedUpAt ?? 0) < 30 * DAY ? 'certificate' : null);
  }
  expect(new Set(looks.map(({ what }) => what))).toEqual(new Set([null, 'certificate']));
});

it('of an access point that no authority of the operator has certified is told', async () => {
  const watch = await startWatch({ accessPointAuthorities: smpSigner('AP').authority });
  expect(await watch.nextLook()).toMatchObject(FINE);
  register(watch, { certificate: inBase64(smpSigner('Mallory').certificate) });
  const detail = 'The certificate was issued by none of the authorities in core.network.accessPointAuthorities.';
  expect(await watch.nextLook()).toMatchObject([{ what: 'certificate', detail }]);
});

it('where the operator names the own access point, one that was elsewhere from the beginning is told, too', async () => {
  const watch = await startWatch({ ownAccessPoint: 'https://own.example/as4' });
  expect(await watch.nextLook()).toMatchObject([{ what: 'elsewhere', detail: 'https://ap.example/as4' }]);
  register(watch, { address: 'https://OWN.example/as4' });
  expect(await watch.nextLook()).toMatchObject(FINE);
});

it('without that it holds to the address at which it was found first', async () => {
  const watch = await startWatch();
  watch.network.smp.participants.delete(SELLER);
  expect(await watch.nextLook()).toMatchObject([{ what: 'absent' }]);
  register(watch, { address: 'https://first.example/as4' });
  expect(await watch.nextLook()).toMatchObject(FINE);
  register(watch, { address: 'https://second.example/as4' });
  expect(await watch.nextLook()).toMatchObject([{ what: 'elsewhere', detail: 'https://second.example/as4' }]);
  await watch.core.restart();
  expect(await watch.nextLook()).toMatchObject([{ what: 'elsewhere', detail: 'https://second.example/as4' }]);
});

it('the types are those of the profiles that the operator names; a wildcard covers what it begins', async () => {
  const watch = await startWatch({ watchProfiles: ['pint-sg', 'order'] });
  const wildcard = BILLING_CREDIT_NOTE.replace(/^[^:]+/, 'peppol-doctype-wildcard').replace(/##.*/, '##urn:peppol:pint:billing-1*::2.1');
  register(watch, { documentType: wildcard });
  expect(await watch.nextLook()).toMatchObject([
    { what: 'missing-type', detail: 'Invoice (pint-sg)' },
    { what: 'missing-type', detail: 'Order (order)' },
  ]);
});

describe('a Belgian company', () => {
  const [BY_NUMBER, BY_VAT] = ['0208:0123456789', '9925:be0123456789'];

  it('that is registered by its VAT number, too, is told, unless that is an address of its own', async () => {
    const watch = await startWatch();
    const { network, core } = watch;
    await addParticipant(core.administration, 'seller', BY_NUMBER);
    await core.restart();
    network.smp.participants.set(BY_NUMBER, registered()).set(BY_VAT, registered());
    expect(await watch.nextLook(BY_NUMBER)).toMatchObject([{ participant: BY_NUMBER, what: 'beside', detail: BY_VAT }]);
    await addParticipant(core.administration, 'seller', BY_VAT);
    expect(await watch.nextLook(BY_NUMBER)).toMatchObject([{ what: null }]);
    await removeParticipant(core.administration, 'seller', BY_VAT);
    network.smp.participants.delete(BY_NUMBER);
    expect(await watch.nextLook(BY_NUMBER)).toMatchObject([{ what: 'absent' }, { what: 'beside' }]);
    network.smp.participants.delete(BY_VAT);
    expect(await watch.nextLook(BY_NUMBER)).toMatchObject([{ what: 'absent' }]);
  });
});

describe('no answer is no difference: it is asked again, and told when it lasts', () => {
  it('for more than four hours; what differed before is not forgotten meanwhile', async () => {
    const watch = await startWatch();
    const { network, logged } = watch;
    network.smp.participants.set(SELLER, registered().slice(0, 1));
    const [{ since, lookedUpAt } = { since: 0, lookedUpAt: 0 }] = await watch.nextLook();
    network.answers.set(dnsNameOf(SELLER, ZONE), 'servfail');
    const before = logged.length;
    const first = { ...(await watch.nextLook())[0] };
    expect(first).toMatchObject({ what: 'missing-type', since, lookedUpAt, reason: expect.stringContaining('DNS cannot say') });
    const failingSince = network.clock.now();
    let rows = [first];
    while (rows.length === 1) rows = await watch.nextLook();
    expect(network.clock.now() - failingSince).toBeGreaterThanOrEqual(4 * HOUR);
    expect(network.clock.now() - failingSince).toBeLessThan(6 * HOUR);
    expect(rows).toMatchObject([{ what: 'missing-type', since }, { what: 'no-answer' }]);
    const lines = logged.slice(before);
    expect(lines.at(-1)).toMatchObject({ level: 'error', event: 'network.difference', what: 'no-answer', participant: SELLER });
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.slice(0, -1).every(({ level, event }) => level === 'warn' && event === 'network.look-postponed')).toBe(true);
    network.answers.clear();
    expect(await watch.nextLook()).toMatchObject([{ what: 'missing-type', since, reason: null }]);
    expect(logged.some(({ event, what }) => event === 'network.difference-ended' && what === 'no-answer')).toBe(true);
    expect(((await watch.rows())[0]?.nextLookAt ?? 0) - network.clock.now()).toBeLessThanOrEqual(DAY);
  });

  const smp = (tamper: (text: string) => string) => (watch: Watch) => {
    watch.network.smp.tamper = tamper;
  };
  const HOSTILE: [title: string, (watch: Watch) => void][] = [
    ['two megabytes', smp((text) => text + ' '.repeat(2 * 1024 * 1024))],
    ['a flood of elements', smp(() => `<r>${'<a>'.repeat(300_000)}`)],
    ['entities', smp(() => '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">]><r>&a;</r>')],
    ['a signature that does not hold', smp((text) => text.replace('https://ap.example', 'https://evil.example'))],
    ['no signature', smp((text) => text.replace(/<Signature[\s\S]*<\/Signature>/, ''))],
    ['metadata of somebody else', (watch) => register(watch, { about: '0088:7300010000002' })],
    ['a forbidden address', ({ network }) => network.answers.set(dnsNameOf(SELLER, ZONE), [naptr('http://169.254.169.254/latest')])],
    ['a redirect to a forbidden address', (watch) => register(watch, { redirect: 'http://169.254.169.254/latest' })],
    [
      'a redirect to itself',
      (watch) => {
        const { network } = watch;
        const path = (documentType: string) => `iso6523-actorid-upis::${SELLER}/services/${documentType}`;
        const loop = `${network.smp.url}/${path(BILLING_CREDIT_NOTE).split('/').map(encodeURIComponent).join('/')}`;
        register(watch, { redirect: loop });
      },
    ],
  ];
  it.each(HOSTILE)('%s', async (_, arrange) => {
    const watch = await startWatch();
    expect(await watch.nextLook()).toMatchObject(FINE);
    arrange(watch);
    const asked = watch.network.smp.asked.length;
    expect(await watch.nextLook()).toMatchObject([{ what: null, reason: expect.any(String) }]);
    expect(watch.network.smp.asked.length - asked).toBeLessThanOrEqual(3);
    expect(watch.logged).toMatchObject([{ level: 'warn', event: 'network.look-postponed' }]);
    watch.network.answers.clear();
    watch.network.smp.tamper = (text) => text;
    register(watch, {});
    expect(await watch.nextLook()).toMatchObject(FINE);
  });

  it('what an SMP says is kept up to a limit', async () => {
    const watch = await startWatch();
    await watch.nextLook();
    register(watch, { address: `https://long.example/${'x'.repeat(100_000)}` });
    const [row] = await watch.nextLook();
    expect(row?.detail).toHaveLength(500);
  });

  it('a signer that no trusted authority has certified', async () => {
    await using foreign = await startSmp(smpSigner('Mallory'));
    const watch = await startWatch();
    await watch.nextLook();
    foreign.participants.set(SELLER, registered({ address: 'https://evil.example/as4' }));
    watch.network.answers.set(dnsNameOf(SELLER, ZONE), [naptr(foreign.url)]);
    expect(await watch.nextLook()).toMatchObject([{ what: null, reason: expect.stringContaining('cannot be trusted') }]);
  });
});
