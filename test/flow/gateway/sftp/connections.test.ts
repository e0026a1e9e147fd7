// Connections: what they cost, how long they may take, what is opened in them, and how they end.
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { ed25519Pair } from '../../../support/keys.ts';
import { connect, tryLogin } from '../../../support/sftp-clients.ts';
import { RawSftp } from '../../../support/sftp-raw.ts';
import { PASSWORD, startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';
import { eventually } from '../../../support/until.ts';

const ed25519 = ed25519Pair();

let server: TestServer;
const start = async (options?: TestOptions): Promise<void> => {
  server = await startTestServer(options);
};
afterEach(() => server[Symbol.asyncDispose]());

const login = (config: ssh2.ConnectConfig): Promise<string> => tryLogin(server, config);

describe('a connection', () => {
  it('is closed after three failed tries, and the log names the login but no secret', async () => {
    await start();
    let tries = 0;
    const client = new ssh2.Client();
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    client.on('error', () => {});
    client.connect({
      host: '127.0.0.1',
      port: server.port,
      username: 'erp',
      authHandler: (_methods, _partial, next) => {
        tries++;
        next({ type: 'password', username: 'erp', password: 'top secret guess' });
      },
    });
    await closed;
    expect(tries).toBeLessThanOrEqual(4);
    const failures = server.facts.filter(({ event }) => event === 'sftp.login-failed');
    expect(failures).toMatchObject([{ login: 'erp', method: 'password' }, {}, {}]);
    expect(JSON.stringify(server.facts)).not.toContain('top secret guess');
  });

  it('gains nothing by sending its guesses all at once: the right one after three wrong ones stays out', async () => {
    await start();
    let sent = false;
    const client = new ssh2.Client();
    const ended = new Promise<string>((resolve) => {
      client.on('ready', () => resolve('in'));
      client.on('close', () => resolve('out'));
    });
    client.on('error', () => {});
    client.connect({
      host: '127.0.0.1',
      port: server.port,
      username: 'erp',
      authHandler: () => {
        if (sent) return;
        sent = true;
        // ssh2 takes up the first at once, and then those that wait from the last to the first: the right one comes fourth.
        const protocol = Reflect.get(client, '_protocol');
        for (let n = 1; n <= 9; n++) protocol.authPassword('erp', n === 7 ? PASSWORD : 'wrong');
      },
    });
    expect(await ended).toBe('out');
    // By the time that this one is in, a guess that was still being judged has been decided on.
    expect(await login({})).toBe('in');
    expect(server.facts.filter(({ event }) => event === 'sftp.login')).toHaveLength(1);
  });

  it('may ask for more keys than it has tries, as an agent with many keys does: questions are no failures', async () => {
    await start({ settings: { exempt: false }, logins: [{ publicKeys: [ed25519.public] }] });
    const keys = [...Array.from({ length: 6 }, () => ed25519Pair()), ed25519];
    const authHandler = keys.map(({ private: key }): ssh2.AnyAuthMethod => ({ type: 'publickey', username: 'erp', key }));
    expect(await login({ authHandler })).toBe('in');
    expect(server.facts.filter(({ event }) => event === 'sftp.login-failed' || event === 'sftp.banned')).toEqual([]);
  });

  it('that does not log in is closed at the deadline, at whatever point it stands still', async () => {
    await start({ settings: { loginDeadline: 200 } });
    for (const says of ['', 'SSH-2.0-x', 'SSH-2.0-x\r\n']) {
      const socket = connectSocket(server.port, '127.0.0.1');
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.on('error', () => {});
      socket.resume();
      socket.write(says);
      await closed;
    }
    await eventually(() => expect(server.facts.filter(({ reason }) => reason === 'login-deadline')).toHaveLength(3));
  });

  it('is one of two of its login', async () => {
    await start({ settings: { sessionsPerLoginMax: 2 } });
    const clients = [await connect(server), await connect(server)];
    expect(await login({})).not.toBe('in');
    clients[0]?.end();
    await eventually(async () => expect(await login({})).toBe('in'));
    clients[1]?.end();
  });

  it('that asks for nothing is closed when its idle time is over', async () => {
    await start({ settings: { idle: 200 } });
    const client = await connect(server);
    await new Promise<void>((resolve) => client.on('close', () => resolve()));
  });

  it('may open four channels, and forward nothing', async () => {
    await start();
    const client = await connect(server);
    for (let n = 0; n < 4; n++) await RawSftp.open(client);
    await expect(RawSftp.open(client)).rejects.toThrow('4 sessions are open in this connection already; close one, or connect anew');
    const forwarded = new Promise((_, reject) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', 22, reject));
    await expect(forwarded).rejects.toThrow('this server offers SFTP only');
    await expect(new Promise((_, reject) => client.forwardIn('127.0.0.1', 0, reject))).rejects.toThrow();
    client.end();
  });

  it('that opens channels and uses none of them is cut', async () => {
    await start();
    const client = await connect(server);
    client.on('error', () => {});
    const closed = once(client, 'close');
    const waste = async (): Promise<void> => {
      await new Promise((resolve) => client.subsys('nothing', resolve));
      // ssh2's client leaves a channel open whose subsystem was refused.
      const open: unknown = Reflect.get(Reflect.get(client, '_chanMgr'), '_channels');
      for (const channel of typeof open === 'object' && open ? Object.values(open) : []) channel.close?.();
    };
    const isCut = closed.then(() => true);
    const wasted = (async () => {
      for (let n = 0; n < 200; n++) await waste();
      return false;
    })();
    expect(await Promise.race([isCut, wasted])).toBe(true);
    expect(server.facts).toContainEqual(expect.objectContaining({ event: 'sftp.cut', reason: 'wasted-channels' }));
  });

  it('that sends garbage is dropped, and the server lives on', async () => {
    await start();
    for (const garbage of ['GET / HTTP/1.1\r\n\r\n', '\0'.repeat(100_000), `SSH-2.0-x\r\n${'\xff'.repeat(5_000)}`]) {
      const socket = connectSocket(server.port, '127.0.0.1');
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.on('error', () => {});
      socket.resume();
      socket.write(garbage, 'latin1');
      await closed;
    }
    expect(await login({})).toBe('in');
  });
});
