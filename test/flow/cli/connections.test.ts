// `dropgate connections --failed` and `dropgate host-key list` on a data folder.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { keepReject } from '#gateway/ledger/rejects.ts';
import { have } from '../../support/sftp-clients.ts';
import { testSite } from '../../support/site.ts';

const site = testSite();
const { at, run } = site;
beforeEach(() => configure('127.0.0.1:2222'));

function configure(listen: string, profile = 'compat'): void {
  site.configure(`sftp: {listen: '${listen}', profile: ${profile}${profile === 'legacy' ? ', legacyUntil: 2099-12-31' : ''}}`);
}

it('connections --failed shows what the daemon has kept', async () => {
  expect(await run('connections --failed')).toMatchObject({ status: 0, out: '' });
  const ledger = await openGatewayLedger(at('data'));
  const offer = { kex: ['diffie-hellman-group14-sha1'] };
  await ledger.write([], (rows) =>
    keepReject(rows, {
      address: '192.0.2.1',
      login: '',
      times: 1,
      atMs: Date.parse('2026-11-21T10:00:00Z'),
      reason: 'negotiation',
      client: 'SSH-2.0-JSCH-0.1.42',
      offer: JSON.stringify(offer),
      explanation: 'offers only diffie-hellman-group14-sha1 for key exchange; allow it with profile legacy',
    }),
  );
  await ledger.close();
  const { out } = await run('connections --failed');
  expect(out.split('\t')).toEqual([
    '2026-11-21T10:00:00.000Z',
    '1×',
    '192.0.2.1',
    '-',
    'SSH-2.0-JSCH-0.1.42',
    'offers only diffie-hellman-group14-sha1 for key exchange; allow it with profile legacy',
  ]);
  expect(JSON.parse((await run('connections --failed --json')).out)).toMatchObject({ login: '', reason: 'negotiation', times: 1, offer });
  expect(await run('connections')).toMatchObject({ status: 66, err: expect.stringContaining('No daemon runs here') });
});

it('host-key list prints fingerprints and known_hosts lines, always of the same keys', async () => {
  const keys = async (options = ''): Promise<{ type: string; fingerprint: string; knownHosts: string }[]> =>
    (await run(`host-key list --json${options}`)).out.split('\n').map((line) => JSON.parse(line));
  const first = await keys();
  expect(first.map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256']);
  for (const { type, knownHosts } of first) expect(knownHosts).toMatch(new RegExp(`^\\[127\\.0\\.0\\.1\\]:2222 ${type} [A-Za-z0-9+/=]+$`));
  expect(await keys()).toEqual(first);
  expect((await keys(' --host sftp.example.com'))[0]?.knownHosts).toMatch(/^\[sftp\.example\.com\]:2222 /);
  configure('0.0.0.0:22', 'legacy');
  const legacy = await keys(' --host sftp.example.com');
  expect(legacy.map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa']);
  expect(legacy[0]?.knownHosts).toMatch(/^sftp\.example\.com ssh-ed25519 /);
});

it.skipIf(!have('ssh-keygen'))('host-key list agrees with ssh-keygen', async () => {
  const { out } = await run('host-key list');
  const lines = out.split('\n');
  const knownHosts = at('known_hosts');
  writeFileSync(knownHosts, lines.filter((line) => line.startsWith('[')).join('\n'));
  const shown = spawnSync('ssh-keygen', ['-lf', knownHosts], { encoding: 'utf8' }).stdout;
  const fingerprints = lines.filter((line) => !line.startsWith('[')).map((line) => line.split('\t')[1]);
  expect(fingerprints).toHaveLength(2);
  for (const fingerprint of fingerprints) expect(shown).toContain(` ${fingerprint} `);
});
