// The configuration: types, defaults, problems with their lines, and the example files.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfig } from '#runtime/config/config.ts';
import { SETTINGS } from '#runtime/config/settings.ts';
import { annotatedConfig } from '#runtime/config/text.ts';
import { authority } from '../../../support/authority.ts';

const SECRET = authority().key;
const FILES: Readonly<Record<string, string>> = {
  '/srv/cert.pem': authority().cert,
  '/srv/ca.pem': authority().ca,
  '/srv/key.pem': SECRET,
  '/srv/hook.url': 'https://chat.example/hook?token=1\n',
};

function read(text: string, role?: string) {
  const sources = {
    folder: '/srv',
    file(path: string) {
      if (path === '/srv/gone.pem') throw new Error('no such file');
      return FILES[path] ?? `content of ${path}`;
    },
    environment: { TLS_KEY: SECRET },
  };
  return readConfig({ name: 'test.yaml', text, sources, role });
}

function problemsOf(text: string, role?: string): string[] {
  try {
    read(text, role);
  } catch (error) {
    expect(error).toMatchObject({ code: 'usage' });
    const [head, ...lines] = error instanceof Error ? error.message.split('\n  ') : [];
    expect(head).toBe('test.yaml cannot be used:');
    return lines;
  }
  return [];
}

describe('defaults', () => {
  it('holds every default when the file is empty', () => {
    const { config } = read('');
    expect(config).toMatchObject({
      role: 'all',
      data: '/srv/data',
      shutdown: { drain: 30_000 },
      sftp: { listen: { host: '127.0.0.1', port: 2222 }, fileMax: 20 * 1024 * 1024, idle: 900_000 },
      core: { listen: { host: '127.0.0.1', port: 8080 }, tls: null, behindProxy: false },
      service: { url: null },
      gateway: { submits: 64, receipts: 'json', reconcile: 6 * 3_600_000 },
    });
  });

  it('treats a section without lines as absent', () => {
    expect(read('sftp:\nlog:\n').config).toEqual(read('').config);
  });

  it('is frozen all the way down', () => {
    const { config } = read('');
    expect([config, config.sftp, config.core].every(Object.isFrozen)).toBe(true);
  });
});

describe('values', () => {
  it.each([
    ['sftp: {idle: 15m}', { sftp: { idle: 900_000 } }],
    ['sftp: {idle: 24h}', { sftp: { idle: 86_400_000 } }],
    ['sftp: {partialsKept: 7d}', { sftp: { partialsKept: 604_800_000 } }],
    ['gateway: {settle: 500ms}', { gateway: { settle: 500 } }],
    ['sftp: {fileMax: 20MB}', { sftp: { fileMax: 20_000_000 } }],
    ['sftp: {fileMax: 20 MiB}', { sftp: { fileMax: 20_971_520 } }],
    ['core: {listen: "[::1]:0"}', { core: { listen: { host: '::1', port: 0 } } }],
    ['core: {listen: "127.0.0.1:65535"}', { core: { listen: { host: '127.0.0.1', port: 65_535 } } }],
    ['core: {listen: "unix:/run/core.sock"}', { core: { listen: { socket: '/run/core.sock' } } }],
    ['data: /var/lib/dropgate', { data: '/var/lib/dropgate' }],
    ['{role: gateway, service: {url: "https://x.example/api/"}}', { service: { url: 'https://x.example/api' } }],
    ['core: {listen: "0.0.0.0:80", behindProxy: [10.0.0.5, fd00::/8]}', { core: { behindProxy: ['10.0.0.5', 'fd00::/8'] } }],
  ])('%s', (text, expected) => {
    expect(read(text).config).toMatchObject(expected);
  });

  it('takes the role of the command line before that of the file', () => {
    expect(read('role: core', 'all').config.role).toBe('all');
    expect(problemsOf('', 'gatway')).toEqual(["role must be one of all, gateway, core, not 'gatway'"]);
  });
});

