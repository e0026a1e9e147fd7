// Two companies exchange documents by two real access points: every family both ways, documents that are turned away, and kills of all four
// programs. What came of it is written into docs/network.md by a run of the whole (`npm run test:network -- --long`).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAMILY_NAMES } from '#domain/family.ts';
import { amountOf, isWhole } from '../support/amounts.ts';
import { documentOf } from '../support/documents.ts';
import { needed } from '../support/needed.ts';
import { until } from '../support/until.ts';
import { brokenDocuments, haveBroken } from './broken.ts';
import { type Companies, type Company, contentOf, startCompanies } from './companies.ts';
import { findInstalled } from './installed.ts';
import { endsOf, isTurnedAway, KILLS, type Kill, killAt, namedKill, restart } from './kills.ts';
import { TOKEN } from './real-network.ts';
import { Transcript } from './transcript.ts';

const WITHIN_MS = 300_000;
/** An access point that is killed may forget to answer. */
const ANSWERS_MS = 60_000;
const installed = findInstalled();
const WAYS = [
  ['seller', 'buyer'],
  ['buyer', 'seller'],
] as const;

describe.skipIf(!installed)('Two companies behind phoss-ap', () => {
  let companies: Companies;
  let transcript: Transcript;
  beforeAll(async () => {
    if (!installed) return;
    companies = await startCompanies(installed);
    transcript = new Transcript(installed, companies.network.postgres.version);
  });
  afterAll(async () => {
    process.stdout.write(`${transcript?.text() ?? ''}\n`);
    if (isWhole && transcript?.isWhole()) transcript.record();
    await companies?.[Symbol.asyncDispose]();
  });
  const stage = (company: Company, file: string, wanted: string): Promise<unknown> =>
    until(`${file}: ${wanted}, and not only ${company.stages(file)}`, () => company.stages(file).includes(wanted), WITHIN_MS);
  const copiesOf = ({ received }: Company, document: Uint8Array): number => {
    const content = contentOf(document);
    return received().filter((each) => each === content).length;
  };

  it('exchange every family, both ways, and hear that it was delivered', async () => {
    const sent = WAYS.flatMap(([from, to]) =>
      FAMILY_NAMES.map((family) => {
        const [sender, receiver] = [companies[from], companies[to]];
        const document = documentOf(family, { id: `${family}-${from}`, sender: sender.participant, receiver: receiver.participant });
        return { family, from, sender, receiver, document, file: `${family}-${from}.xml` };
      }),
    );
    for (const { sender, file, document } of sent) sender.send(file, document);
    for (const { family, from, sender, receiver, document, file } of sent) {
      await stage(sender, file, 'delivered');
      // Who is told of the end before he has asked is told of no step on the way.
      expect(sender.stages(file).filter((each) => each !== 'sent')).toEqual(['accepted', 'delivered']);
      expect({ file, copies: copiesOf(receiver, document) }).toEqual({ file, copies: 1 });
      transcript.delivered(family, from);
    }
  });

  const broken = needed('official cases', haveBroken, 'lay shared/conformance beside the repository')
    ? brokenDocuments(amountOf('DROPGATE_REAL_BROKEN'))
    : [];
  it.skipIf(broken.length === 0)('tell the sender of what was turned away, and why', async () => {
    const { seller, buyer } = companies;
    // As a sender who has not judged it: his own Dropgate would refuse it at once.
    const set = await seller.daemon.cli(['account', 'set', 'seller', '--validation', 'warn']);
    expect(set).toMatchObject({ status: 0 });
    const before = buyer.received().length;
    for (const { id, document } of broken) seller.send(`${id}.xml`, document);
    for (const { id, rules } of broken) {
      const receipt = await seller.daemon.receipt('seller', `${id}.xml`, 'rejected', WITHIN_MS);
      const told = JSON.stringify(receipt.findings);
      expect({ id, missing: rules.filter((rule) => !told.includes(rule)) }).toEqual({ id, missing: [] });
      transcript.turnedAway(receipt.findings?.length ?? 0);
    }
    expect(buyer.received()).toHaveLength(before);
    expect((await seller.daemon.cli(['account', 'set', 'seller', '--validation', 'strict'])).status).toBe(0);
  });

  const kills = spread(KILLS, amountOf('DROPGATE_REAL_KILLS'));
  it('lose nothing and get nothing twice, whoever is killed at whatever request', async () => {
    const { seller, buyer } = companies;
    const sent: { kill: Kill; file: string; document: Uint8Array }[] = [];
    for (const kill of kills) {
      const file = `kill-${sent.length}.xml`;
      const document = documentOf('Invoice', { id: `KILL-${sent.length}` });
      const killed = killAt(companies, kill);
      seller.send(file, document);
      await killed;
      await restart(companies, kill);
      sent.push({ kill, file, document });
      transcript.killed(kill.victim);
      const isThere = (each: string): boolean => endsOf(kill).includes(each);
      await until(`an end of ${file} (${namedKill(kill)})`, () => seller.stages(file).some(isThere), WITHIN_MS);
    }
    const hasEnd = ({ file, kill }: (typeof sent)[number]): boolean => isTurnedAway(kill) || seller.stages(file).includes('delivered');
    await until('the answers to all', () => sent.every(hasEnd), ANSWERS_MS).catch(() => undefined);
    for (const { kill, file, document } of sent) {
      const [stages, what] = [seller.stages(file), namedKill(kill)];
      const copies = isTurnedAway(kill) ? 0 : 1;
      expect({ what, copies: copiesOf(buyer, document), stages }).toEqual({ what, copies, stages: [...new Set(stages)] });
      const other = stages.filter((each) => each !== 'accepted' && each !== 'sent' && !endsOf(kill).includes(each));
      expect({ what, other }).toEqual({ what, other: [] });
      transcript.survived(what, isTurnedAway(kill) ? 'turned away' : stages.includes('delivered') ? 'delivered' : 'sent');
    }
  });

  it('leave no receiver’s country unknown', async () => {
    for (const { accessPoint } of [companies.seller, companies.buyer]) {
      const response = await fetch(`${accessPoint.url}/api/inbound/missing-c4-country-code`, { headers: { 'x-token': TOKEN } });
      expect(await response.json()).toEqual([]);
    }
    transcript.countriesKnown();
  });
});

/** So many, over all of them. */
function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]).filter((item) => item !== undefined);
}
