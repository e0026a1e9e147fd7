// The rules of a login: both proofs, methods, addresses, the last day, sessions, reading only; at the login and while sessions run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { dayOf } from '#domain/day.ts';
import type { Login } from '#gateway/model/account.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { manualClock } from '../../../support/clock.ts';
import { ed25519Pair } from '../../../support/keys.ts';
import { called, connect, have, haveParamiko, openSftp, openSsh, PYTHON, type Ran, run } from '../../../support/sftp-clients.ts';
import { PASSWORD, startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { eventually } from '../../../support/until.ts';

const key = ed25519Pair();
const DAY_MS = 86_400_000;

let server: TestServer;
const start = async (rules: LoginRules): Promise<void> => {
  server = await startTestServer({ logins: [{ publicKeys: [key.public], rules }] });
};
afterEach(() => server[Symbol.asyncDispose]());

/** What each request to log in is answered with, in this order of methods; the last answer is 'in' or 'out'. */
async function tried(...requests: readonly ssh2.AnyAuthMethod[]): Promise<string[]> {
  const answers: string[] = [];
  const left = [...requests];
  const client = new ssh2.Client();
  const end = new Promise<string>((resolve) => {
    client.on('ready', () => resolve('in'));
    client.on('error', () => resolve('out'));
    client.on('close', () => resolve('out'));
  });
  client.on('keyboard-interactive', (_name, _instructions, _language, _prompts, finish) => finish([PASSWORD]));
  client.connect({
    host: '127.0.0.1',
    port: server.port,
    username: 'erp',
    authHandler(methods, isPartial, next) {
      if (methods) answers.push(`${isPartial ? 'partial' : 'failure'}: ${methods.join(',')}`);
      const request = left.shift();
      if (request) next(request);
      else client.end();
    },
  });
  answers.push(await end);
  client.end();
  return answers;
}

const byKey: ssh2.AnyAuthMethod = { type: 'publickey', username: 'erp', key: key.private };
const byPassword: ssh2.AnyAuthMethod = { type: 'password', username: 'erp', password: PASSWORD };
const byWrongPassword: ssh2.AnyAuthMethod = { ...byPassword, password: 'wrong' };
const byDialogue: ssh2.AnyAuthMethod = {
  type: 'keyboard-interactive',
  username: 'erp',
  prompt: (_name, _instructions, _language, _prompts, finish) => finish([PASSWORD]),
};

describe('a login that needs both', () => {
  it.each([
    ['the key, then the password', [byKey, byPassword], ['partial: password,keyboard-interactive', 'in']],
    ['the password, then the key', [byPassword, byKey], ['partial: publickey', 'in']],
    ['the key, then the dialogue', [byKey, byDialogue], ['partial: password,keyboard-interactive', 'in']],
    ['the dialogue, then the key', [byDialogue, byKey], ['partial: publickey', 'in']],
    ['the password twice', [byPassword, byPassword], ['partial: publickey', 'partial: publickey', 'out']],
    ['the dialogue, then the password', [byDialogue, byPassword], ['partial: publickey', 'partial: publickey', 'out']],
    [
      'the key, then a wrong password',
      [byKey, byWrongPassword],
      ['partial: password,keyboard-interactive', 'failure: password,keyboard-interactive', 'out'],
    ],
  ])('%s', async (_what, requests, answers) => {
    await start({ methods: 'both' });
    expect(await tried(...requests)).toEqual(answers);
  });

  it('tells the log both methods, and the failed connections what was missing', async () => {
    await start({ methods: 'both' });
    await tried(byKey, byPassword);
    expect(server.facts.find(({ event }) => event === 'sftp.login')).toMatchObject({ method: 'publickey+password' });
    await tried(byKey);
    await eventually(() => expect(server.rejects).toMatchObject([{ reason: 'half', explanation: expect.stringContaining('needs both') }]));
  });

  it.skipIf(!have('sftp'))('OpenSSH shows key and password by itself', async () => {
    await start({ methods: 'both' });
    const identity = join(server.data, 'id');
    writeFileSync(identity, key.private, { mode: 0o600 });
    const withKey = ['-o', 'PubkeyAuthentication=yes', '-i', identity, '-o', 'PreferredAuthentications=publickey,password'];
    expect(await openSsh(server, ['ls'], withKey)).toMatchObject({ status: 0, out: expect.stringContaining('inbox') });
    const interactive = ['-o', 'PubkeyAuthentication=yes', '-i', identity, '-o', 'PreferredAuthentications=publickey,keyboard-interactive'];
    expect(await openSsh(server, ['ls'], interactive)).toMatchObject({ status: 0 });
    expect(await openSsh(server, ['ls'], ['-o', 'PubkeyAuthentication=no'])).toMatchObject({ status: 255 });
  });
});

describe.skipIf(!(await haveParamiko()))('paramiko, which asks for the login service before each try, gets in', () => {
  const ls = async (shown: string): Promise<Ran> => {
    const identity = join(server.data, 'id');
    writeFileSync(identity, shown, { mode: 0o600 });
    const script = `
import paramiko
client = paramiko.SSHClient()
client.load_host_keys('${server.knownHosts}')
proof = dict(key_filename='${identity}', password='${PASSWORD}', allow_agent=False, look_for_keys=False)
client.connect('127.0.0.1', ${server.port}, 'erp', **proof)
print(client.open_sftp().listdir('/'))
client.close()
`;
    return run(PYTHON, ['-'], script);
  };

  it('with key and password', async () => {
    await start({ methods: 'both' });
    expect(await ls(key.private)).toMatchObject({ status: 0, out: expect.stringContaining('inbox') });
  });

  it('with the password, after a key that is not known', async () => {
    await start({});
    expect(await ls(ed25519Pair().private)).toMatchObject({ status: 0, out: expect.stringContaining('inbox') });
  });
});

it.each<[string, LoginRules, ssh2.AnyAuthMethod, string]>([
  ['key', { methods: 'key' }, byKey, 'in'],
  ['key', { methods: 'key' }, byPassword, 'out'],
  ['password', { methods: 'password' }, byPassword, 'in'],
  ['password', { methods: 'password' }, byKey, 'out'],
  ['its network', { allow: ['127.0.0.0/8'] }, byPassword, 'in'],
  ['another network', { allow: ['192.0.2.0/24', '::1'] }, byPassword, 'out'],
  ['a day to come', { expires: dayOf(Date.now()) }, byPassword, 'in'],
  ['a day that is over', { expires: dayOf(Date.now() - DAY_MS) }, byPassword, 'out'],
])('a login with the rule %s: %o', async (_what, rules, request, end) => {
  await start(rules);
  expect((await tried(request)).at(-1)).toBe(end);
});

it.each<[LoginRules, string]>([
  [{ methods: 'key' }, 'method-rule'],
  [{ allow: ['192.0.2.1'] }, 'address'],
  [{ expires: '2020-01-31' }, 'expired'],
])('rule %o is named among the failed connections', async (rules, reason) => {
  await start(rules);
  await tried(byPassword);
  await eventually(() =>
    expect(server.rejects).toMatchObject([{ login: 'erp', reason, explanation: expect.stringContaining('dropgate login set') }]),
  );
});

it.skipIf(!have('sftp'))('users are told, once they have proved who they are, that their login has ended or is in use', async () => {
  await start({ expires: '2020-01-31' });
  expect((await openSsh(server, [])).err).toContain('the login erp ended on 2020-01-31; ask the administrator');
  await server[Symbol.asyncDispose]();
  await start({ sessionsMax: 1 });
  const client = await connect(server);
  expect((await openSsh(server, [])).err).toContain('has as many sessions open as it may');
  client.end();
});

it('a login has as many sessions as its rule says', async () => {
  await start({ sessionsMax: 2 });
  const clients = [await connect(server), await connect(server)];
  expect((await tried(byPassword)).at(-1)).toBe('out');
  clients[0]?.end();
  await eventually(async () => expect((await tried(byPassword)).at(-1)).toBe('in'));
  clients[1]?.end();
});

it('a dialogue that was given up for another method, though its answer was right, holds no session', async () => {
  await start({ sessionsMax: 1 });
  const client = new ssh2.Client();
  const dialogue: ssh2.AnyAuthMethod = {
    ...byDialogue,
    prompt: (_name, _instructions, _language, _prompts, finish) => {
      finish([PASSWORD]);
      // Before that is judged.
      Reflect.get(client, '_protocol').authPassword('erp', PASSWORD);
    },
  };
  const isIn = new Promise<boolean>((resolve) => client.on('ready', () => resolve(true)).on('close', () => resolve(false)));
  client.on('error', () => {});
  client.connect({ host: '127.0.0.1', port: server.port, username: 'erp', authHandler: [dialogue] });
  expect(await isIn).toBe(true);
  expect(server.facts.filter(({ event }) => event === 'sftp.login')).toHaveLength(1);
  client.end();
  await eventually(async () => expect((await tried(byPassword)).at(-1)).toBe('in'));
});

describe('a login that may only read', () => {
  it('lists and gets, and is told in a sentence that it changes nothing', async () => {
    await start({ readOnly: true });
    server.place('outbox', 'a.xml', '<Order/>');
    const client = await connect(server);
    const sftp = await openSftp(client);
    expect(await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir('/outbox', done))).toHaveLength(1);
    expect(String(await called<Buffer>((done) => sftp.readFile('/outbox/a.xml', done)))).toBe('<Order/>');
    const refused = [
      (done: ssh2.Callback) => sftp.writeFile('/inbox/b.xml', 'x', done),
      (done: ssh2.Callback) => sftp.unlink('/outbox/a.xml', done),
      (done: ssh2.Callback) => sftp.rename('/outbox/a.xml', '/outbox/a.xml.downloading', done),
      (done: ssh2.Callback) => sftp.ext_openssh_rename('/outbox/a.xml', '/outbox/c.xml', done),
      (done: ssh2.Callback) => sftp.mkdir('/inbox/x', done),
      (done: ssh2.Callback) => sftp.setstat('/outbox/a.xml', { mode: 0o600 }, done),
    ];
    for (const act of refused) await expect(called(act)).rejects.toThrow('this login may only read');
    expect([server.committed(), server.receiving()]).toEqual([[], []]);
    client.end();
  });
});

