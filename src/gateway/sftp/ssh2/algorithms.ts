// The algorithms that are offered: a table of profiles, as names of the SSH registry.
import type { Algorithms } from 'ssh2';
import { AppError } from '#domain/error.ts';
import type { AlgorithmLists } from '#gateway/sftp/ssh2/client-kexinit.ts';
import { HYBRID } from '#gateway/sftp/ssh2/hybrid.ts';

/** From the narrowest to the widest. */
const PROFILE_NAMES = ['strict', 'compat', 'legacy'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/**
 * `compat`: for every client of the last ten years. Not offered: group exchange (ssh2 has no server side for it), chacha20 (OpenSSH would
 * prefer it, and AES-GCM costs less), CBC, SHA-1, and compression, which ssh2 would do before the login.
 */
const COMPAT: AlgorithmLists = {
  kex: [
    HYBRID,
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};

/** For ERPs of the last century: what `compat` leaves out for good reasons, after all the rest. */
const LEGACY: AlgorithmLists = {
  kex: [...COMPAT.kex, 'diffie-hellman-group14-sha1'],
  serverHostKey: [...COMPAT.serverHostKey, 'rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
  cipher: [...COMPAT.cipher, 'aes128-cbc', 'aes256-cbc'],
  hmac: [...COMPAT.hmac, 'hmac-sha1'],
  compress: COMPAT.compress,
};

/** Safe against quantum computers, too; for clients of the last two years. */
const STRICT: AlgorithmLists = {
  kex: [HYBRID],
  serverHostKey: ['ssh-ed25519'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
  compress: ['none'],
};

export const PROFILES: Readonly<Record<ProfileName, AlgorithmLists>> = { strict: STRICT, compat: COMPAT, legacy: LEGACY };

/**
 * A profile as ssh2 takes it; `serverHostKey` follows from the host keys. Throws `usage` for a profile that offers only the post-quantum exchange
 * when that is not there.
 */
export function algorithmsOf(profile: ProfileName, hasHybrid: boolean): Algorithms {
  const { cipher, hmac, compress } = PROFILES[profile];
  const kex = PROFILES[profile].kex.filter((name) => hasHybrid || name !== HYBRID);
  if (kex.length === 0)
    throw new AppError('usage', `Profile ${profile} needs ${HYBRID}, which the installed version of ssh2 does not have.`);
  // @ts-expect-error ssh2's types know a fixed list of names.
  return { kex: [...kex], cipher: [...cipher], hmac: [...hmac], compress: [...compress] };
}

/** What users' keys may sign with, as server-sig-algs tells it (RFC 8308 §3.1). */
const SIGNATURES = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'rsa-sha2-512', 'rsa-sha2-256'];

export function signaturesOf(profile: ProfileName): readonly string[] {
  return profile === 'legacy' ? [...SIGNATURES, 'ssh-rsa'] : SIGNATURES;
}

const KINDS = [
  ['kex', 'key exchange'],
  ['serverHostKey', 'host keys'],
  ['cipher', 'encryption'],
  ['hmac', 'integrity'],
  ['compress', 'compression'],
] as const;
const SHOWN_MAX = 6;

/** Why client and server cannot agree, as the end of a sentence that begins with the client; undefined when they can. */
export function disagreement(offer: AlgorithmLists, profile: ProfileName, legacyEnded: string | null = null): string | undefined {
  const missing = KINDS.find(([kind]) => !agrees(offer, PROFILES[profile], kind));
  if (!missing) return undefined;
  const [kind, word] = missing;
  const shown = offer[kind].slice(0, SHOWN_MAX).join(', ') || 'nothing';
  const wider = PROFILE_NAMES.slice(PROFILE_NAMES.indexOf(profile) + 1);
  const helpful = wider.find((name) => KINDS.every(([each]) => agrees(offer, PROFILES[name], each)));
  const isOver = helpful === 'legacy' && legacyEnded !== null;
  const allowed = isOver
    ? `profile legacy allowed it until ${legacyEnded}: update it, or extend legacyUntil`
    : `allow it with profile ${helpful}`;
  return `offers only ${shown} for ${word}; ${helpful ? allowed : 'no profile allows that: it needs an update'}`;
}

function agrees(offer: AlgorithmLists, ours: AlgorithmLists, kind: keyof AlgorithmLists): boolean {
  if (kind === 'hmac') {
    const cipher = offer.cipher.find((name) => ours.cipher.includes(name));
    // RFC 5647 §5.1: GCM brings its own.
    if (cipher?.includes('gcm')) return true;
  }
  return offer[kind].some((name) => ours[kind].includes(name));
}

/** The names among these that only profile `legacy` allows. */
export function legacyNames(used: readonly string[]): string[] {
  return used.filter((name) => Object.values(LEGACY).some((names) => names.includes(name)) && !isModern(name));
}

function isModern(name: string): boolean {
  return name.startsWith('rsa-sha2-') || Object.values(COMPAT).some((names) => names.includes(name));
}
