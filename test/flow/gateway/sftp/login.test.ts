// Who gets in, who does not, and what happens to those who try too often, too slowly or too much at once.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { manualClock } from '../../../support/clock.ts';
import { ed25519Pair } from '../../../support/keys.ts';
import { connect, have, openSsh, run, tryLogin } from '../../../support/sftp-clients.ts';
import { RawSftp } from '../../../support/sftp-raw.ts';
import { PASSWORD, startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';
import { eventually, until } from '../../../support/until.ts';

const ed25519 = ed25519Pair();
const ecdsa = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
const rsa = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 });
const stranger = ed25519Pair();

let server: TestServer;
const start = async (options?: TestOptions): Promise<void> => {
  server = await startTestServer(options);
};
afterEach(() => server[Symbol.asyncDispose]());

const login = (config: ssh2.ConnectConfig): Promise<string> => tryLogin(server, config);
const LEGACY = { profile: 'legacy', legacyUntil: Date.now() + 86_400_000 } as const;
const REFUSED = 'All configured authentication methods failed';

it('a session ends when its login is removed', async () => {
  await start();
  const client = await connect(server, { password: PASSWORD });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  server.server.review();
  expect(server.facts.some(({ reason }) => reason === 'login-changed')).toBe(false);
  server.forgetLogins();
  server.server.review();
  await ended;
  expect(server.facts.some(({ reason }) => reason === 'login-changed')).toBe(true);
});

describe('a login', () => {
  it('by password or by one of its keys, and by nothing else', async () => {
    await start({ logins: [{ publicKeys: [ed25519.public, `${ecdsa.public} at home`, rsa.public, 'not a key'] }] });
    expect(await login({ password: PASSWORD })).toBe('in');
    expect(await login({ password: 'wrong' })).toBe(REFUSED);
    expect(await login({ password: '' })).toBe(REFUSED);
    for (const { private: privateKey } of [ed25519, ecdsa, rsa]) expect(await login({ privateKey })).toBe('in');
    expect(await login({ privateKey: stranger.private })).toBe(REFUSED);
    expect(await login({ username: 'nobody', password: PASSWORD })).toBe(REFUSED);
    expect(await login({ username: 'nobody', privateKey: ed25519.private })).toBe(REFUSED);
  });

  /** `meanwhile` happens before the client answers. */
  const byKeyboard = (answer: string, meanwhile = () => {}): Promise<string> =>
    new Promise((resolve) => {
      const client = new ssh2.Client();
      client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
        expect(prompts).toEqual([{ prompt: 'Password: ', echo: false }]);
        meanwhile();
        finish([answer]);
      });
      client.on('ready', () => {
        resolve('in');
        client.end();
      });
      client.on('error', (error) => resolve(error.message));
      client.connect({ host: '127.0.0.1', port: server.port, username: 'erp', tryKeyboard: true });
    });

  it('by keyboard-interactive with the same password', async () => {
    await start();
    expect(await byKeyboard(PASSWORD)).toBe('in');
    expect(await byKeyboard('wrong')).toBe(REFUSED);
  });

  it.each([
    ['removed', () => server.forgetLogins()],
    ['given another password', () => server.change('erp', { passwordHash: '' })],
    ['held to come from elsewhere', () => server.change('erp', { rules: { allow: ['192.0.2.7'] } })],
  ])('that is %s while its password is being proved does not get in', async (_what, meanwhile) => {
    await start();
    expect(await byKeyboard(PASSWORD, meanwhile)).toBe(REFUSED);
  });

  it('without a password set cannot be entered by any', async () => {
    await start({ logins: [{ passwordHash: null }] });
    expect(await login({ password: '' })).toBe(REFUSED);
    expect(await login({ password: 'null' })).toBe(REFUSED);
  });

  it.skipIf(!have('sftp'))('by RSA needs SHA-2: OpenSSH may sign with it, and is refused with SHA-1', async () => {
    await start({ logins: [{ publicKeys: [rsa.public] }] });
    const identity = join(server.data, 'rsa');
    writeFileSync(identity, rsa.private, { mode: 0o600 });
    const byKey = async (algorithm: string): Promise<number | null> => {
      const options = ['-o', 'PubkeyAuthentication=yes', '-o', `PubkeyAcceptedAlgorithms=${algorithm}`, '-i', identity];
      return (await openSsh(server, [], ['-o', 'PasswordAuthentication=no', '-o', 'PreferredAuthentications=publickey', ...options]))
        .status;
    };
    expect([await byKey('rsa-sha2-256'), await byKey('ssh-rsa')]).toEqual([0, 255]);
    expect(server.facts.filter(({ event }) => event === 'sftp.login')).toMatchObject([{ method: 'publickey' }]);
  });

  it.skipIf(!have('ssh'))('by RSA with SHA-512 only: the signatures that are taken are told with all their commas', async () => {
    await start({ logins: [{ publicKeys: [rsa.public] }] });
    const identity = join(server.data, 'rsa');
    writeFileSync(identity, rsa.private, { mode: 0o600 });
    const options = ['-vv', '-o', 'PubkeyAuthentication=yes', '-o', 'PreferredAuthentications=publickey', '-i', identity];
    const { status, err } = await openSsh(server, [], [...options, '-o', 'PubkeyAcceptedAlgorithms=rsa-sha2-512']);
    expect(/server-sig-algs=<(.*)>/.exec(err)?.[1]).toBe(
      'ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256',
    );
    expect(err.match(/server-sig-algs=/g)).toHaveLength(1);
    expect(status).toBe(0);
  });

  it.skipIf(!have('rclone'))('by RSA in a Go client, which wants the answer to its question in its own words', async () => {
    await start({ logins: [{ publicKeys: [rsa.public] }] });
    const identity = join(server.data, 'rsa');
    writeFileSync(identity, rsa.private, { mode: 0o600 });
    const where = { host: '127.0.0.1', port: server.port, user: 'erp', 'key-file': identity, 'known-hosts-file': server.knownHosts };
    const options = Object.entries(where).flatMap(([name, value]) => [`--sftp-${name}`, String(value)]);
    expect(await run('rclone', ['lsf', ':sftp:', '--config', '', '--retries', '1', ...options])).toMatchObject({
      status: 0,
      out: expect.stringContaining('inbox/'),
    });
  });

  it('a signature for another key, or by another key, is refused', async () => {
    await start({ logins: [{ publicKeys: [ed25519.public] }] });
    const shown = ssh2.utils.parseKey(ed25519.public);
    const used = ssh2.utils.parseKey(stranger.private);
    if (shown instanceof Error || used instanceof Error) throw new Error('keys');
    const agent = new (class extends ssh2.BaseAgent {
      override getIdentities(callback: (error: null, keys: ssh2.ParsedKey[]) => void): void {
        callback(null, [shown]);
      }
      override sign(_key: unknown, data: Buffer, options: unknown, callback?: (error: null, signature: Buffer) => void): void {
        const done = callback ?? options;
        if (typeof done === 'function') done(null, used.sign(data));
      }
    })();
    expect(await login({ agent })).not.toBe('in');
  });

  it('sees its own homes only', async () => {
    await start({
      logins: [
        { login: 'erp', homes: [{ home: 'acme-ab', folder: '' }] },
        { login: 'partner', homes: [{ home: 'child-1', folder: 'child' }] },
      ],
    });
    const client = await connect(server, { username: 'partner' });
    const raw = await RawSftp.open(client);
    expect(await raw.sizeOf('/child/inbox')).toBe(0);
    expect(await raw.sizeOf('/acme-ab/inbox')).toBe('status 2');
    expect(await raw.sizeOf('/inbox')).toBe('status 2');
    client.end();
  });
});

