// Whoever lies on the way to a receiver: DNS, an SMP, an access point. A lie is no answer; nothing is lost, sent elsewhere, or kept without
// a limit.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openFolderAccessPoint } from '#core/network/folder-access-point.ts';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { type HttpAccessPoint, handOver } from '../../../support/access-point.ts';
import { manualClock } from '../../../support/clock.ts';
import { silent, type TestCore } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { BILLING_INVOICE, INVOICES, naptr, startSellerBehindHttp, type TestNetwork, ZONE } from '../../../support/network.ts';
import { answerDocument, envelopeOf, MLS } from '../../../support/network-answers.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const ID = '7f0a6b7e-0000-4000-8000-000000000001';

let network: TestNetwork;
let ap: HttpAccessPoint;
let core: TestCore;
beforeEach(async () => {
  ({ network, ap, core } = await startSellerBehindHttp());
});

const send = async (id = '1001') => core.call(OUT, { body: invoice({ id }) });
const statusOf = async (integrationId: string) =>
  (await core.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata;

describe('a lie is no answer: the document waits, and goes out when it is over', () => {
  const dns = (regexp: string) => () => network.answers.set(dnsNameOf(BUYER, ZONE), [{ ...naptr(''), regexp }]);
  const smp = (tamper: (text: string) => string) => () => (network.smp.tamper = tamper);
  const metadata = (change: Partial<typeof INVOICES> & { tells?: string; about?: string; signs?: string }) => () =>
    network.smp.participants.set(BUYER, [{ ...INVOICES, ...change }]);
  it.each([
    ['DNS tells an empty expression', dns('')],
    ['DNS tells half an expression', dns('!.*!http://smp.example')],
    ['DNS tells another scheme', dns('!.*!file:///etc/passwd!')],
    ['DNS tells user information', dns('!.*!http://user:secret@127.0.0.1/!')],
    ['DNS tells the address of metadata', dns('!.*!http://169.254.169.254/latest!')],
    ['DNS tells a mapped address', dns('!.*!http://[::ffff:10.0.0.1]:80/!')],
    ['DNS tells an address in another spelling', dns('!.*!http://0xa000001/!')],
    ['the SMP answers with two megabytes', smp((text) => text + ' '.repeat(2 * 1024 * 1024))],
    ['the SMP answers with entities', smp(() => '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">]><r>&a;</r>')],
    ['the SMP answers with a flood', smp(() => `<r>${'<a>'.repeat(300_000)}`)],
    ['the SMP answers about somebody else', smp((text) => text.replaceAll(BUYER, SELLER))],
    ['the SMP puts metadata of somebody else in the place of what was asked for', metadata({ about: SELLER })],
    ['the SMP signs a part of its answer', metadata({ signs: '#part' })],
    ['the SMP answers about another document type', metadata({ tells: BILLING_INVOICE.replaceAll('Invoice', 'CreditNote') })],
    ['the SMP redirects to metadata of a cloud', metadata({ redirect: 'http://169.254.169.254/latest/meta-data' })],
    ['the SMP redirects to where nobody is', metadata({ redirect: 'http://127.0.0.1:9/' })],
  ])('%s', async (_, lie) => {
    lie();
    expect((await send()).status).toBe(200);
    const reason = async () => (await core.transmissions())[0]?.reason;
    expect(await network.wait('a second try', reason)).not.toContain('secret');
    expect(ap.submissions).toEqual([]);
    network.answers.clear();
    network.smp.tamper = (text) => text;
    network.smp.participants.set(BUYER, [INVOICES]);
    await network.wait('the hand-over', () => ap.submissions.length === 1, 60_000);
  });
});

describe('an access point that returns rubbish', () => {
  const long = 'x'.repeat(200_000);

  it('is asked again; what it tells is kept up to a limit', async () => {
    const { integrationId } = (await send()).json.data;
    const taken = await network.wait('the hand-over', () => [...ap.transactions.values()][0]);
    for (const rubbish of [{ status: 5 }, { status: 'constructor' }, { status: 'sent', mlsStatus: {} }]) {
      Object.assign(taken, rubbish);
      for (let asked = 0; asked < 3; asked++) network.clock.advance(15 * 60_000);
    }
    expect((await statusOf(integrationId)).status).toBe('queued');
    Object.assign(taken, { status: 'permanently_failed', mlsStatus: null, errorDetails: long });
    await network.wait('the failure', async () => (await statusOf(integrationId)).status === 'failed', 60_000);
    expect((await statusOf(integrationId)).reason).toHaveLength(1_000);
    expect(ap.submissions).toHaveLength(1);
  });

  it('by result files: none that is a link, or too long, is read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-ap-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const point = openFolderAccessPoint({ clock: manualClock(), log: silent }, { folder, results: true });
    const result = join(folder, 'out', 'error', `${ID}.xml.json`);
    mkdirSync(join(folder, 'out', 'error'), { recursive: true });
    for (const put of [
      () => writeFileSync(result, JSON.stringify({ success: false, errorDetails: long + long })),
      () => writeFileSync(result, '{"success": "no"}'),
      () => symlinkSync('/proc/self/environ', result),
      () => mkdirSync(result),
    ]) {
      put();
      await expect(point.status(ID)).rejects.toMatchObject({ code: 'internal' });
      rmSync(result, { recursive: true });
    }
    writeFileSync(result, JSON.stringify({ success: false, errorDetails: long }));
    expect((await point.status(ID)).reason).toHaveLength(1_000);
  });

  it('that hands over the same answer again, or under another name, changes nothing', async () => {
    const { integrationId } = (await send()).json.data;
    const instanceId = await network.wait('the hand-over', () => ap.submissions[0]);
    const mls = (code: string, name: string) => {
      const answer = answerDocument({ customization: MLS, code, reference: instanceId });
      return handOver(core.core.url, envelopeOf(answer, { instanceId: name, sender: '0242:000123', receiver: SELLER }));
    };
    for (const name of ['one', 'one', 'two']) expect((await mls('AP', name)).status).toBe(200);
    expect((await mls('RE', 'three')).status).toBe(200);
    expect((await statusOf(integrationId)).status).toBe('delivered');
    expect(await core.log(integrationId)).toEqual(['1 queued', '1 sent', '1 delivered']);
  });
});
