// Two companies, each with a daemon that was started from its configuration file, as docs/network.md has it. They find each other only by
// DNS and an SMP; between them is an access point, by HTTP or by folders, that is down at times; and the daemons are killed in between.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { parse } from 'yaml';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { AP_TOKEN, carryFolders, instanceIdIn, putEnvelope, receiverIn, startHttpAccessPoint } from '../support/access-point.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { checkBySchema, textAt } from '../support/libxml.ts';
import { startNameServer } from '../support/name-server.ts';
import { INVOICES, naptr, ZONE } from '../support/network.ts';
import { answerDocument, envelopeOf, MLS } from '../support/network-answers.ts';
import { have, openSsh, run } from '../support/sftp-clients.ts';
import { smpSigner, startSmp } from '../support/smp.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 600_000;
const PROVIDER = '0242:000123';
const DOCS = readFileSync(resolve(import.meta.dirname, '../../docs/network.md'), 'utf8');
const SCHEMA = resolve(import.meta.dirname, '../fixtures/sbdh.xsd');

type Network = Readonly<Record<string, unknown>>;
type Account = 'seller' | 'buyer';

/** The settings that the documentation shows for a kind of access point. */
function shownFor(kind: 'http' | 'folder'): Network {
  const blocks = [...DOCS.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text).core?.network ?? {});
  const found = blocks.find(({ accessPoint }) => accessPoint === kind);
  if (!found) throw new Error(`docs/network.md shows no access point by ${kind}`);
  return found;
}

interface Between {
  /** What a core must know of it, laid over what the documentation shows. */
  settingsOf(account: Account): Network;
  /** It can take nothing, and does nothing. */
  down(): Promise<void>;
  /** It takes what it is given, though whoever gives the first may wait for the answer for ever, and brings nothing yet. */
  up(): Promise<void>;
  /** Envelopes that it was given, in order. */
  given(): string[];
  /** How often it was given one. */
  times(): number;
  /** Brings everything to the daemons of the receivers; may be done again. */
  carry(): Promise<void>;
  /** Brings an envelope from elsewhere. */
  bring(to: Account, name: string, envelope: Uint8Array): Promise<void>;
}

type Finally = TestContext['onTestFinished'];

interface Sides {
  readonly root: string;
  readonly onTestFinished: Finally;
  daemon(account: Account): TestDaemon;
}

const ACCOUNT_OF = new Map<string, Account>([
  [SELLER, 'seller'],
  [BUYER, 'buyer'],
]);

async function betweenByHttp({ root, daemon, onTestFinished }: Sides): Promise<Between> {
  const ap = await startHttpAccessPoint();
  onTestFinished(() => ap[Symbol.asyncDispose]());
  const token = join(root, 'access-point.token');
  writeFileSync(token, `${AP_TOKEN}\n`);
  const bring: Between['bring'] = async (to, name, envelope) => {
    const file = join(root, name);
    writeFileSync(file, envelope);
    // The command of docs/network.md.
    const headers = ['-H', `X-Token: ${AP_TOKEN}`, '-H', 'Content-Type: application/xml'];
    const url = `${daemon(to).coreUrl}/access-point/incoming`;
    const { status, out } = await run('curl', [...headers, '--data-binary', `@${file}`, '-sS', '--fail-with-body', url]);
    expect({ status, out }).toMatchObject({ status: 0 });
  };
  return {
    settingsOf: () => ({ url: ap.url, token }),
    down: () => ap.stop(),
    async up() {
      ap.mode = () => (ap.submissions.length === 1 ? 'hang' : 'fail');
      await ap.start();
    },
    given: () => [...ap.transactions.values()].map(({ envelope }) => envelope),
    times: () => ap.submissions.length,
    async carry() {
      for (const [instanceId, transaction] of ap.transactions) {
        const to = ACCOUNT_OF.get(receiverIn(transaction.envelope));
        if (to) await bring(to, `${instanceId}.xml`, Buffer.from(transaction.envelope));
        transaction.status = 'sent';
      }
    },
    bring,
  };
}