describe('an address', () => {
  it('is kept out after a few failed logins', async () => {
    await start({ settings: { exempt: false } });
    for (let n = 0; n < 4; n++) expect(await login({ password: 'wrong' })).not.toBe('in');
    expect(await login({})).not.toBe('in');
    expect(server.facts.filter(({ event }) => event === 'sftp.banned')).toMatchObject([{ address: '127.0.0.1' }]);
  });

  it('is kept out when it comes and leaves again and again without a try; connections that log in do not count', async () => {
    const clock = manualClock();
    await start({ clock, settings: { exempt: false, arrivalsBurst: 100 } });
    const banned = () => server.facts.filter(({ event }) => event === 'sftp.banned');
    const knock = async (): Promise<void> => {
      const socket = connectSocket(server.port, '127.0.0.1');
      await once(socket, 'data');
      socket.destroy();
    };
    for (let n = 0; n < 14; n++) await knock();
    expect(await login({})).toBe('in');
    expect(banned()).toEqual([]);
    await knock();
    await eventually(() => expect(banned()).toMatchObject([{ address: '127.0.0.1' }]));
    expect(await login({})).not.toBe('in');
  });

  it('that always logs in is not slowed', async () => {
    await start({ settings: { exempt: false, arrivalsBurst: 2, arrivalsPerSecond: 1 } });
    for (let n = 0; n < 6; n++) expect(await login({})).toBe('in');
  });

  it('that is denied is not even greeted', async () => {
    await start({ settings: { deny: ['127.0.0.1'] } });
    expect(await login({})).not.toBe('in');
    expect(server.facts.filter(({ event }) => event === 'sftp.connection-refused')).toMatchObject([{ reason: 'denied' }]);
  });
});

