// A program on the same machine swaps files and folders of a home for links, as fast as it can, while a client works in it.
import { closeSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { connect } from '../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../support/sftp-server.ts';
import { amount } from './amounts.ts';

const SECRET = 'nobody may read this';
const TRIES = amount(1_000, 30_000);
/** Of opening a file whose only other name comes and goes. */
const OPENINGS = amount(15_000, 300_000);
const DATA = 103;
const HANDLE = 102;

/** Runs in a thread of its own: file, link to a secret, another link to it, file; and the folder itself for a link to one with a secret. */
const FLIPPER = `
  const { linkSync, renameSync, rmSync, symlinkSync, writeFileSync, unlinkSync } = require('node:fs');
  const { workerData: { home, vault } } = require('node:worker_threads');
  const name = home + '/outbox/b.xml';
  const quietly = (act) => { try { act(); } catch {} };
  for (;;) {
    quietly(() => unlinkSync(name));
    quietly(() => symlinkSync(vault + '/b.xml', name));
    quietly(() => unlinkSync(name));
    quietly(() => linkSync(vault + '/b.xml', name));
    quietly(() => unlinkSync(name));
    quietly(() => writeFileSync(name, 'fine'));
    quietly(() => renameSync(home + '/outbox', home + '/aside'));
    quietly(() => symlinkSync(vault, home + '/outbox'));
    quietly(() => unlinkSync(home + '/outbox'));
    quietly(() => renameSync(home + '/aside', home + '/outbox'));
  }`;

/** The same for a second name of the secret alone. */
const LINKER = `
  const { linkSync, unlinkSync } = require('node:fs');
  const { workerData: { home, vault } } = require('node:worker_threads');
  const quietly = (act) => { try { act(); } catch {} };
  for (;;) {
    quietly(() => linkSync(vault + '/b.xml', home + '/outbox/b.xml'));
    quietly(() => unlinkSync(home + '/outbox/b.xml'));
  }`;

/** The same by way of another folder, with an ordinary file in its place meanwhile. */
const MOVER = `
  const { linkSync, renameSync, unlinkSync, writeFileSync } = require('node:fs');
  const { workerData: { home, vault } } = require('node:worker_threads');
  const quietly = (act) => { try { act(); } catch {} };
  for (;;) {
    quietly(() => unlinkSync(home + '/outbox/b.xml'));
    quietly(() => linkSync(vault + '/b.xml', home + '/outbox/b.xml'));
    quietly(() => renameSync(home + '/outbox/b.xml', home + '/inbox/b.xml'));
    quietly(() => writeFileSync(home + '/outbox/b.xml', 'fine'));
    quietly(() => unlinkSync(home + '/inbox/b.xml'));
  }`;

let server: TestServer;
let client: Awaited<ReturnType<typeof connect>>;
let flipper: Worker;
let vault: string;

beforeEach(async () => {
  server = await startTestServer();
  vault = join(server.data, 'vault');
  mkdirSync(vault);
  writeFileSync(join(vault, 'b.xml'), SECRET);
  server.place('outbox', 'b.xml', 'fine');
  client = await connect(server);
});

function flip(program: string): void {
  flipper = new Worker(program, { eval: true, workerData: { home: join(server.home('outbox'), '..'), vault } });
}

afterEach(async () => {
  await flipper.terminate();
  client.end();
  await server[Symbol.asyncDispose]();
});

it('is never led out of it', async () => {
  flip(FLIPPER);
  const sftp = await RawSftp.open(client);
  const seen = new Set<string>();
  for (let n = 0; n < TRIES; n++) {
    const opened = await sftp.ask(TYPE.open, string('/outbox/b.xml'), uint32(1), uint32(0));
    if (opened.type === HANDLE) {
      const handle = opened.fields.bytes();
      const read = await sftp.ask(TYPE.read, string(handle), uint32(0), uint32(0), uint32(100));
      if (read.type === DATA) seen.add(read.fields.bytes().toString());
      await sftp.close(handle);
    }
    await sftp.ask(TYPE.rename, string('/outbox/b.xml'), string('/outbox/c.xml'));
    await sftp.ask(TYPE.remove, string('/outbox/c.xml'));
  }
  expect([...seen]).toEqual(['fine']);
  expect(() => renameSync(join(vault, 'b.xml'), join(vault, 'still-there'))).not.toThrow();
});

it.each([
  { how: 'comes and goes', program: LINKER },
  { how: 'moves to another folder and goes there', program: MOVER },
])('never takes a second name of a file elsewhere for the only one: $how', async ({ program }) => {
  flip(program);
  const seen = new Set<string>();
  await inFolder(join(server.home('outbox'), '..'), ['outbox'], async (folder) => {
    for (let n = 0; n < OPENINGS; n++) {
      const opened = await folder.open('b.xml').catch(() => undefined);
      if (!opened) continue;
      seen.add(readFileSync(opened.descriptor, 'utf8'));
      closeSync(opened.descriptor);
    }
  });
  expect([...seen]).not.toContain(SECRET);
});