describe('problems', () => {
  it('tells all at once, in the order of the lines, each with the nearest known key', () => {
    const text = 'rol: all\nsftp:\n  listn: 127.0.0.1:2222\n  idle: 15\n  bodyMax: 3MB\nsettle: 3s\nzebra: 1\n';
    expect(problemsOf(text)).toEqual([
      "line 1: rol is not known; did you mean 'role'?",
      "line 3: sftp.listn is not known; did you mean 'listen'?",
      "line 4: sftp.idle must be a duration such as 30s, 15m or 24h, not '15'",
      "line 5: sftp.bodyMax is not known here; did you mean 'core.bodyMax'?",
      "line 6: settle is not known here; did you mean 'gateway.settle'?",
      'line 7: zebra is not known; there are role, environment, data, masterKey, database, queue, node, cluster, log, shutdown, sftp, core, admin, outbound, webhooks, alarms, service, hints, gateway',
    ]);
  });

  it.each([
    ['sftp: {loginTries: 0}', 'line 1: sftp.loginTries must be between 1 and 100, not 0'],
    ['sftp: {loginTries: 1.5}', "line 1: sftp.loginTries must be a whole number, not '1.5'"],
    ['sftp: {fileMax: 2GiB}', "line 1: sftp.fileMax must be between 1KiB and 100MiB, not '2GiB'"],
    ['sftp: {listen: 2222}', "line 1: sftp.listen must be HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080, not '2222'"],
    ...['a:99999', '127.0.0.1:65536', '[::1]:65536'].map((listen): [string, string] => [
      `core: {listen: "${listen}"}`,
      `line 1: core.listen must be HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080, or unix:/path, not '${listen}'`,
    ]),
    [
      'outbound: {dns: ["10.0.0.3:65536"]}',
      'line 1: outbound.dns must be false, or a list of addresses of DNS servers such as [10.0.0.2, "10.0.0.3:5353"]',
    ],
    [
      'core: {behindProxy: true}',
      'line 1: core.behindProxy must be false, or a list of addresses and networks such as [10.0.0.5, 10.1.0.0/16]',
    ],
    [
      'core: {behindProxy: [10.0.0.5, 10.0.0.0/33]}',
      "line 1: core.behindProxy must be false, or a list of addresses and networks such as [10.0.0.5, 10.1.0.0/16]: '10.0.0.0/33' is no address or network",
    ],
    ['sftp: {idle: }', 'line 1: sftp.idle must be a duration such as 30s, 15m or 24h, not nothing'],
    ['log: info', 'line 1: log must hold indented lines of its own'],
    ['- a', "the file must hold 'key: value' lines"],
    ['role: all\nrole: core', 'line 2: Map keys must be unique'],
    ['data: *nowhere', 'Unresolved alias (the anchor must be set before the alias): nowhere'],
    ['service: {url: "https://me:pw@x.example"}', 'line 1: service.url must not hold a user name or password: API keys belong to accounts'],
    ['role: gateway', 'service.url is missing: role gateway submits to a remote service, so name its address'],
    [
      'service: {url: "https://x.example"}',
      'line 1: service.url names a remote service, but role all runs its own core: set role: gateway, or remove it',
    ],
    [
      'core: {listen: "0.0.0.0:8080"}',
      'line 1: core.listen would serve plain HTTP to other machines: set core.tls, or name in core.behindProxy the proxies in front that do TLS',
    ],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });
});