async function betweenByFolder({ root }: Sides): Promise<Between> {
  const folderOf = (account: Account): string => join(root, account);
  for (const account of ['seller', 'buyer'] as const) mkdirSync(folderOf(account));
  const out = join(folderOf('seller'), 'out');
  const envelopesIn = (folder: string): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.xml'))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  const given = new Map<string, string>();
  let times = 0;
  const folders = new Map([...ACCOUNT_OF].map(([participant, account]) => [participant, folderOf(account)]));
  return {
    settingsOf: (account) => ({ folder: folderOf(account) }),
    // Nobody looks into the folder.
    down: async () => undefined,
    up: async () => undefined,
    given() {
      for (const envelope of envelopesIn(out)) given.set(instanceIdIn(envelope), envelope);
      return [...given.values()];
    },
    times: () => times,
    async carry() {
      times += carryFolders(folderOf('seller'), folders);
      for (const [instanceId, envelope] of given) putEnvelope(folderOf('buyer'), `${instanceId}.again.xml`, envelope);
    },
    bring: async (to, name, envelope) => putEnvelope(folderOf(to), name, envelope),
  };
}

/** Both companies are registered, and may reach each other on this machine; all else is as the documentation shows it. */
async function startSides(
  kind: 'http' | 'folder',
  between: (sides: Sides) => Promise<Between>,
  onTestFinished: Finally,
): Promise<Sides & { between: Between }> {
  const root = mkdtempSync(join(tmpdir(), 'dropgate-network-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const smp = await startSmp();
  for (const participant of [SELLER, BUYER]) smp.participants.set(participant, [INVOICES]);
  const names = new Set([SELLER, BUYER].map((participant) => dnsNameOf(participant, ZONE)));
  const dns = await startNameServer(
    () => undefined,
    (name) => (names.has(name) ? [naptr(smp.url)] : undefined),
  );
  onTestFinished(async () => {
    await smp[Symbol.asyncDispose]();
    await dns[Symbol.asyncDispose]();
  });
  const smpAuthorities = join(root, 'peppol-smp.pem');
  writeFileSync(smpAuthorities, smpSigner().authority);
  const daemons = new Map<Account, TestDaemon>();
  const daemon = (account: Account): TestDaemon => daemons.get(account) ?? expect.unreachable(`${account} has not started`);
  const sides = { root, daemon, onTestFinished };
  const carrier = await between(sides);
  for (const [participant, account] of ACCOUNT_OF) {
    const network = { ...shownFor(kind), ...carrier.settingsOf(account), smpAuthorities, sml: ZONE };
    const started = await startDaemon({
      accounts: [{ accountRegNo: account, participants: [participant], login: 'erp' }],
      config: { core: { network }, outbound: { allow: ['127.0.0.0/8'], dns: [dns.address] } },
    });
    onTestFinished(() => started[Symbol.asyncDispose]());
    daemons.set(account, started);
    expect((await started.cli(['check-config'])).status).toBe(0);
  }
  return { ...sides, between: carrier };
}

/** By its own parser libxml2 says what an envelope is like. */
function checkedByLibxml(envelope: string): Record<string, string> {
  checkBySchema(envelope, SCHEMA);
  const at = (path: string): string => textAt(envelope, `/StandardBusinessDocument/StandardBusinessDocumentHeader/${path}`);
  return { sender: at('Sender/Identifier'), receiver: at('Receiver/Identifier'), type: at('DocumentIdentification/Type') };
}

const withoutDeclaration = (text: string): string => text.replace(/^<\?xml.*\?>\s*/, '').trim();

describe.skipIf(![have('sftp'), have('curl')].every(Boolean))('From one ERP to another', () => {
  // Side by side: most of the time goes by between tries.
  it.concurrent.for([
    ['http', betweenByHttp],
    ['folder', betweenByFolder],
  ] as const)('S005 S006 by an access point behind %s, through an outage and kills', async ([kind, open], { onTestFinished }) => {
    const began = performance.now();
    const { root, daemon, between } = await startSides(kind, open, onTestFinished);
    const [seller, buyer] = [daemon('seller'), daemon('buyer')];
    const local = (name: string): string => join(root, name);
    const sftp = async (side: TestDaemon, command: string): Promise<string> => {
      const { status, out, err } = await openSsh(side, [command], ['-b', '-']);
      expect({ command, status, err }).toMatchObject({ status: 0 });
      return out;
    };
    const upload = async (name: string, document: Uint8Array): Promise<void> => {
      writeFileSync(local(name), document);
      await sftp(seller, `put ${local(name)} inbox/${name}`);
      await seller.receipt('seller', name, 'accepted', WITHIN_MS);
    };

    // The access point is down: the document is taken all the same, and waits.
    await between.down();
    const march = invoice({ id: 'MARCH' });
    await upload('march.xml', march);
    if (kind === 'http') await until('a try in vain', () => seller.facts().some(({ event }) => event === 'network.postponed'), WITHIN_MS);
    // It is back; and the seller's daemon ends in the middle of the hand-over, before anybody has told it that it succeeded.
    await between.up();
    await until('the hand-over', () => between.given().length === 1, WITHIN_MS);
    await seller.kill();
    await seller.start();

    // The receiver's daemon ends, too, before the access point has heard that it took the document: it comes again.
    await between.carry();
    await buyer.kill();
    await buyer.start();
    await between.carry();
    const name = await until('the document in the outbox', () => buyer.files('buyer', 'outbox')[0], WITHIN_MS);
    await sftp(buyer, `get outbox/${name} ${local('taken.xml')}`);
    expect(withoutDeclaration(readFileSync(local('taken.xml'), 'utf8'))).toBe(withoutDeclaration(Buffer.from(march).toString()));
    await seller.receipt('seller', 'march.xml', 'sent', WITHIN_MS);

    const [first = ''] = between.given();
    expect(checkedByLibxml(first)).toEqual({ sender: SELLER, receiver: BUYER, type: 'Invoice' });

    // The receiver's side says yes; and no to another one.
    const answer = (reference: string, code: string, reason?: string): Uint8Array =>
      envelopeOf(answerDocument({ customization: MLS, code, reference, ...(reason && { reason }) }), {
        instanceId: `answer to ${reference}`,
        sender: PROVIDER,
        receiver: SELLER,
      });
    await between.bring('seller', 'answer-1.xml', answer(instanceIdIn(first), 'AP'));
    expect(await seller.receipt('seller', 'march.xml', 'delivered', WITHIN_MS)).toMatchObject({ action: 'none' });
    await upload('april.xml', invoice({ id: 'APRIL' }));
    const second = await until('the second hand-over', () => between.given()[1], WITHIN_MS);
    await between.carry();
    await seller.receipt('seller', 'april.xml', 'sent', WITHIN_MS);
    await between.bring('seller', 'answer-2.xml', answer(instanceIdIn(second), 'RE', 'BR-CO-15 is broken'));
    const rejected = await seller.receipt('seller', 'april.xml', 'rejected', WITHIN_MS);
    expect(rejected).toMatchObject({ action: 'fix', message: expect.stringContaining('BR-CO-15 is broken') });

    // Nothing came twice, and nothing is missing.
    const stagesOf = async (file: string): Promise<string[]> =>
      [...(await sftp(seller, 'ls -1 receipts')).matchAll(/receipts\/(\S+)\.\w+\.(\w+)\.json/g)]
        .flatMap(([, of, stage = '']) => (of === file ? stage : []))
        .sort();
    expect(await stagesOf('march.xml')).toEqual(['accepted', 'delivered', 'sent']);
    expect(await stagesOf('april.xml')).toEqual(['accepted', 'rejected', 'sent']);
    await until('both documents in the outbox', () => buyer.files('buyer', 'outbox').length === 2, WITHIN_MS);
    expect({ envelopes: between.given().length, times: between.times() }).toEqual({ envelopes: 2, times: 2 });
    const listed = await seller.cli(['transmission', 'list', '--state', 'done', '--json']);
    const transmissions = listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(transmissions.map(({ documentId, status }) => `${documentId} ${status}`).sort()).toEqual(['APRIL rejected', 'MARCH delivered']);
    expect(transmissions.find(({ documentId }) => documentId === 'APRIL')).toMatchObject({ reason: 'BR-CO-15 is broken' });
    process.stdout.write(`NETWORK by ${kind}: 2 documents, 6 receipts, 2 kills, ${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
  });
});
