// Requests to addresses that others have named reach public and allowed addresses only: a sink on this machine sees no connection.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '#runtime/clock.ts';
import type { OutboundSettings } from '#runtime/outbound/guard.ts';
import { openOutbound } from '#runtime/outbound/outbound.ts';
import { authority } from '../../../support/authority.ts';
import { manualClock } from '../../../support/clock.ts';
import { type NameServer, startNameServer } from '../../../support/name-server.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { until } from '../../../support/until.ts';

let port: number;
let connections = 0;
const sinks: Server[] = [];
let names: NameServer;

/** Names that lead to addresses which nobody should reach. */
const ZONE: Readonly<Record<string, readonly string[]>> = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'zero.test': ['0.0.0.0'],
  'unspecified.test': ['::'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nat64.test': ['64:ff9b::127.0.0.1'],
  'sixtofour.test': ['2002:7f00:1::1'],
  'metadata.test': ['169.254.169.254'],
  'metadata6.test': ['fd00:ec2::254'],
  'private.test': ['10.0.0.1'],
  'cgnat.test': ['100.64.0.1'],
  'linklocal.test': ['fe80::1'],
  'mixed.test': ['93.184.215.14', '127.0.0.1'],
  'mixed6.test': ['2606:4700:4700::1111', '::1'],
  'deep.sub.domain.test': ['127.0.0.53'],
  'multicast.test': ['224.0.0.1'],
};

const zone = (name: string, type: 'A' | 'AAAA') => ZONE[name]?.filter((address) => address.includes(':') === (type === 'AAAA'));

beforeAll(async () => {
  names = await startNameServer(zone);
  const [first] = await Promise.all(['127.0.0.1'].map((host) => sink(host, 0)));
  port = first!;
  await Promise.all(['127.0.0.2', '127.0.0.53', '::1'].map((host) => sink(host, port)));
});

afterAll(async () => {
  await Promise.all(sinks.map((server) => new Promise((closed) => server.close(closed))));
  await names[Symbol.asyncDispose]();
});

