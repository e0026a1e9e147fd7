// Prefix truncation (Terrapin, CVE-2023-48795) by a proxy between client and server: a message put in before the keys, and one taken away behind
// them. What it must never bring about is a login over a stream from which something is missing.
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { PASSWORD, startTestServer, type TestServer } from '../support/sftp-server.ts';
import { hybridHandshake } from '../support/ssh-handshake.ts';
import { until } from '../support/until.ts';

const [IGNORE, KEXINIT, NEWKEYS] = [2, 20, 21];
const GCM = { tagBytes: 16, cipher: 'aes128-gcm@openssh.com', hmac: undefined } as const;
const ETM = { tagBytes: 32, cipher: 'aes128-ctr', hmac: 'hmac-sha2-256-etm@openssh.com' } as const;

let server: TestServer;
let proxy: Server | undefined;
const SHORT_MS = 2_000;

/** Where something is missing both sides may wait for each other: then the deadline ends it. */
const start = async (loginDeadline = 30_000): Promise<void> => {
  server = await startTestServer({ settings: { loginDeadline } });
};
afterEach(async () => {
  proxy?.close();
  await server[Symbol.asyncDispose]();
});

/** What the proxy does to one direction. */
interface Tricks {
  /** Puts an IGNORE before the first packet with this number. */
  readonly putBefore?: number;
  /** Takes away the first packet behind NEWKEYS, whose tag or MAC is so long. */
  readonly dropFirst?: number;
  /** Changes a packet that is not encrypted. */
  readonly change?: (payload: Buffer) => Buffer;
}

function packet(payload: Buffer): Buffer {
  const padding = 8 + 7 - ((payload.length + 4) % 8);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length + padding + 1);
  head[4] = padding;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

const IGNORED = packet(Buffer.from([IGNORE, 0, 0, 0, 0]));

/** Reads one direction by the packet, as far as lengths are in clear, and hands on what the tricks leave. */
function tamper(from: Socket, to: Socket, { putBefore, dropFirst, change = (payload) => payload }: Tricks): void {
  let held = Buffer.alloc(0);
  let step: 'greeting' | 'clear' | 'sealed' | 'through' = 'greeting';
  const take = (bytes: number): Buffer => {
    const taken = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return taken;
  };
  const next = (): boolean => {
    if (step === 'through') return to.write(take(held.length)) && false;
    if (step === 'greeting') {
      const end = held.indexOf('\n');
      if (end < 0) return false;
      to.write(take(end + 1));
      step = 'clear';
      return true;
    }
    if (held.length < 4) return false;
    const bytes = 4 + held.readUInt32BE() + (step === 'sealed' ? (dropFirst ?? 0) : 0);
    if (held.length < bytes) return false;
    const whole = take(bytes);
    if (step === 'sealed') {
      step = 'through';
      return true;
    }
    const payload = whole.subarray(5, whole.length - (whole[4] ?? 0));
    if (payload[0] === putBefore) to.write(IGNORED);
    const changed = change(payload);
    to.write(changed === payload ? whole : packet(changed));
    if (payload[0] === NEWKEYS) step = dropFirst === undefined ? 'through' : 'sealed';
    return true;
  };
  from.on('data', (piece) => {
    held = Buffer.concat([held, piece]);
    while (next());
  });
}

async function between(toServer: Tricks, toClient: Tricks = {}): Promise<number> {
  const relay = createServer((near) => {
    const far = dial(server.port, '127.0.0.1');
    for (const socket of [near, far]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    tamper(near, far, toServer);
    tamper(far, near, toClient);
  });
  proxy = relay;
  await new Promise<void>((listening) => relay.listen(0, '127.0.0.1', listening));
  const address = relay.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** 'in', or how the try to log in ends. */
function login(port: number, { cipher, hmac }: { readonly cipher: string; readonly hmac?: string | undefined } = GCM): Promise<string> {
  return new Promise((resolve) => {
    const client = new ssh2.Client();
    client.on('ready', () => {
      client.end();
      resolve('in');
    });
    client.on('error', ({ message }) => resolve(message));
    client.on('close', () => resolve('closed'));
    // @ts-expect-error ssh2's types know a fixed list of names.
    const algorithms: ssh2.Algorithms = { cipher: [cipher], ...(hmac && { hmac: [hmac] }) };
    client.connect({ host: '127.0.0.1', port, username: 'erp', password: PASSWORD, algorithms });
  });
}

const events = (event: string) => server.facts.filter((fact) => fact.event === event);

/** The client does not say any more that it exchanges keys strictly. */
function unstrict(payload: Buffer): Buffer {
  if (payload[0] !== KEXINIT) return payload;
  return Buffer.from(payload.toString('latin1').replace('kex-strict-c-v00@openssh.com', 'kex-nothing-v00@openssh.com!'), 'latin1');
}

it('the proxy lets an honest connection through', async () => {
  await start();
  expect(await login(await between({}))).toBe('in');
  expect(await login(await between({}), ETM)).toBe('in');
  const { isSigned } = await hybridHandshake(await between({}));
  expect(isSigned).toEqual([true, true]);
});

describe.each([
  ['AES-GCM', GCM],
  ['AES-CTR, encrypt then MAC', ETM],
])('%s', (_what, algorithms) => {
  it.each([
    ['before the first message', KEXINIT],
    ['before the new keys', NEWKEYS],
  ])('a message put in %s ends the connection', async (_where, putBefore) => {
    await start();
    expect(await login(await between({ putBefore }), algorithms)).not.toBe('in');
    expect(await login(await between({}, { putBefore }), algorithms)).not.toBe('in');
    expect(events('sftp.login')).toEqual([]);
  });

  it.each([
    ['to the server', (tricks: Tricks) => between(tricks)],
    ['to the client', (tricks: Tricks) => between({}, tricks)],
  ])(
    'the first message behind the keys that is taken away on its way %s, with one put in before, ends the connection',
    async (_way, open) => {
      await start(SHORT_MS);
      for (const putBefore of [undefined, NEWKEYS]) {
        const tricks = { dropFirst: algorithms.tagBytes, ...(putBefore && { putBefore }) };
        expect(await login(await open(tricks), algorithms)).not.toBe('in');
      }
      expect(events('sftp.login')).toEqual([]);
    },
  );

  it('a strict exchange cannot be talked out of: its announcement is part of what the host key signs', async () => {
    await start(SHORT_MS);
    expect(await login(await between({ change: unstrict }), algorithms)).not.toBe('in');
    expect(await login(await between({ change: unstrict, putBefore: NEWKEYS, dropFirst: algorithms.tagBytes }), algorithms)).not.toBe('in');
    expect(events('sftp.login')).toEqual([]);
  });
});

it('a client that knows no strict exchange loses its connection with the message that is taken from it', async () => {
  await start(SHORT_MS);
  const port = await between({ putBefore: NEWKEYS, dropFirst: GCM.tagBytes });
  await expect(hybridHandshake(port)).rejects.toThrow('closed');
  await until('the server to have ended it', () => server.rejects.length > 0);
  expect(events('sftp.login')).toEqual([]);
});
