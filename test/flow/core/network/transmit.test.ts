// The network seam: what is handed over, and what becomes of a message.
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { addAccount, updateCoreAccount } from '#core/operate/administration.ts';
import { coreAlarms } from '#core/operate/alarms.ts';
import type { HttpAccessPoint } from '../../../support/access-point.ts';
import type { TestCore } from '../../../support/core.ts';
import { BUYER, documentOf, invoice } from '../../../support/documents.ts';
import { checkBySchema, textAt } from '../../../support/libxml.ts';
import {
  BILLING_INVOICE,
  BILLING_PROCESS,
  type SellerBehindHttp,
  startSellerBehindHttp,
  type TestNetwork,
  ZONE,
} from '../../../support/network.ts';
import { until } from '../../../support/until.ts';
import { forgetFound, isHandingOver } from '../../../support/world/ledger-rows.ts';

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

const reaches = (integrationId: string, status: string, stepMs?: number) =>
  network.wait(`status ${status}`, async () => (await statusOf(integrationId)).status === status, stepMs);

describe('handing over', () => {
  it('the envelope has the structure of an SBDH, says what it carries, and holds the very document', async () => {
    await send();
    await network.wait('the hand-over', () => ap.submissions.length > 0);
    const [transaction] = ap.transactions.values();
    const { envelope = '' } = transaction ?? {};
    checkBySchema(envelope, join(import.meta.dirname, '../../../fixtures/sbdh.xsd'));
    const said = (path: string): string => textAt(envelope, path);
    expect(said('//Sender/Identifier')).toBe('0088:7300010000001');
    expect(said('//Receiver/Identifier')).toBe(BUYER);
    expect(said('//DocumentIdentification/Type')).toBe('Invoice');
    expect(said('//DocumentIdentification/TypeVersion')).toBe('2.1');
    expect(`${said('//Scope[1]/Identifier')}::${said('//Scope[1]/InstanceIdentifier')}`).toBe(BILLING_INVOICE);
    expect(said('//Scope[2]/InstanceIdentifier')).toBe(BILLING_PROCESS);
    expect([said('//Scope[3]/Type'), said('//Scope[3]/InstanceIdentifier')]).toEqual(['COUNTRY_C1', 'SE']);
    // A yes is told only to those who ask for it.
    expect([said('//Scope[4]/Type'), said('//Scope[4]/InstanceIdentifier')]).toEqual(['MLS_TYPE', 'ALWAYS_SEND']);
    const document = Buffer.from(invoice())
      .toString('utf8')
      .replace(/^<\?xml.*\?>\s*/, '')
      .trim();
    expect(envelope).toContain(document);
  });

  it('the country in it is that of the account, where its profile tells one', async () => {
    await updateCoreAccount(core.administration, 'seller', { profile: { country: 'NO' } });
    await send();
    await network.wait('the hand-over', () => ap.submissions.length > 0);
    expect([...ap.transactions.values()][0]?.envelope).toContain('<Type>COUNTRY_C1</Type><InstanceIdentifier>NO</InstanceIdentifier>');
  });

  it('S073 a message is queued, then sent, then delivered, and its log says so', async () => {
    const { integrationId } = (await send()).json.data;
    const taken = await network.wait('the hand-over', () => [...ap.transactions.values()][0]);
    taken.status = 'sent';
    await reaches(integrationId, 'sent');
    taken.mlsStatus = 'received_ab';
    await reaches(integrationId, 'delivered', 60_000);
    expect(await core.log(integrationId)).toEqual(['1 queued', '1 sent', '1 delivered']);
    expect(ap.submissions).toHaveLength(1);
  });

  it.each([
    ['the access point gives up', { status: 'permanently_failed', errorDetails: 'no AS4 answer' }, 'failed', ['1 queued', '1 failed']],
    ['the receiver refuses', { status: 'sent', mlsStatus: 'received_re' }, 'rejected', ['1 queued', '1 sent', '1 rejected']],
  ])('%s', async (_, change, status, log) => {
    const { integrationId } = (await send()).json.data;
    Object.assign(await network.wait('the hand-over', () => [...ap.transactions.values()][0]), change);
    await reaches(integrationId, status, 60_000);
    expect(await core.log(integrationId)).toEqual(log);
    if ('errorDetails' in change) expect((await statusOf(integrationId)).reason).toBe('no AS4 answer');
  });

  it('never hands a document over twice: an answer that is lost, and a restart', async () => {
    ap.mode = () => 'lose';
    const { integrationId } = (await send()).json.data;
    await network.wait('the hand-over', () => ap.submissions.length > 0);
    await core.restart();
    const [taken] = ap.transactions.values();
    if (taken) taken.status = 'sent';
    await reaches(integrationId, 'sent', 10_000);
    expect(ap.submissions).toHaveLength(1);
  });

  it('only what the access point reports on is handed over', async () => {
    ap.mode = () => 200;
    const { integrationId } = (await send()).json.data;
    await network.wait('a second try', () => ap.submissions.length > 1, 60_000);
    expect([ap.transactions.size, (await statusOf(integrationId)).status]).toEqual([0, 'queued']);
    ap.mode = () => 'send';
    await network.wait('the hand-over', () => ap.transactions.size > 0, 60_000);
    await reaches(integrationId, 'sent', 0);
  });

  it('what the access point has sent while it was asked is sent at once, before it is asked again', async () => {
    ap.mode = () => 'send';
    ap.asked = () => 500;
    const { integrationId } = (await send()).json.data;
    await reaches(integrationId, 'sent', 0);
    expect(ap.submissions).toHaveLength(1);
  });

  it('what it could not send it tries again itself: it is not given to it again, and its status is followed', async () => {
    const { integrationId } = (await send()).json.data;
    const stored = await network.wait('the hand-over', () => [...ap.transactions.values()][0]);
    network.clock.advance(HOUR);
    await network.wait('more questions', async () => (await attemptsOf(integrationId)) > 2, 60_000);
    expect((await statusOf(integrationId)).status).toBe('queued');
    stored.status = 'sent';
    ap.archive();
    await reaches(integrationId, 'sent', HOUR);
    expect(ap.submissions).toHaveLength(1);
  });

  it('what it refuses is tried again for some minutes, in case it was its own trouble, and then has failed with what to do', async () => {
    ap.mode = () => 400;
    const { integrationId } = (await send()).json.data;
    await network.wait('a second try', () => ap.submissions.length > 1, 10_000);
    expect((await statusOf(integrationId)).status).toBe('queued');
    const begunMs = network.clock.now();
    await reaches(integrationId, 'failed', 10_000);
    expect(network.clock.now() - begunMs).toBeLessThan(HOUR / 4);
    expect(await statusOf(integrationId)).toMatchObject({ reason: expect.stringContaining('its log says which') });
  });

  it('what it stored and never began to send has failed after an hour: it will not be sent', async () => {
    ap.mode = () => 'lose';
    const { integrationId } = (await send()).json.data;
    const stored = await network.wait('the hand-over', () => [...ap.transactions.values()][0]);
    stored.status = 'pending';
    const begunMs = network.clock.now();
    await reaches(integrationId, 'failed', 60_000);
    expect(network.clock.now() - begunMs).toBeGreaterThan(HOUR);
    expect((await statusOf(integrationId)).reason).toContain('transmission retry');
    expect(ap.submissions).toHaveLength(1);
  });

  it('what it says that it does not know may still come to it: it is given it again only after a while', async () => {
    ap.mode = () => 'die';
    const { integrationId } = (await send()).json.data;
    await network.wait('the hand-over', () => ap.submissions.length === 1);
    const begunMs = network.clock.now();
    ap.mode = () => 'send';
    await reaches(integrationId, 'sent', 5_000);
    expect(network.clock.now() - begunMs).toBeGreaterThan(9 * 60_000);
    expect(ap.submissions).toHaveLength(2);
  });

  it('what it came to know of in the meantime it is not given again', async () => {
    ap.mode = () => 'die';
    const { integrationId } = (await send()).json.data;
    await network.wait('the hand-over', () => ap.submissions.length === 1);
    await network.wait('questions', async () => (await attemptsOf(integrationId)) > 3, 5_000);
    const [instanceId = ''] = ap.submissions;
    const stored = { status: 'sent', mlsStatus: 'pending', errorDetails: null, attemptCount: 1, archived: true, copies: 1, envelope: '' };
    ap.transactions.set(instanceId, stored);
    await reaches(integrationId, 'sent', 60_000);
    expect(ap.submissions).toHaveLength(1);
  });

  it('an access point that is down is tried again, and given up after 72 hours with the reason', async () => {
    ap.mode = () => 401;
    const { integrationId } = (await send()).json.data;
    await network.wait('several tries', () => ap.submissions.length > 3, 5 * 60_000);
    expect(new Set(ap.submissions).size).toBe(1);
    expect((await statusOf(integrationId)).status).toBe('queued');
    const begunMs = network.clock.now();
    expect(await coreAlarms({ ledger: core.administration.ledger, clock: network.clock, isWatched: false })).toEqual([]);
    network.clock.advance(70 * HOUR);
    expect(await coreAlarms({ ledger: core.administration.ledger, clock: network.clock, isWatched: false })).toMatchObject([
      { kind: 'access-point-silent', sentence: expect.stringMatching(/1 document waits .*401/) },
    ]);
    const before = ap.submissions.length;
    // There is a second one only when it was not given up by the first.
    await network.wait('two more tries', () => ap.submissions.length > before + 1, HOUR / 4);
    await reaches(integrationId, 'failed', HOUR / 2);
    expect(network.clock.now() - begunMs).toBeLessThan(75 * HOUR);
    expect(await statusOf(integrationId)).toMatchObject({ status: 'failed', reason: expect.stringContaining('401') });
  });

  it('a receiver that turns out not to be there has failed', async () => {
    network.answers.set(dnsNameOf(BUYER, ZONE), 'servfail');
    const { integrationId } = (await send()).json.data;
    network.answers.set(dnsNameOf(BUYER, ZONE), undefined);
    await reaches(integrationId, 'failed', 60_000);
    expect(await statusOf(integrationId)).toMatchObject({ reason: expect.stringContaining('not registered') });
  });

  it('a receiver that is not there any more has not failed what the access point has already', async () => {
    network.answers.set(dnsNameOf(BUYER, ZONE), 'servfail');
    const { integrationId } = (await send()).json.data;
    await network.wait('a try', async () => (await attemptsOf(integrationId)) > 0);
    network.answers.clear();
    ap.mode = () => 'lose';
    const taken = await network.wait('the hand-over', () => [...ap.transactions.values()][0], 10_000);
    const { ledger } = core.administration;
    await until('the end of the try', async () => !(await isHandingOver(ledger)));
    // As if the core had ended before it could write down that the look-up had succeeded.
    await forgetFound(ledger);
    network.answers.set(dnsNameOf(BUYER, ZONE), undefined);
    await core.restart();
    network.clock.advance(HOUR);
    taken.status = 'sent';
    await reaches(integrationId, 'sent', 10_000);
    expect(ap.submissions).toHaveLength(1);
  });

  it('an overwrite is a transmission of its own; what waited of the earlier version goes nowhere', async () => {
    ap.mode = () => 401;
    const { integrationId } = (await send()).json.data;
    await network.wait('a try', () => ap.submissions.length > 0);
    ap.mode = () => 'fail';
    await send({ note: 'corrected' }, '?overwrite=true');
    await network.wait('the hand-over', () => ap.transactions.size > 0, 60_000);
    expect((await core.transmissions())[0]).toMatchObject({ state: 'replaced', nextAttemptAt: null });
    const [[instanceId, taken] = ['', null]] = ap.transactions;
    expect([ap.transactions.size, taken?.envelope.includes('corrected')]).toEqual([1, true]);
    expect(instanceId).not.toBe(ap.submissions[0]);
    expect(await core.log(integrationId)).toEqual(['1 queued', '2 queued']);
  });

  it('nor does what waited when the receiver has become an account of this core, which gets the later version', async () => {
    ap.mode = () => 401;
    const { integrationId } = (await send()).json.data;
    await network.wait('a try', () => ap.submissions.length > 0);
    await addAccount(core.administration, { accountRegNo: 'moved-in', name: 'Buyer', participants: [BUYER] });
    await send({ note: 'corrected' }, '?overwrite=true');
    ap.mode = () => 'fail';
    expect(await core.transmissions()).toMatchObject([{ state: 'replaced', nextAttemptAt: null }]);
    network.clock.advance(HOUR);
    expect(ap.transactions.size).toBe(0);
    expect(await core.log(integrationId)).toEqual(['1 queued', '2 queued', '2 sent', '2 delivered']);
  });

  it('what becomes of an earlier version that was handed over is not told of the one that replaced it', async () => {
    const { integrationId } = (await send()).json.data;
    const first = await network.wait('the hand-over', () => [...ap.transactions.values()][0]);
    await send({ note: 'corrected' }, '?overwrite=true');
    const second = await network.wait('the second', () => [...ap.transactions.values()][1]);
    Object.assign(first, { status: 'permanently_failed', errorDetails: 'too late' });
    for (let asked = 0; asked < 8; asked++) {
      network.clock.advance(HOUR);
      await network.wait('a question', () => true);
    }
    second.status = 'sent';
    await reaches(integrationId, 'sent', HOUR);
    expect(await core.log(integrationId)).toEqual(['1 queued', '2 queued', '2 sent']);
  });

  it('a document of 2.3 and a PINT profile are told as what they are', async () => {
    network.smp.participants.set(BUYER, [
      {
        documentType:
          'busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:OrderChange-2::OrderChange##urn:fdc:peppol.eu:poacc:trns:order_change:3::2.3',
        processes: ['urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3'],
      },
    ]);
    const { status } = await core.call('/transaction/seller/order-changes/outgoing', { body: documentOf('OrderChange') });
    expect(status).toBe(200);
    await network.wait('the hand-over', () => ap.submissions.length > 0);
    expect([...ap.transactions.values()][0]?.envelope).toContain('<TypeVersion>2.3</TypeVersion>');
  });
});