describe('the network', () => {
  const peppol = (rest: string, environment = 'test'): string =>
    `environment: ${environment}\ncore: {network: {kind: peppol, country: SE, folder: /srv/ap, ${rest}}}`;

  it.each([
    ['core: {network: {kind: peppol}}', 'core.network.country is missing: every envelope names the country of its sender'],
    [
      'core: {network: {kind: peppol, country: SE, accessPoint: http}}',
      'core.network.url is missing: name the address of the access point, or set accessPoint: folder',
    ],
    [
      peppol('results: none', 'production'),
      'core.network.smpAuthorities is missing: in production an SMP must be certified; name the PEM file of the authorities',
    ],
    [
      peppol('smpAuthorities: smp.pem'),
      'line 2: core.network.smpAuthorities holds no certificate: name a PEM file of authorities, or nobody would be believed',
    ],
    [
      peppol('accessPointAuthorities: ap.pem'),
      'line 2: core.network.accessPointAuthorities holds no certificate: name a PEM file of authorities, or nobody would be believed',
    ],
    [
      peppol('watchProfiles: [peppol-billing, ordre]'),
      expect.stringMatching(/^line 2: core.network.watchProfiles must be a list of some of .*\border\b.*, not 'ordre'$/),
    ],
    [peppol('watchProfiles: []'), expect.stringMatching(/core.network.watchProfiles must be a list of some of .*, not a list or map$/)],
    [peppol('watchProfiles: [catalogue-response]'), expect.stringContaining("not 'catalogue-response'")],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toContainEqual(problem);
  });

  it('can be used with what it needs', () => {
    expect(problemsOf(peppol('results: none'))).toEqual([]);
  });
});

