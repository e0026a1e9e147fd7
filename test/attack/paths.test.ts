// Paths that mean to leave the home, in every place where a request names one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { REQUESTS } from '#gateway/sftp/protocol/requests.ts';
import { connect } from '../support/sftp-clients.ts';
import { RawSftp, type Reply } from '../support/sftp-raw.ts';
import { ACCOUNT, startTestServer, type TestServer } from '../support/sftp-server.ts';
import { amount } from './amounts.ts';

const SECRET = 'nobody may read this';
const [STATUS, HANDLE, DATA] = [101, 102, 103];
const READ = 5;
const CLOSE = 4;

const STEPS = [
  '..',
  '.',
  '',
  '/',
  'inbox',
  'outbox',
  'secret',
  '..%2f',
  '..\\',
  '\\',
  '.staged',
  'tmp',
  'keys',
  'proc',
  'self',
  'fd',
  'a'.repeat(256),
  'x\0y',
  '\xff',
  'CON',
  'nul.xml',
  '~',
  '$HOME',
  '*',
  '\u2025',
  'b.xml',
];
const BY_HAND = [
  '/../../../../../../../../etc/passwd',
  '/etc/passwd',
  '/proc/self/environ',
  '/proc/self/fd/0',
  '//outbox//../../secret',
  '/outbox/../../../secret',
  '/outbox/..\\..\\secret',
  '/outbox/link/secret',
  '/outbox/%2e%2e/%2e%2e/secret',
  '/outbox/..%00/secret',
  '/outbox/\xc0\xae\xc0\xae/secret',
  'C:\\secret',
  '\\\\host\\share\\secret',
  '../'.repeat(4_000),
  'a/'.repeat(4_000),
];

let server: TestServer;
let client: Awaited<ReturnType<typeof connect>>;
let sftp: RawSftp;

beforeEach(async () => {
  server = await startTestServer({ settings: { handlesMax: 1_000 } });
  writeFileSync(join(server.data, 'secret'), SECRET);
  client = await connect(server);
  sftp = await RawSftp.open(client);
});
afterEach(async () => {
  client.end();
  await server[Symbol.asyncDispose]();
});

function paths(count: number): string[] {
  const mixed = Array.from({ length: count }, (_, n) =>
    [n, n / 7, n / 31, n / 127].map((at) => STEPS[Math.floor(at) % STEPS.length]).join('/'),
  );
  return [...BY_HAND, ...mixed];
}

it('lead nowhere, by none of the requests', async () => {
  const outside = (): string[] => readdirSync(server.data).sort();
  const before = outside();
  const kinds = Object.values(REQUESTS).filter(({ aim }) => aim === 'path');
  const tried = paths(amount(500, 5_000));
  expect(tried.length).toBeGreaterThanOrEqual(500);
  for (const path of tried) {
    server.place('outbox', 'b.xml', 'x');
    for (const { type } of kinds) {
      const head = typeof type === 'number' ? [] : [string(type)];
      const number = typeof type === 'number' ? type : 200;
      const asked = [
        // As OPEN for reading, and as whatever else a number behind the path means.
        sftp.ask(number, ...head, string(path), uint32(1), uint32(0)),
        // As the source and the target of a rename or a link.
        sftp.ask(number, ...head, string(path), string('/inbox/target.xml')),
        sftp.ask(number, ...head, string('/outbox/b.xml'), string(path)),
      ];
      for (const reply of await Promise.all(asked)) await mustBeHarmless(reply);
    }
  }
  expect(outside()).toEqual(before);
  expect(readFileSync(join(server.data, 'secret'), 'utf8')).toBe(SECRET);
  expect(readdirSync(join(server.data, 'homes'))).toEqual([ACCOUNT]);
  expect(server.committed().some(({ content }) => content.includes(SECRET))).toBe(false);
});

async function mustBeHarmless({ type, fields }: Reply): Promise<void> {
  if (type === STATUS || type !== HANDLE) return;
  const handle = fields.bytes();
  const read = await sftp.ask(READ, string(handle), uint32(0), uint32(0), uint32(1_000));
  if (read.type === DATA) expect(read.fields.bytes().includes(SECRET)).toBe(false);
  await sftp.ask(CLOSE, string(handle));
}
