// rclone wants to compare checksums, which it would have computed by commands: those are refused, and it must do without, by itself.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoiceOfSize } from '../support/documents.ts';
import { have } from '../support/sftp-clients.ts';
import type { Door } from './client.ts';
import { rclone } from './programs.ts';

let daemon: TestDaemon;
let folder: string;
let door: Door;
beforeAll(async () => {
  daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  folder = mkdtempSync(join(tmpdir(), 'dropgate-checksums-'));
  door = { port: daemon.port, knownHosts: daemon.knownHosts, fingerprint: '', login: 'erp' };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await daemon[Symbol.asyncDispose]();
});

it.skipIf(!have('rclone'))('rclone uploads with --checksum, and the receipt tells the digest of what was taken', async () => {
  const local = join(folder, 'local.xml');
  writeFileSync(local, invoiceOfSize(300_000));
  const ran = await rclone(door, 'copyto', '--checksum', '-v', local, 'remote:/inbox/a.xml');
  expect(ran.status, ran.err).toBe(0);
  expect((await daemon.receipt('seller', 'a.xml', 'accepted')).sha256).toBe(createHash('sha256').update(readFileSync(local)).digest('hex'));
});

it.skipIf(!have('rclone'))('rclone check --download compares what was fetched with what is there', async () => {
  const bytes = Buffer.from(invoiceOfSize(300_000));
  writeFileSync(join(daemon.home('seller', 'outbox'), 'a.xml'), bytes);
  const fetched = join(folder, 'fetched');
  mkdirSync(fetched);
  expect((await rclone(door, 'copy', 'remote:/outbox', fetched)).status).toBe(0);
  expect(readFileSync(join(fetched, 'a.xml')).equals(bytes)).toBe(true);
  const same = await rclone(door, 'check', '--download', fetched, 'remote:/outbox');
  expect(same.status, same.err).toBe(0);
  writeFileSync(join(fetched, 'a.xml'), Buffer.alloc(bytes.length, 'x'));
  const other = await rclone(door, 'check', '--download', fetched, 'remote:/outbox');
  expect(other.status, other.err).not.toBe(0);
  expect(other.err).toContain('1 differences found');
});
