// The verification of an access point under what it passes on: envelopes that are made to cost, long ones, slow ones, many at once, while SFTP
// clients work in the same daemon.
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { AP_TOKEN } from '../support/access-point.ts';
import { type Answer, request } from '../support/core.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { BUYER, invoice, invoiceOfSize, SELLER } from '../support/documents.ts';
import { envelopeOf } from '../support/network-answers.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { amount } from './amounts.ts';

const AT_ONCE = amount(3, 12);
const SLOW = amount(200, 2_000);
const BODY_MAX = 20 * 2 ** 20;
/** The heads of requests, an envelope around the document, what is cut from it. */
const FILLED = BODY_MAX - 8_192;
/** MemoryMax of the unit. */
const MEMORY_MIB_MAX = 3 * 1024;
const PATH = '/api/dd_and_validate/';

let daemon: TestDaemon;
beforeEach(async () => {
  const network = { kind: 'peppol', country: 'SE', accessPoint: 'http', url: 'http://127.0.0.1:9', token: { env: 'TOKEN' } };
  daemon = await startDaemon({ accounts: SELLER_AND_BUYER, config: { core: { network } }, env: { TOKEN: AP_TOKEN } });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
});

const wrapped = (document: Uint8Array): Uint8Array =>
  envelopeOf(document, { instanceId: '7f0a6b7e-0000-4000-8000-000000000001', sender: BUYER, receiver: SELLER });
const GOOD = wrapped(invoice({ sender: BUYER, receiver: SELLER }));
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

const verify = (body: Uint8Array): Promise<Answer> => request(daemon.coreUrl + PATH, { body, headers: { 'x-token': AP_TOKEN } });
const verdictOf = ({ status, json }: Answer): string => `${status} ${json?.success}`;

/** A document that begins as an invoice does, with this within its root or in place of its end. */
const inRoot = (content: string): Uint8Array =>
  wrapped(bytes(text(invoice({ sender: BUYER, receiver: SELLER })).replace('</Invoice>', `${content}</Invoice>`)));
const filled = (piece: string, around = ''): string => piece.repeat(Math.floor((FILLED - around.length) / piece.length));
const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
const before = (prolog: string): Uint8Array =>
  bytes(
    text(GOOD)
      .replace(/<\?xml[^>]*\?>\s*/, '')
      .replace(/^/, prolog),
  );

const BOMBS: readonly (readonly [string, () => Uint8Array])[] = [
  ['entities in entities', () => before(`<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>`)],
  ['an entity of a file', () => before('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>')],
  ['entities within the document', () => inRoot(`<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]><cbc:Note>&l9;</cbc:Note>`)],
  ['elements inside each other', () => inRoot(filled('<a>'))],
  ['elements beside each other', () => inRoot(filled('<a/>'))],
  ['attributes of one element', () => inRoot(`<a ${Array.from({ length: 900_000 }, (_, at) => `a${at}=""`).join(' ')}/>`)],
  ['attributes of many', () => inRoot(filled('<a b="" c="" d=""/>'))],
  ['namespaces', () => inRoot(`<a ${Array.from({ length: 500_000 }, (_, at) => `xmlns:a${at}="u"`).join(' ')}/>`)],
  ['one text', () => inRoot(`<cbc:Note>${filled('x')}</cbc:Note>`)],
  ['references', () => inRoot(`<cbc:Note>${filled('&lt;')}</cbc:Note>`)],
  ['comments', () => inRoot(filled('<!---->'))],
  ['sections', () => inRoot(filled('<![CDATA[]]>'))],
  [
    'elements around the document',
    () => bytes(text(GOOD).replace('<StandardBusinessDocumentHeader>', `${filled('<a/>', text(GOOD))}<StandardBusinessDocumentHeader>`)),
  ],
  ['a name', () => inRoot(`<${filled('n')}/>`)],
];

interface Working {
  /** Ends it, and resolves with the longest that a transfer took. */
  end(): Promise<number>;
}

/** An ERP that transfers one document after the other; each must be accepted. */
async function startErp(): Promise<Working> {
  const client = await connect(daemon);
  const sftp = await openSftp(client);
  let isOver = false;
  let sent = 0;
  let longestMs = 0;
  const working = (async () => {
    while (!isOver) {
      const begun = performance.now();
      const name = `/inbox/${++sent}.xml`;
      await called((done) => sftp.writeFile(name, Buffer.from(invoice({ id: `E-${sent}`, sender: SELLER, receiver: BUYER })), done));
      longestMs = Math.max(longestMs, performance.now() - begun);
    }
  })();
  return {
    async end() {
      isOver = true;
      await working;
      client.end();
      await until('the documents to be delivered', () => daemon.files('buyer', 'outbox').length === sent);
      return longestMs;
    },
  };
}

/** Of the daemon, at its most. */
function memoryMiB(): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))?.[1]) / 1024;
}

async function expectUnharmed(erp: Working): Promise<void> {
  const longestMs = await erp.end();
  process.stdout.write(`longest transfer meanwhile ${Math.round(longestMs)} ms, memory at most ${Math.round(memoryMiB())} MiB\n`);
  expect(verdictOf(await verify(GOOD))).toBe('200 true');
  expect(memoryMiB()).toBeLessThan(MEMORY_MIB_MAX);
  expect(daemon.facts().filter(({ level, event }) => level === 'error' && event !== 'network.turned-away')).toEqual([]);
  expect(daemon.complaints()).toBe('');
}

it(`refuses envelopes that are made to cost, ${AT_ONCE} of each at once`, async () => {
  const erp = await startErp();
  const took: [string, number][] = [];
  for (const [what, make] of BOMBS) {
    const bomb = make();
    const begun = performance.now();
    const verdicts = await Promise.all(Array.from({ length: AT_ONCE }, () => verify(bomb)));
    took.push([what, performance.now() - begun]);
    expect([what, ...new Set(verdicts.map(verdictOf))]).toEqual([what, '200 false']);
  }
  process.stdout.write(`${took.map(([what, ms]) => `${what}: ${Math.round(ms)} ms`).join('\n')}\n`);
  await expectUnharmed(erp);
});

it(`judges documents of 20 MB, ${AT_ONCE} at once, and refuses what is longer`, async () => {
  const erp = await startErp();
  const long = wrapped(invoiceOfSize(FILLED, { sender: BUYER, receiver: SELLER }));
  const verdicts = await Promise.all([verify(GOOD), ...Array.from({ length: AT_ONCE }, () => verify(long))]);
  expect([...new Set(verdicts.map(verdictOf))]).toEqual(['200 true']);
  expect(verdictOf(await verify(wrapped(invoiceOfSize(BODY_MAX, { sender: BUYER, receiver: SELLER }))))).toBe('400 undefined');
  await expectUnharmed(erp);
});

it(`${SLOW} bodies that come slowly keep no document waiting`, async () => {
  const erp = await startErp();
  const { port, host } = new URL(daemon.coreUrl);
  const head = `POST ${PATH} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/xml\r\nx-token: ${AP_TOKEN}\r\ncontent-length: ${GOOD.length}\r\n\r\n`;
  const slow = Array.from({ length: SLOW }, () => connectTcp(Number(port), '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of slow) socket.destroy();
  });
  for (const socket of slow) socket.write(head);
  for (let at = 0; at < 50; at++) {
    for (const socket of slow) socket.write(GOOD.subarray(at, at + 1));
    expect(verdictOf(await verify(GOOD))).toBe('200 true');
  }
  for (const socket of slow) socket.destroy();
  await expectUnharmed(erp);
});