describe('listeners that would show keys to the network', () => {
  const core =
    'core.listen would serve plain HTTP to other machines: set core.tls, or name in core.behindProxy the proxies in front that do TLS';
  const hints =
    'hints.listen would serve plain HTTP to other machines: set hints.tls, or name in hints.behindProxy the proxies in front that do TLS';

  it.each([
    ['core: {listen: "0.0.0.0:80"}\nsubmits: 0', [`line 1: ${core}`, "line 2: submits is not known here; did you mean 'gateway.submits'?"]],
    [
      'role: gateway\nservice: {url: "https://exchange.example"}\nhints: {listen: "0.0.0.0:80"}\ngateway: {submits: 0}',
      [`line 3: ${hints}`, 'line 4: gateway.submits must be between 1 and 1000, not 0'],
    ],
    ['admin: {listen: "0.0.0.0:8082"}', ['line 1: admin.listen would serve plain HTTP to other machines: set admin.tls']],
    ['admin: {listen: "0.0.0.0:8082", tls: {cert: cert.pem, key: key.pem}}', []],
    ['admin: {listen: off}', []],
    ['admin: {listen: on}', ["line 1: admin.listen must be off, or HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080, not 'on'"]],
    // What decides it is wrong itself: that is told, and no more.
    ['core: {listen: "0.0.0.0:80", tls: {}}', ['line 1: core.tls must be {cert: PATH, key: PATH}, or null']],
    // Nobody listens there.
    ['hints: {listen: "0.0.0.0:80"}', []],
  ])('%s', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

describe('secrets', () => {
  it('are read from a file or the environment, and shown as the place where they are kept', () => {
    const { config, effective } = read('core: {listen: "0.0.0.0:443", tls: {cert: cert.pem, key: {env: TLS_KEY}}}');
    expect(config.core.tls).toEqual({ cert: authority().cert, key: SECRET });
    expect(effective).toContain('env: TLS_KEY');
    expect(effective).not.toContain('PRIVATE KEY');
  });

  it.each([
    ['{cert: cert.pem, key: {file: gone.pem}}', 'core.tls (key) cannot be read from /srv/gone.pem: no such file'],
    ['{cert: cert.pem, key: {env: NOT_SET}}', 'core.tls (key) cannot be read: the environment variable NOT_SET is not set'],
    ['{cert: other.pem, key: key.pem}', 'core.tls (cert) must be a certificate in PEM, which other.pem is not'],
    ['{cert: cert.pem, key: other.key}', 'core.tls (key) must be a private key in PEM without a passphrase, which other.key is not'],
    ['{cert: cert.pem, key: cert.pem}', 'core.tls (key) must be a private key in PEM without a passphrase, which cert.pem is not'],
    [
      '{cert: ca.pem, key: {env: TLS_KEY}}',
      'core.tls (key) must be the key of the certificate: the environment variable TLS_KEY does not belong to ca.pem',
    ],
    ['{cert: cert.pem}', 'core.tls must be {cert: PATH, key: PATH}, or null'],
  ])('%s', (tls, problem) => {
    expect(problemsOf(`core: {tls: ${tls}}`)).toEqual([`line 1: ${problem}`]);
  });

  it('are not repeated when somebody writes one into the file', () => {
    const [problem] = problemsOf(`core:\n  tls:\n    cert: cert.pem\n    key: ${JSON.stringify(SECRET)}\n`);
    expect(problem).toBe('line 2: core.tls (key) must name where it is kept: a path, {file: PATH} or {env: NAME}, never the value itself');
  });
});

describe('alarms', () => {
  const MAIL = 'to: [ops@example.com], from: dropgate@example.com, server: "smtp://mail.example.com"';

  it.each([
    ['{mail: {to: [ops@example.com]}}', ['alarms.mail.from is missing', 'alarms.mail.server is missing']],
    ['{mail: {to: ops@example.com}}', ['alarms.mail.to must be false, or a list of addresses of mail']],
    ['{mail: {to: ["a@b.example\\nBcc: c@d.example"]}}', ['alarms.mail.to must be false, or a list of addresses of mail']],
    [`{mail: {${MAIL}, user: user.txt}}`, ['alarms.mail.password and alarms.mail.user belong together']],
    ['{mail: {server: "http://mail.example.com"}}', ['alarms.mail.server must be smtp://HOST:PORT']],
    ['{mail: {server: "smtp://anna:word@mail.example.com"}}', ['alarms.mail.server must be smtp://HOST:PORT']],
    ['{webhook: {url: "ftp://hooks.example.com"}}', ['alarms.webhook.url must be an address that begins with https:// or http://']],
  ])('%s is refused', (alarms, expected) => {
    const problems = problemsOf(`alarms: ${alarms}`);
    expect(problems).toHaveLength(expected.length);
    for (const each of expected) expect(problems.join()).toContain(each);
  });

  it('go to a mail server, and to a webhook whose address is kept elsewhere', () => {
    const { config, effective } = read(`alarms: {mail: {${MAIL}, user: user.txt, password: word.txt}, webhook: {url: {file: hook.url}}}`);
    expect(config.alarms.mail.server).toEqual({ host: 'mail.example.com', port: 587, secure: false });
    expect(config.alarms.webhook.url).toBe('https://chat.example/hook?token=1');
    expect(effective).not.toContain('token=1');
  });
});

describe('database.url', () => {
  it.each([
    ['postgres://dropgate@db.example/ledgers', { host: 'db.example', port: 5_432, user: 'dropgate', database: 'ledgers' }],
    ['postgresql://a%40b@[::1]:6000/l', { host: '::1', port: 6_000, user: 'a@b', database: 'l' }],
    ['postgres://dropgate@%2Frun%2Fpostgresql/ledgers', { host: '/run/postgresql', port: 5_432, user: 'dropgate', database: 'ledgers' }],
  ])('%s is read', (url, expected) => {
    expect(read(`database: {url: "${url}"}`).config.database.url).toEqual(expected);
  });

  it.each([
    ['mysql://dropgate@db.example/ledgers', /^line 1: database.url must be postgres:/],
    ['postgres://db.example/ledgers', /^line 1: database.url must be postgres:/],
    ['postgres://dropgate@db.example', /^line 1: database.url must be postgres:/],
    ['postgres://dropgate:secret@db.example/ledgers', /^line 1: database.url must not hold the password: .* database.password$/],
    ['postgres://dropgate@db.example/ledgers?sslmode=disable', /^line 1: database.url must not hold a \? or #/],
  ])('%s is refused', (url, problem) => {
    const [told = '', ...others] = problemsOf(`database: {url: "${url}"}`);
    expect(told).toMatch(problem);
    expect(told).not.toContain('secret');
    expect(others).toEqual([]);
  });

  it('takes an authority that is one only', () => {
    expect(problemsOf('database: {ca: other.pem}')).toEqual([expect.stringContaining('database.ca holds no certificate')]);
    expect(problemsOf('database: {ca: ca.pem}')).toEqual([]);
  });
});

describe('queue.url', () => {
  it.each([
    ['redis://127.0.0.1', { host: '127.0.0.1', port: 6_379, user: null, database: 0, isEncrypted: false }],
    ['redis://localhost:6380/3', { host: 'localhost', port: 6_380, user: null, database: 3, isEncrypted: false }],
    ['rediss://gate%40b@redis.example:6380/1', { host: 'redis.example', port: 6_380, user: 'gate@b', database: 1, isEncrypted: true }],
    ['rediss://[::1]/', { host: '::1', port: 6_379, user: null, database: 0, isEncrypted: true }],
  ])('%s is read', (url, expected) => {
    expect(read(`queue: {url: "${url}"}`).config.queue.url).toEqual(expected);
  });

  it.each([
    ['amqp://redis.example', /^line 1: queue.url must be redis:/],
    ['rediss://redis.example/zebra', /^line 1: queue.url must be redis:/],
    ['rediss://redis.example/1/2', /^line 1: queue.url must be redis:/],
    ['rediss://', /^line 1: queue.url must be redis:/],
    ['rediss://:secret@redis.example', /^line 1: queue.url must not hold the password: .* queue.password$/],
    ['rediss://redis.example?db=1', /^line 1: queue.url must not hold a \? or #/],
    ['redis://redis.example', /^line 1: queue.url would send the password .* rediss:/],
  ])('%s is refused', (url, problem) => {
    const [told = '', ...others] = problemsOf(`queue: {url: "${url}"}`);
    expect(told).toMatch(problem);
    expect(told).not.toContain('secret');
    expect(others).toEqual([]);
  });

  it('takes an authority that is one only', () => {
    expect(problemsOf('queue: {ca: other.pem}')).toEqual([expect.stringContaining('queue.ca holds no certificate')]);
    expect(problemsOf('queue: {ca: ca.pem}')).toEqual([]);
  });
});

describe('node', () => {
  const onPostgres = 'database: {url: "postgres://dropgate@localhost/dropgate"}';

  const gateway = 'role: gateway, service: {url: "https://core.example.com"}';

  it('is a name, of a gateway or a core that shares a database', () => {
    expect(problemsOf(`{node: a-1, ${gateway}, ${onPostgres}}`)).toEqual([]);
    expect(problemsOf(`{node: a-1, role: core, ${onPostgres}}`)).toEqual([]);
    expect(problemsOf(`{node: a-1, ${onPostgres}}`)).toEqual([
      expect.stringMatching(/^line 1: node is for role gateway and for role core/),
    ]);
    expect(problemsOf('{node: a, role: core}')).toEqual([
      expect.stringMatching(/^line 1: node is for processes that share a database: name a PostgreSQL/),
    ]);
  });

  it.each(['A', 'a b', '-a', 'a/b', '""', '5'])('%s is refused', (name) => {
    expect(problemsOf(`{node: ${name}, role: core, ${onPostgres}}`)).toEqual([
      expect.stringContaining('node must be 1 to 32 of a-z, 0-9 and -'),
    ]);
  });
});

describe('example files', () => {
  it('config/dropgate.yaml is what the table says', () => {
    expect(readFileSync('config/dropgate.yaml', 'utf8')).toBe(annotatedConfig());
    expect(read(annotatedConfig()).config).toEqual(read('').config);
  });

  it.each(['gateway-only', 'core-only', 'postgresql', 'cluster', 'package'])('config/%s.yaml can be used', (profile) => {
    expect(problemsOf(readFileSync(`config/${profile}.yaml`, 'utf8'))).toEqual([]);
  });

  it('prints an effective configuration that reads back as the same', () => {
    const { config, effective } = read('{role: core, log: {level: debug}}');
    expect(read(effective).config).toEqual(config);
  });
});

it('every row of the table has a sentence', () => {
  const rows = Object.values(SETTINGS).flatMap((row) => ('rows' in row ? [row, ...Object.values(row.rows)] : [row]));
  for (const { sentence } of rows) expect(sentence).toMatch(/^[A-Z0-9i].*\.$/);
});