describe('a session', () => {
  const ended = (client: ssh2.Client): Promise<void> => new Promise((resolve) => client.once('close', () => resolve()));

  it.each<[string, LoginRules]>([
    ['another address is allowed only', { allow: ['192.0.2.1'] }],
    ['its last day is over', { expires: '2020-01-31' }],
    ['a key is needed', { methods: 'key' }],
    ['both are needed', { methods: 'both' }],
    ['it may no longer write', { readOnly: true }],
  ])('ends when %s', async (_what, rules) => {
    await start({});
    const client = await connect(server);
    const end = ended(client);
    server.change('erp', { rules });
    server.server.review();
    await end;
    expect(server.facts.some(({ reason }) => reason === 'login-changed')).toBe(true);
  });

  it.each<[string, Partial<Login>, ssh2.ConnectConfig, boolean]>([
    ['ends when its password is changed', { passwordHash: null }, {}, true],
    ['ends when its key is taken away', { publicKeys: [] }, { privateKey: key.private }, true],
    ['goes on when the password that it did not use is changed', { passwordHash: null }, { privateKey: key.private }, false],
    ['goes on when the key that it did not use is taken away', { publicKeys: [] }, {}, false],
  ])('%s', async (_what, changes, config, ends) => {
    await start({});
    const client = await connect(server, config);
    const end = ended(client);
    server.change('erp', changes);
    server.server.review();
    if (ends) await end;
    else await openSftp(client);
    client.end();
  });

  it('goes on when its rules still let it in', async () => {
    await start({ readOnly: true, expires: dayOf(Date.now()) });
    const client = await connect(server);
    server.change('erp', { rules: { allow: ['127.0.0.1'], methods: 'password', sessionsMax: 1, expires: '2099-12-31' } });
    server.server.review();
    await openSftp(client);
    client.end();
  });

  it('ends when the last day of its login does, though nothing has changed', async () => {
    const clock = manualClock();
    server = await startTestServer({
      clock,
      settings: { idle: 30 * DAY_MS },
      logins: [{ rules: { expires: dayOf(clock.now() + DAY_MS) } }],
    });
    const client = await connect(server);
    const end = ended(client);
    clock.advance(DAY_MS);
    await openSftp(client);
    clock.advance(DAY_MS);
    await end;
    expect(server.facts.some(({ reason }) => reason === 'login-expired')).toBe(true);
  });

  it('beyond a smaller number of sessions ends; the oldest stay', async () => {
    await start({});
    const [first, second] = [await connect(server), await connect(server)];
    const end = ended(second);
    server.change('erp', { rules: { sessionsMax: 1 } });
    server.server.review();
    await end;
    await openSftp(first);
    first.end();
  });
});

it.skipIf(!have('ssh-keygen'))('a user certificate of OpenSSH is refused, and its plain key is taken', async () => {
  await start({});
  const identity = join(server.data, 'id');
  writeFileSync(identity, key.private, { mode: 0o600 });
  writeFileSync(`${identity}.pub`, `${key.public}\n`);
  const authority = join(server.data, 'ca');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', authority]);
  expect((await run('ssh-keygen', ['-q', '-s', authority, '-I', 'erp', '-n', 'erp', `${identity}.pub`])).status).toBe(0);
  const options = [
    '-o',
    'PubkeyAuthentication=yes',
    '-o',
    'PreferredAuthentications=publickey',
    '-o',
    'IdentitiesOnly=yes',
    '-i',
    identity,
  ];
  const certificateOnly = [...options, '-o', 'PubkeyAcceptedAlgorithms=ssh-ed25519-cert-v01@openssh.com'];
  expect(await openSsh(server, ['ls'], certificateOnly)).toMatchObject({ status: 255 });
  await eventually(() =>
    expect(server.rejects).toMatchObject([{ reason: 'certificate', explanation: expect.stringContaining('add its plain public key') }]),
  );
  expect(await openSsh(server, ['ls'], options)).toMatchObject({ status: 0 });
});
