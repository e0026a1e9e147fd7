// check-config asks the database of nodes what a start will ask there, and tells its refusals beforehand. It changes nothing.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { folderId } from '#gateway/disk/folder-id.ts';
import { putProcess, readProcesses } from '#gateway/ledger/hands.ts';
import { putFolderId, putNode, readFolderId } from '#gateway/ledger/nodes.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { placeOf } from '#gateway/spool/hands.ts';
import { systemRandom } from '#runtime/clock.ts';
import { lockNode } from '#runtime/files/lock.ts';
import { openSeal } from '#runtime/seal.ts';
import { freePort } from '../../support/free-port.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase } from '../../support/postgres.ts';
import { testSite } from '../../support/site.ts';

const LEASE_MS = 3_600_000;
const ELSEWHERE = 'other-host, data folder /shared';

const site = testSite();
const { at, run } = site;

describe.runIf(hasPostgres)('Beside nodes', () => {
  let database: PostgresDatabase;
  let ledger: Ledger;
  let port: number;

  beforeEach(async () => {
    database = await newPostgresDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    port = await freePort();
    configure('a');
    await openSeal(at('secret.key'), systemRandom);
    ledger = await openGatewayLedger(at('data'), database.place);
    onTestFinished(() => ledger.close());
    await ledger.write([], async (rows) => putFolderId(rows, await folderId(at('data'), systemRandom)));
  });

  /** A gateway of this name, or of none, on a folder; it listens where nobody does as yet. */
  function configure(node: string | null, data = 'data'): void {
    const { host, port: serverPort, user, database: name, password } = database.place;
    writeFileSync(at('password'), password ?? '');
    const url = `postgres://${user}@${host}:${serverPort}/${name}`;
    const settings = [
      ...(node === null ? [] : [`node: ${node}`]),
      `masterKey: ${at('secret.key')}`,
      `role: gateway\nsftp: {listen: "127.0.0.1:${port}"}\nadmin: {listen: off}\nservice: {url: "http://127.0.0.1:9"}`,
      `database: {url: "${url}", password: {file: ${at('password')}}}`,
    ];
    site.configure(settings.join('\n'), data);
  }

  async function lives(node: string, place = ELSEWHERE, leaseMs = LEASE_MS): Promise<void> {
    await ledger.write([], (rows) => putNode(rows, { incarnation: `OF-${node}`, node, place }, leaseMs));
  }

  /** What is wrong, by check-config, which makes and changes nothing. */
  async function problems(data = 'data'): Promise<string[]> {
    const state = async (): Promise<unknown> => [readdirSync(at(data)), await readProcesses(ledger.read), await readFolderId(ledger.read)];
    const before = await state();
    const { status, out, err } = await run('check-config');
    expect(await state()).toEqual(before);
    const found = err.split('\n').filter((line) => line.startsWith('problem: '));
    expect([status, out.endsWith('# OK')]).toEqual(found.length > 0 ? [64, false] : [0, true]);
    return found.map((line) => line.replace('problem: ', ''));
  }

  it('a gateway without a name is told to have one', async () => {
    await lives('b');
    await lives('a');
    configure(null);
    expect(await problems()).toEqual(['Nodes work on this database (a, b): give this one a name, too (node), or stop them.']);
  });

  it('a gateway without a name is well where the last node has ended', async () => {
    await lives('a', ELSEWHERE, -1);
    configure(null);
    expect(await problems()).toEqual([]);
  });

  it('a new one with the folder of all is well', async () => {
    await lives('b');
    expect(await problems()).toEqual([]);
  });

  it('a new one is told of a gateway without a name, unless that has ended and left its row', async () => {
    const incarnation = 'NAMELESS';
    await ledger.write([], (rows) => putProcess(rows, { incarnation, place: ELSEWHERE }));
    expect(await problems()).toEqual([]);
    const other = await openGatewayLedger(at('data'), database.place, { process: incarnation });
    onTestFinished(() => other.close());
    expect(await problems()).toEqual([
      `Another dropgate (${ELSEWHERE}) works on this database without a name: stop it, or give it one, too (node).`,
    ]);
  });

  it('one with another data folder is told whose it should have', async () => {
    await lives('b');
    configure('a', 'other');
    expect(await problems('other')).toEqual([
      `Node b (${ELSEWHERE}) works on another data folder than ${at('other')}. All nodes need one and the same, on a file system that they share (data): mount it.`,
    ]);
  });

  it('one that has mounted nothing is told so, though all nodes are stopped', async () => {
    configure('a', 'mountpoint');
    expect(await problems('mountpoint')).toEqual([
      expect.stringContaining(`The nodes of this database worked on another data folder than ${at('mountpoint')}. All nodes need`),
    ]);
    mkdirSync(at('restored'));
    await folderId(at('restored'), systemRandom);
    configure('a', 'restored');
    expect(await problems('restored')).toEqual([expect.stringContaining('run dropgate recover --restored')]);
  });

  it('one with the name of another is told to have its own, and not that its daemon does not answer', async () => {
    const taken = (place: string): string => `Node a lives already (${place}): stop it, or give this one another name (node).`;
    await lives('a');
    expect(await problems()).toEqual([taken(ELSEWHERE)]);
    // The lock of the name, on the shared folder, is that of the other machine.
    using _lock = await lockNode(at('data'), 'a', () => undefined);
    expect(await problems()).toEqual([taken(ELSEWHERE)]);
    expect((await run('doctor')).out).toContain(`problem\tNo daemon runs on ${at('data')}.`);
    configure('a', 'other');
    expect(await problems('other')).toEqual([taken(ELSEWHERE)]);
  });

  it.each(['by its place', 'by its socket'])('a node is well itself while it lives, told %s', async (by) => {
    await lives('a', by === 'by its place' ? placeOf(at('data')) : 'former-name, data folder /shared');
    await lives('b');
    using _lock = await lockNode(at('data'), 'a', () => undefined);
    const servers = [
      createServer((socket) => socket.end('SSH-2.0-Dropgate\r\n')).listen(port, '127.0.0.1'),
      ...(by === 'by its socket' ? [createServer().listen(join(at('data'), 'control-a.sock'))] : []),
    ];
    for (const server of servers) onTestFinished(() => void server.close());
    expect(await problems()).toEqual([]);
    expect((await run('doctor')).out).toContain(`well\tA daemon runs on ${at('data')}.`);
  });
});