describe('a connection that came to nothing', () => {
  const rejected = () => until('somebody to be rejected', () => server.rejects.length > 0 && server.rejects);

  it('is told with the client, its offer, and what would help', async () => {
    await start();
    expect(await login({ algorithms: { kex: ['diffie-hellman-group14-sha1'] } })).toContain('no matching');
    expect(await rejected()).toMatchObject([
      {
        address: '127.0.0.1',
        login: '',
        reason: 'negotiation',
        client: expect.stringMatching(/^SSH-2\.0-ssh2js/),
        offer: { kex: ['diffie-hellman-group14-sha1'] },
        explanation: 'offers only diffie-hellman-group14-sha1 for key exchange; allow it with profile legacy',
      },
    ]);
  });

  it.each<[string, ssh2.ConnectConfig]>([
    ['wrong-password', { password: 'wrong' }],
    ['unknown-login', { username: 'nobody', password: PASSWORD }],
    ['unknown-key', { privateKey: stranger.private }],
    ['unknown-login', { username: 'nobody', privateKey: stranger.private }],
  ])('is told as %s', async (reason, config) => {
    await start({ logins: [{ publicKeys: [ed25519.public] }] });
    expect(await login(config)).toBe(REFUSED);
    expect(await rejected()).toMatchObject([{ login: config.username ?? 'erp', reason }]);
  });

  it('is none when it logged in, or did not say a word', async () => {
    await start();
    const knock = connectSocket(server.port, '127.0.0.1');
    await new Promise((resolve) => knock.once('data', resolve));
    knock.destroy();
    expect(await login({})).toBe('in');
    await server.server.close();
    expect(server.rejects).toEqual([]);
  });
});

describe('profile legacy', () => {
  it.skipIf(!have('sftp'))('lets in what nothing else does, and logs it by name', async () => {
    await start({ listener: LEGACY, logins: [{ publicKeys: [rsa.public] }] });
    const identity = join(server.data, 'rsa');
    writeFileSync(identity, rsa.private, { mode: 0o600 });
    const old = {
      KexAlgorithms: 'diffie-hellman-group14-sha1',
      HostKeyAlgorithms: 'ssh-rsa',
      Ciphers: 'aes128-cbc',
      MACs: 'hmac-sha1',
      PubkeyAcceptedAlgorithms: 'ssh-rsa',
      PubkeyAuthentication: 'yes',
      PreferredAuthentications: 'publickey',
    };
    const options = Object.entries(old).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    expect(await openSsh(server, [], [...options, '-i', identity])).toMatchObject({ status: 0 });
    expect(server.facts.filter(({ event }) => event === 'sftp.legacy')).toMatchObject([
      { login: 'erp', algorithms: ['diffie-hellman-group14-sha1', 'ssh-rsa', 'aes128-cbc', 'hmac-sha1'] },
    ]);
  });

  it('logs nothing about a client that needs none of it', async () => {
    await start({ listener: LEGACY });
    expect(await login({})).toBe('in');
    expect(server.facts.filter(({ event }) => event === 'sftp.legacy')).toEqual([]);
  });
});

describe('the offer', () => {
  it('has no group exchange, no chacha20, no SHA-1, no compression', async () => {
    await start();
    const handshake = (algorithms: ssh2.Algorithms) => login({ algorithms });
    expect(await handshake({ kex: ['diffie-hellman-group14-sha256'] })).toBe('in');
    expect(await handshake({ cipher: ['aes256-ctr'], hmac: ['hmac-sha2-256'] })).toBe('in');
    expect(await handshake({ serverHostKey: ['ecdsa-sha2-nistp256'] })).toBe('in');
    for (const refused of [
      { kex: ['diffie-hellman-group-exchange-sha256'] },
      { kex: ['diffie-hellman-group14-sha1'] },
      { cipher: ['chacha20-poly1305@openssh.com'] },
      { cipher: ['aes128-cbc'] },
      { hmac: ['hmac-sha1'], cipher: ['aes128-ctr'] },
      { compress: ['zlib@openssh.com'] },
    ] satisfies ssh2.Algorithms[]) {
      expect(await handshake(refused)).toContain('no matching');
    }
  });

  it('names its keys by fingerprints that are kept', async () => {
    await start();
    const first = await loadHostKeys(`${server.data}/keys`);
    expect(first.map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256']);
    expect(first.every(({ fingerprint }) => /^SHA256:[A-Za-z0-9+/]{43}$/.test(fingerprint))).toBe(true);
    expect(await loadHostKeys(`${server.data}/keys`)).toEqual(first);
  });
});
