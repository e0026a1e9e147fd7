// What an auditor says of each profile: ssh-audit where one of version 3.9 or later is there, and otherwise a check of our own that
// reads the offer from the wire and holds each name against what ssh-audit finds good.
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { type AlgorithmLists, readKexInit } from '#gateway/sftp/ssh2/client-kexinit.ts';
import { run } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { helloOf } from '../../../support/ssh-handshake.ts';

const LEGACY = { profile: 'legacy', legacyUntil: Date.now() + 86_400_000 } as const;

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

const version = await versionOf().catch(() => undefined);
const isRecent = version !== undefined && (version[0] > 3 || (version[0] === 3 && version[1] >= 9));
console.warn(
  isRecent
    ? `\n*** ssh-audit ${version.join('.')} audits the profiles ***\n`
    : '\n*** no ssh-audit of version 3.9 or later is here: the offered lists are checked by this suite ITSELF ***\n',
);

async function versionOf(): Promise<readonly [number, number] | undefined> {
  const { out, err } = await run('ssh-audit', ['--help']);
  const found = /ssh-audit v?(\d+)\.(\d+)/.exec(out + err);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

// Debian has older ones only, and this suite's own check stands for it.
if (isRecent) {
  describe('ssh-audit', () => {
    // Its exit status: 2 when there is a warning, 3 when there is a failure.
    it('finds nothing to warn of in profile strict', async () => {
      server = await startTestServer({ listener: { profile: 'strict' } });
      const { status, out, err } = await run('ssh-audit', ['-p', String(server.port), '127.0.0.1']);
      expect({ status, told: status === 0 ? '' : out + err }).toEqual({ status: 0, told: '' });
    });
  });
}

/** Names in which ssh-audit 3.9 finds neither failure nor warning. */
const GOOD: AlgorithmLists = {
  kex: ['mlkem768x25519-sha256', 'sntrup761x25519-sha512', 'sntrup761x25519-sha512@openssh.com'],
  serverHostKey: ['ssh-ed25519', 'rsa-sha2-256', 'rsa-sha2-512'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'umac-128-etm@openssh.com'],
  compress: ['none'],
};
/** What a profile offers beside them, and why; a name that is nowhere here must not come in by accident. */
const ACCEPTED: Readonly<Record<'strict' | 'compat' | 'legacy', readonly string[]>> = {
  strict: [],
  compat: [
    // Not safe against quantum computers: most clients have nothing else.
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'diffie-hellman-group16-sha512',
    // Of 2,048 bits: JSch 0.1.55 shares nothing else.
    'diffie-hellman-group14-sha256',
    // Curves of NIST: for clients without Curve25519 and Ed25519.
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'ecdsa-sha2-nistp256',
    // Encrypt-and-MAC: libssh2 and others have no ETM.
    'hmac-sha2-256',
    'hmac-sha2-512',
  ],
  legacy: ['diffie-hellman-group14-sha1', 'ssh-rsa', 'aes128-cbc', 'aes256-cbc', 'hmac-sha1'],
};

describe('our own audit', () => {
  it.each([
    ['strict', { profile: 'strict' }, ACCEPTED.strict],
    ['compat', { profile: 'compat' }, ACCEPTED.compat],
    ['legacy', LEGACY, [...ACCEPTED.compat, ...ACCEPTED.legacy]],
  ] as const)('of profile %s finds what is good, and what is accepted for a reason', async (profile, listener, accepted) => {
    server = await startTestServer({ listener });
    const { ident, kexInit } = await helloOf(server.port);
    const offer = readKexInit(kexInit);
    if (!offer) throw new Error('no offer');
    const kinds = ['kex', 'serverHostKey', 'cipher', 'hmac', 'compress'] as const;
    const remarkable = kinds.flatMap((kind) => offer[kind].filter((name) => !GOOD[kind].includes(name)));
    expect([profile, remarkable.toSorted()]).toEqual([profile, [...new Set(accepted)].toSorted()]);
    // Against prefix truncation (Terrapin, CVE-2023-48795), which concerns ETM with CBC, and whatever has no strict exchange.
    expect(kexInit.includes('kex-strict-s-v00@openssh.com')).toBe(true);
    expect(ident).toBe('SSH-2.0-Dropgate');
  });

  it('goes over RSA host keys of 3,072 bits', async () => {
    server = await startTestServer({ listener: LEGACY });
    const lines = readFileSync(server.knownHosts, 'utf8').split('\n');
    const key = ssh2.utils.parseKey(
      lines.map((line) => line.slice(line.indexOf(' ') + 1)).find((line) => line.startsWith('ssh-rsa ')) ?? '',
    );
    if (key instanceof Error) throw key;
    expect(createPublicKey(key.getPublicPEM()).asymmetricKeyDetails).toMatchObject({ modulusLength: 3_072 });
  });
});
