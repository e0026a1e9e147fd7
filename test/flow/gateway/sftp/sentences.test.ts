// No refusal is a bare code: whatever is asked in vain is answered with a sentence.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { REQUESTS, type RequestName } from '#gateway/sftp/protocol/requests.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

let server: TestServer;
let raw: RawSftp;
beforeAll(async () => {
  server = await startTestServer();
  raw = await RawSftp.open(await connect(server));
});
afterAll(() => server[Symbol.asyncDispose]());

const EXTENDED = 200;
const STATUS = 101;
/** Answered whatever they name, or without naming anything. */
const NEVER_REFUSED: ReadonlySet<RequestName> = new Set(['init', 'realpath', 'expandPath', 'statvfs', 'limits']);
const NAMES = Object.entries(REQUESTS).flatMap(([name, { type, aim }]) => (isRefused(name) ? [{ name, type, aim }] : []));

function isRefused(name: string): boolean {
  return ![...NEVER_REFUSED].some((each) => each === name);
}

it.each(NAMES)('$name of nothing', async ({ type, aim }) => {
  // Two paths, for RENAME; what a request does not read is left.
  const subject =
    aim === 'handle' ? [string('nothing'), uint64(0), uint32(1)] : [string('/nowhere/at/all'), string('/nor/there'), uint32(0)];
  const reply = typeof type === 'number' ? raw.ask(type, ...subject) : raw.ask(EXTENDED, string(type), ...subject);
  const { type: kind, fields } = await reply;
  expect(kind).toBe(STATUS);
  expect(fields.uint32()).not.toBe(0);
  expect(fields.bytes().toString()).toMatch(/^[a-z'].{10,}/);
});

it.each([
  ['a request that nobody knows', 77, []],
  ['an extension that nobody knows', EXTENDED, [string('copy-data')]],
  ['a packet that ends too early', 3, []],
])('%s', async (_what, type, fields) => {
  const reply = await raw.ask(type, ...fields);
  expect([reply.type, reply.fields.uint32() > 0]).toEqual([STATUS, true]);
  expect(reply.fields.bytes().toString()).toMatch(/^[a-z'].{10,}/);
});
