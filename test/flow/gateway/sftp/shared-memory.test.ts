// Packets and reads of all connections share memory that is used again: what one sends must never show up in what another sends or gets.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Intake } from '#gateway/model/intake.ts';
import { LONG_MS } from '../../../support/patience.ts';
import { have, openSsh } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

/** Keys are exchanged anew in the middle, and pieces end anywhere. */
const WAYS: readonly (readonly string[])[] = [
  ['-o', 'RekeyLimit=300K'],
  ['-B', '7001', '-R', '3'],
  ['-B', '60000', '-o', 'RekeyLimit=1M'],
  ['-o', 'Ciphers=aes256-ctr'],
  ['-o', 'Ciphers=aes256-gcm@openssh.com', '-o', 'RekeyLimit=500K'],
  ['-o', 'Ciphers=chacha20-poly1305@openssh.com,aes128-ctr', '-B', '12345'],
];
const FILE_BYTES = 3_000_000;

let server: TestServer;
let local: string;
beforeEach(async () => {
  local = mkdtempSync(join(tmpdir(), 'dropgate-memory-'));
  server = await startTestServer({ settings: { unauthenticatedPerAddressMax: 100 }, wrap: slow });
});
afterEach(async () => {
  rmSync(local, { recursive: true });
  await server[Symbol.asyncDispose]();
});

/** Opening takes some turns, so that what the client sends behind it has to wait. */
function slow(intake: Intake): Pick<Intake, 'open'> {
  return {
    async open(request) {
      for (let turn = 0; turn < 50; turn++) await new Promise((next) => setImmediate(next));
      return intake.open(request);
    },
  };
}

/** Bytes that look like nothing else, in a size that fits no packet. */
function contentOf(way: number): Buffer {
  const seed = createHash('sha256').update(`way ${way}`).digest();
  return Buffer.from(Array.from({ length: FILE_BYTES + way * 997 }, (_, at) => (seed[at % 32] ?? 0) ^ ((at >> 8) & 0xff)));
}

it.runIf(have('sftp'))('six clients at once put and get their own bytes', { timeout: LONG_MS }, async () => {
  const contents = WAYS.map((_, way) => contentOf(way));
  for (const [way, content] of contents.entries()) {
    writeFileSync(join(local, `${way}.xml`), content);
    server.place('outbox', `${way}.xml`, content);
  }
  const ran = await Promise.all(
    WAYS.map((options, way) =>
      openSsh(
        server,
        [`put ${join(local, `${way}.xml`)} inbox/${way}.xml`, `get outbox/${way}.xml ${join(local, `got-${way}`)}`],
        [...options, '-b', '-'],
      ),
    ),
  );
  expect(ran.map(({ status, err }) => [status, err])).toEqual(WAYS.map(() => [0, expect.anything()]));
  for (const [way, content] of contents.entries()) {
    expect(
      server
        .committed()
        .find(({ name }) => name === `${way}.xml`)
        ?.content.equals(content),
      `put ${way}`,
    ).toBe(true);
    expect(readFileSync(join(local, `got-${way}`)).equals(content), `got ${way}`).toBe(true);
  }
});
