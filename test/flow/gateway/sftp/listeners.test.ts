// Several listeners, each with its profile; the last day of profile legacy; clients behind a proxy.
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../support/clock.ts';
import { called, connect, have, openSftp, openSsh } from '../../../support/sftp-clients.ts';
import { PASSWORD, startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';
import { LISTENER } from '../../../support/sftp-settings.ts';
import { eventually } from '../../../support/until.ts';

let server: TestServer;
const start = async (options: TestOptions): Promise<void> => {
  server = await startTestServer(options);
};
const others: Disposable[] = [];
afterEach(async () => {
  for (const each of others.splice(0)) each[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

const DAY_MS = 86_400_000;
const OLD: ssh2.ConnectConfig = { algorithms: { kex: ['diffie-hellman-group14-sha1'] } };
const event = (name: string) => server.facts.filter((fact) => fact.event === name);

/** 'in', or why not. */
async function login(port: number, config: ssh2.ConnectConfig = {}): Promise<string> {
  try {
    (await connect({ port, knownHosts: '' }, config)).end();
    return 'in';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

it('each listener has its own profile and host keys', async () => {
  await start({
    more: [
      { ...LISTENER, profile: 'legacy', legacyUntil: Date.now() + DAY_MS },
      { ...LISTENER, profile: 'strict' },
    ],
  });
  const [compat = 0, legacy = 0, strict = 0] = server.server.ports;
  expect(new Set([compat, legacy, strict]).size).toBe(3);
  expect(await login(compat)).toBe('in');
  expect(await login(legacy)).toBe('in');
  expect(await login(strict)).toContain('no matching key exchange');
  expect(await login(compat, OLD)).toContain('no matching key exchange');
  expect(await login(legacy, OLD)).toBe('in');
  expect(await login(compat, { algorithms: { serverHostKey: ['ssh-rsa'] } })).toContain('no matching');
  expect(await login(legacy, { algorithms: { serverHostKey: ['ssh-rsa'] } })).toBe('in');
});

it('takes no connections for now, on the same port again later, and keeps the sessions that are there', async () => {
  await start({});
  const { port } = server.server;
  const client = await connect({ port, knownHosts: '' });
  server.server.accept(false);
  expect(await login(port)).toContain('ECONNREFUSED');
  const sftp = await openSftp(client);
  await called<ssh2.Stats>((done) => sftp.stat('inbox', done));
  client.end();
  for (const accepts of [true, true]) server.server.accept(accepts);
  await eventually(async () => expect(await login(port)).toBe('in'));
});

it('an IPv4 client that comes through an IPv6 listener has its IPv4 address, for rules and lists, too', async () => {
  await start({
    more: [{ ...LISTENER, listen: { host: '::', port: 0 } }],
    settings: { allow: ['127.0.0.0/8'] },
    logins: [{ rules: { allow: ['127.0.0.1'] } }],
  });
  expect(await login(server.server.ports[1] ?? 0)).toBe('in');
  expect(event('sftp.login')).toMatchObject([{ address: '127.0.0.1' }]);
});

it('limits and penalties count for all listeners together', async () => {
  await start({ more: [LISTENER], settings: { exempt: false } });
  const [first = 0, second = 0] = server.server.ports;
  for (let n = 0; n < 4; n++) expect(await login(first, { password: 'wrong' })).not.toBe('in');
  expect(await login(second)).not.toBe('in');
});

describe('the last day of profile legacy', () => {
  it('when it is over the listener is compat, and whoever still needs legacy is told so', async () => {
    await start({ listener: { profile: 'legacy', legacyUntil: Date.parse('2026-04-01T00:00:00Z') } });
    expect(await login(server.port)).toBe('in');
    expect(await login(server.port, OLD)).toContain('no matching key exchange');
    await eventually(() => expect(server.rejects).toHaveLength(1));
    expect(server.rejects).toMatchObject([
      {
        reason: 'negotiation',
        explanation:
          'offers only diffie-hellman-group14-sha1 for key exchange; profile legacy allowed it until 2026-03-31: update it, or extend legacyUntil',
      },
    ]);
    expect(event('sftp.legacy-ended')).toMatchObject([{ lastDay: '2026-03-31' }]);
  });

  it('ends while the server runs', async () => {
    const clock = manualClock();
    await start({ clock, listener: { profile: 'legacy', legacyUntil: clock.now() + DAY_MS } });
    expect(await login(server.port, OLD)).toBe('in');
    clock.advance(DAY_MS);
    expect(await login(server.port, OLD)).toContain('no matching key exchange');
    expect(await login(server.port)).toBe('in');
  });

  it('is announced in the log thirty days before', async () => {
    await start({ listener: { profile: 'legacy', legacyUntil: Date.now() + 10 * DAY_MS } });
    expect(event('sftp.legacy-ends')).toHaveLength(1);
    expect(await login(server.port, OLD)).toBe('in');
    expect(event('sftp.legacy')).toMatchObject([{ login: 'erp', algorithms: ['diffie-hellman-group14-sha1'] }]);
  });
});

/** A proxy on a port of its own, which says `header` for each of its connections. */
async function proxy(header: string | Buffer): Promise<number> {
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connectSocket(server.port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    far.write(header);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  others.push({
    [Symbol.dispose]() {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  const address = relay.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const V1 = 'PROXY TCP4 192.0.2.7 203.0.113.5 54321 22\r\n';
const V2 = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000207cb007105d4310016', 'hex');
const BEHIND = { proxies: ['127.0.0.1'] } as const;

describe('behind a proxy', () => {
  it.each([
    ['version 1', V1],
    ['version 2', V2],
    ['version 1, mapped and at length', 'PROXY TCP6 0:0:0:0:0:ffff:c000:0207 ::1 54321 22\r\n'],
  ])('the client has the address that the proxy names (%s)', async (_version, header) => {
    await start({ listener: BEHIND });
    expect(await login(await proxy(header))).toBe('in');
    expect(event('sftp.login')).toMatchObject([{ address: '192.0.2.7' }]);
  });

  it.skipIf(!have('sftp'))('OpenSSH works as ever', async () => {
    await start({ listener: BEHIND });
    const port = await proxy(V1);
    const options = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
    const { status, out } = await openSsh({ port, knownHosts: '/dev/null' }, ['ls'], options);
    expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining('inbox') });
  });

  it('rules, lists and penalties see the client, not the proxy', async () => {
    await start({ listener: BEHIND, settings: { exempt: false }, logins: [{ rules: { allow: ['192.0.2.7'] } }] });
    const port = await proxy(V1);
    expect(await login(port)).toBe('in');
    expect(await login(await proxy('PROXY TCP4 192.0.2.8 203.0.113.5 1 22\r\n'))).not.toBe('in');
    for (let n = 0; n < 4; n++) expect(await login(port, { password: 'wrong' })).not.toBe('in');
    expect(await login(port)).not.toBe('in');
    expect(event('sftp.banned')).toMatchObject([{ address: '192.0.2.7' }]);
  });

  it('a health check of the proxy is greeted, and nobody from there gets in without a header', async () => {
    await start({ listener: BEHIND });
    const socket = connectSocket(server.port, '127.0.0.1');
    const greeted = new Promise((resolve) => socket.once('data', resolve));
    socket.write('PROXY UNKNOWN\r\n');
    expect(String(await greeted)).toBe('SSH-2.0-Dropgate\r\n');
    socket.destroy();
    expect(await login(server.port)).not.toBe('in');
    expect(event('sftp.connection-refused')).toMatchObject([{ reason: 'no-proxy-header' }]);
  });

  it('a header comes in pieces, and the client’s first bytes with it', async () => {
    await start({ listener: BEHIND });
    const client = new ssh2.Client();
    const socket = connectSocket(server.port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    socket.setNoDelay(true);
    const half = Math.ceil(V1.length / 2);
    await new Promise((resolve) => socket.write(V1.slice(0, half), resolve));
    socket.write(V1.slice(half));
    const end = new Promise<string>((resolve) => client.on('ready', () => resolve('in')).on('error', ({ message }) => resolve(message)));
    client.connect({ sock: socket, username: 'erp', password: PASSWORD });
    expect(await end).toBe('in');
    client.end();
  });
});

it('a header from elsewhere is not believed: it is no SSH', async () => {
  await start({ listener: { proxies: ['192.0.2.1'] } });
  expect(await login(server.port)).toBe('in');
  expect(await login(await proxy(V1))).not.toBe('in');
  expect(event('sftp.login')).toMatchObject([{ address: '127.0.0.1' }]);
});
