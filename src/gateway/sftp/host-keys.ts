// The server's host keys: made once, kept in the keys folder for the owner only, shown by their fingerprints.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { AppError } from '#domain/error.ts';
import { fingerprint } from '#gateway/sftp/auth/fingerprint.ts';
import { PROFILES, type ProfileName } from '#gateway/sftp/ssh2/algorithms.ts';
import { ensureFolder, makeOnce } from '#runtime/files/durable.ts';
import { allowed, isThere } from '#runtime/files/rights.ts';

export interface HostKey {
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256` or `ssh-rsa`. */
  readonly type: string;
  /** `SHA256:…`, as clients show it at the first connection. */
  readonly fingerprint: string;
  /** Type and key in base 64: what stands in known_hosts behind the host's name. */
  readonly publicLine: string;
  /** The private key in OpenSSH's form. */
  readonly privateKey: string;
}

/** In the order of preference. ECDSA is for clients that are too old for Ed25519, RSA for those that are too old for both. */
const KEYS = [
  { type: 'ssh-ed25519', file: 'ssh_host_ed25519_key', make: () => ssh2.utils.generateKeyPairSync('ed25519') },
  { type: 'ecdsa-sha2-nistp256', file: 'ssh_host_ecdsa_key', make: () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }) },
  { type: 'ssh-rsa', file: 'ssh_host_rsa_key', make: () => ssh2.utils.generateKeyPairSync('rsa', { bits: 3_072 }) },
] as const;

const TRIES_MAX = 20;

const USUAL: readonly ProfileName[] = ['compat'];

/** Reads the host keys of the profiles from `folder`, and makes those that are not there. Throws `usage` for a key that cannot be used. */
export async function loadHostKeys(folder: string, profiles = USUAL): Promise<readonly HostKey[]> {
  ensureFolder(folder);
  for (const { path, make } of neededBy(profiles, folder)) {
    if (!isThere(path)) await makeOnce(path, Buffer.from(firstUsable(make)));
  }
  return readHostKeys(folder, profiles);
}

/** Those of the profiles that are there. Throws `usage` for a key that cannot be used. */
export function readHostKeys(folder: string, profiles = USUAL): readonly HostKey[] {
  return neededBy(profiles, folder).flatMap(({ path }) => (isThere(path) ? [readHostKey(path)] : []));
}

function neededBy(profiles: readonly ProfileName[], folder: string) {
  return KEYS.filter(({ type }) => profiles.some((profile) => serves(profile, type))).map(({ file, make }) => ({
    path: join(folder, file),
    make,
  }));
}

/** Whether a listener of the profile shows host keys of the type. */
export function serves(profile: ProfileName, type: string): boolean {
  return PROFILES[profile].serverHostKey.includes(type);
}

/** ssh2 drops a leading zero from about one Ed25519 key in 500, which makes it unreadable: such a key is made again. */
export function firstUsable(make: () => { readonly private: string }): string {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { private: key } = make();
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
  throw new AppError('internal', `No usable host key was made in ${TRIES_MAX} tries.`);
}

function readHostKey(path: string): HostKey {
  if (statSync(path).mode & 0o007) throw new AppError('usage', `The host key ${path} can be read by everybody: chmod 600 ${path}`);
  const privateKey = allowed(() => readFileSync(path, 'utf8'));
  const key = ssh2.utils.parseKey(privateKey);
  if (key instanceof Error || !key.isPrivateKey()) {
    throw new AppError('usage', `The host key ${path} cannot be read. Restore it, or move it away to have a new one made.`, { cause: key });
  }
  const publicBytes = key.getPublicSSH();
  return { type: key.type, fingerprint: fingerprint(publicBytes), publicLine: `${key.type} ${publicBytes.toString('base64')}`, privateKey };
}

const SSH_PORT = 22;

/** What stands in a client's known_hosts for this key. */
export function knownHostsLine({ publicLine }: HostKey, host: string, port: number): string {
  return `${port === SSH_PORT ? host : `[${host}]:${port}`} ${publicLine}`;
}