async function sink(host: string, at: number): Promise<number> {
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  sinks.push(server);
  await new Promise<void>((listening) => server.listen(at, host, listening));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function open(settings: Partial<OutboundSettings> = {}) {
  const outbound = openOutbound({ allow: false, deny: false, ca: null, dns: [names.address], ...settings }, systemClock);
  onTestFinished(() => outbound.close());
  return (url: string) => outbound.request({ method: 'POST', url, body: '{}', timeoutMs: 10_000, responseBytesMax: 1_000 });
}

/** Ways to write this machine, its neighbours, and what only looks like somewhere else; `:0` becomes the sink's port. */
// biome-ignore format: one row, one kind
const URLS: readonly (readonly [kind: string, hosts: readonly string[]])[] = [
  ['loopback, written in every way', ['127.0.0.1', '127.0.0.2', '127.0.0.53', '127.1', '127.0.1', '0x7f.0.0.1', '0x7f000001', '2130706433', '0177.0.0.1', '017700000001', '0x7f.1', '127.0.0.1.', '%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1']],
  ['this network', ['0.0.0.0', '0', '0x0', '0.0.0.1']],
  ['IPv6 loopback and unspecified', ['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[0000::0001]']],
  ['IPv4 inside IPv6', ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]']],
  ['private and shared', ['10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '192.0.0.1', '198.18.0.1', '[fc00::1]', '[fd12:3456::1]', '[fec0::1]']],
  ['link-local and metadata', ['169.254.169.254', '169.254.170.2', '0xa9fea9fe', '2852039166', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '100.100.100.200', '168.63.129.16']],
  ['multicast and broadcast', ['224.0.0.1', '255.255.255.255', '240.0.0.1', '[ff02::1]']],
  ['names', ['localhost', 'LOCALHOST.', 'a.localhost', ...Object.keys(ZONE)]],
];

describe('60 addresses and more that nobody may reach', () => {
  it('are at least 60', () => expect(URLS.flatMap(([, hosts]) => hosts).length).toBeGreaterThanOrEqual(60));

  it.each(URLS)('%s', async (_, hosts) => {
    const post = open();
    for (const protocol of ['https', 'http']) {
      for (const host of hosts) {
        const sent = post(`${protocol}://${host}:${port}/hook`);
        await expect(sent, host).rejects.toMatchObject({ code: expect.stringMatching(/^(?:forbidden|missing)$/) });
      }
    }
    expect(connections).toBe(0);
  });

  it('the sink would have seen them', async () => {
    await expect(open({ allow: ['127.0.0.0/8'] })(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'internal' });
    expect(connections).toBe(1);
    connections = 0;
  });
});

it('a name that is rebound between two requests, or between the check and the connection, gains nothing', async () => {
  const allowed = await startReceiver(() => ({ status: 204, headers: { connection: 'close' } }), '127.0.0.2');
  onTestFinished(() => allowed[Symbol.asyncDispose]());
  let forbidden = 0;
  const victim = createServer(() => forbidden++);
  await new Promise<void>((listening) => victim.listen(allowed.port, '127.0.0.1', listening));
  onTestFinished(() => void victim.close());
  let turn = 0;
  const rebinding = await startNameServer((_, type) => (type === 'AAAA' ? [] : [turn++ % 2 === 0 ? '127.0.0.2' : '127.0.0.1']));
  onTestFinished(() => rebinding[Symbol.asyncDispose]());
  const post = open({ allow: ['127.0.0.2'], dns: [rebinding.address], ca: authority().ca });
  const outcomes: unknown[] = [];
  for (let round = 0; round < 20; round++) {
    outcomes.push(
      await post(`https://rebound.receiver.test:${allowed.port}/`).then(
        ({ status }) => status,
        ({ code }) => code,
      ),
    );
  }
  expect(outcomes.filter((outcome) => outcome === 204)).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === 'forbidden')).toHaveLength(10);
  expect([allowed.hits.length, forbidden]).toEqual([10, 0]);
});

it('a connection that stands goes where it was checked, whatever its name says since; and a name that leads to what is denied, nowhere', async () => {
  const allowed = await startReceiver(() => ({ status: 204 }), '127.0.0.2');
  onTestFinished(() => allowed[Symbol.asyncDispose]());
  let address = '127.0.0.2';
  const moving = await startNameServer((_, type) => (type === 'AAAA' ? [] : [address]));
  onTestFinished(() => moving[Symbol.asyncDispose]());
  const settings = { allow: ['127.0.0.2'], dns: [moving.address], ca: authority().ca };
  const post = open(settings);
  const url = `https://moved.receiver.test:${allowed.port}/`;
  expect(await post(url)).toMatchObject({ status: 204 });
  address = '127.0.0.1';
  expect(await post(url)).toMatchObject({ status: 204 });
  expect([allowed.hits.length, allowed.connections]).toEqual([2, 1]);
  // A new one is checked anew.
  await expect(open(settings)(url)).rejects.toMatchObject({ code: 'forbidden' });
  address = '93.184.215.14';
  await expect(open({ ...settings, deny: ['93.184.215.0/24'] })(url)).rejects.toMatchObject({ code: 'forbidden' });
});

describe('an allowed receiver', () => {
  const allowing = () => open({ allow: ['127.0.0.1'], ca: authority().ca });
  const serve = async (...script: Parameters<typeof startReceiver>) => {
    const receiver = await startReceiver(...script);
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    return receiver;
  };

  it('is reached over TLS that is checked, and only that', async () => {
    const receiver = await serve();
    expect(await allowing()(`${receiver.url}/hook?x=1`)).toMatchObject({ status: 204, cut: false });
    expect(receiver.hits).toMatchObject([{ method: 'POST', path: '/hook?x=1', text: '{}' }]);
    await expect(open({ allow: ['127.0.0.1'] })(receiver.url)).rejects.toMatchObject({ code: 'internal', message: /CERT|ISSUER/ });
    expect(receiver.hits).toHaveLength(1);
  });

  it('is found by its name, and its certificate is checked against that', async () => {
    const receiver = await serve();
    const local = await startNameServer((_, type) => (type === 'A' ? ['127.0.0.1'] : []));
    onTestFinished(() => local[Symbol.asyncDispose]());
    const post = open({ allow: ['127.0.0.1'], ca: authority().ca, dns: [local.address] });
    expect(await post(`https://one.receiver.test:${receiver.port}/`)).toMatchObject({ status: 204 });
    await expect(post(`https://other.example:${receiver.port}/`)).rejects.toMatchObject({ code: 'internal', message: /ALTNAME/ });
  });

  it('is not followed where it redirects to', async () => {
    const receiver = await serve(() => ({ status: 307, headers: { location: `https://127.0.0.2:${port}/` } }));
    expect(await allowing()(receiver.url)).toMatchObject({ status: 307 });
    expect([receiver.hits.length, connections]).toEqual([1, 0]);
  });

  it('is read up to the limit and no further', async () => {
    const receiver = await serve(() => ({ status: 200, body: Buffer.alloc(10_000_000) }));
    const answer = await allowing()(receiver.url);
    expect(answer).toMatchObject({ status: 200, cut: true });
    expect(answer.body.length).toBeLessThanOrEqual(1_000);
  });

  it('is given up after the time', async () => {
    const receiver = await serve(() => 'hang');
    const clock = manualClock();
    const outbound = openOutbound({ allow: ['127.0.0.1'], deny: false, ca: authority().ca, dns: false }, clock);
    onTestFinished(() => outbound.close());
    const sent = outbound.request({ method: 'POST', url: receiver.url, timeoutMs: 10_000, responseBytesMax: 1 });
    sent.catch(() => undefined);
    await until('the request came', () => receiver.hits.length === 1);
    clock.advance(10_000);
    await expect(sent).rejects.toMatchObject({ code: 'internal', message: 'There was no answer within 10000 ms.' });
  });

  it.each([
    ['the head', 'HTTP/1.1 200 OK\r\nx-a: ', 'a', 'no answer'],
    ['early hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n', 'no answer'],
    ['the body', 'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n', 'a', 'cut'],
    ['the body, in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\na\r\n', 'cut'],
  ])('is given up after the time when %s trickles for ever', async (_, first, drop, outcome) => {
    const { cert, key } = authority();
    let drops = 0;
    let open = 0;
    const server = createTlsServer({ cert, key }, (socket) => {
      open++;
      socket.on('error', () => undefined).once('close', () => open--);
      socket.write(first);
      const timer = setInterval(() => socket.write(drop, () => drops++), 2);
      socket.once('close', () => clearInterval(timer));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const clock = manualClock();
    const outbound = openOutbound({ allow: ['127.0.0.1'], deny: false, ca: authority().ca, dns: false }, clock);
    onTestFinished(() => outbound.close());
    const sent = outbound.request({ method: 'POST', url, timeoutMs: 10_000, responseBytesMax: 1_000 }).then(
      ({ status, cut }) => (status === 200 && cut ? 'cut' : 'answered'),
      (error) => (error.message.startsWith('There was no answer') ? 'no answer' : error),
    );
    await until('some of it came', () => drops > 20);
    clock.advance(10_000);
    expect(await sent).toBe(outcome);
    await until('the connection is closed', () => open === 0);
  });

  it('and one that never ends a handshake is left at once when the service stops', async () => {
    const mute: Socket[] = [];
    const server = createServer((socket) => mute.push(socket));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const address = server.address();
    const outbound = openOutbound({ allow: ['127.0.0.1'], deny: false, ca: null, dns: false }, systemClock);
    const url = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
    const sent = outbound.request({ method: 'POST', url, timeoutMs: 10_000, responseBytesMax: 1 });
    sent.catch(() => undefined);
    await until('the connection', () => mute.length === 1);
    const closed = new Promise((resolve) => mute[0]!.resume().once('close', resolve));
    await outbound.close();
    await closed;
    await expect(sent).rejects.toMatchObject({ code: 'internal' });
  });

  it('and asks nobody from then on, also when nothing was asked before', async () => {
    const outbound = openOutbound({ allow: ['127.0.0.1'], deny: false, ca: null, dns: false }, systemClock);
    await outbound.close();
    const sent = outbound.request({ method: 'GET', url: `http://127.0.0.1:${port}/`, timeoutMs: 10_000, responseBytesMax: 1 });
    await expect(sent).rejects.toMatchObject({ code: 'internal', message: 'This service is stopping.' });
  });
});
