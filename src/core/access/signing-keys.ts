// The Ed25519 keys that sign tokens: made, sealed, rotated by time, and published until the last token signed with them has ended.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import { type KeySet, TOKEN_LIFETIME_S } from '#contract/tokens.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { secretPlace } from '#core/ledger/sealed.ts';
import { findCurrentKey, replaceCurrentKey, type SigningKeyRow, selectPublishedKeys } from '#core/ledger/signing-keys.ts';
import { AppError } from '#domain/error.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Seal } from '#runtime/seal.ts';

export const ALGORITHM = 'EdDSA';
const CURVE = 'Ed25519';
/** A key signs for so long. */
const ROTATE_AFTER_MS = 30 * 24 * 60 * 60_000;
/** After that no token signed with a retired key is valid any more. */
const PUBLISHED_MS = TOKEN_LIFETIME_S * 1_000;
const PUBLIC_KEYS_KEPT = 16;

type Key = Awaited<ReturnType<typeof importJWK>>;

export interface SigningKeys {
  /** Makes the first one, or another where it was lost with its key file, so that the ledger holds something by which another key file is told. */
  ensure(): Promise<void>;
  /** The private key to sign with now, and its id; a new one when the last is too old. */
  current(): Promise<{ readonly kid: string; readonly key: Key }>;
  /** The public key with this id; undefined when there is none (any more). */
  find(kid: string): Promise<Key | undefined>;
  /** All keys that tokens may be signed with. */
  published(): Promise<KeySet>;
}

export interface SigningKeyOptions {
  readonly ledger: Ledger;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly log: Log;
}

export function openSigningKeys({ ledger, seal, clock, log }: SigningKeyOptions): SigningKeys {
  let signing: { kid: string; key: Key } | null = null;
  const publicKeys = new LruCache<Key>(PUBLIC_KEYS_KEPT);

  async function published(): Promise<KeySet> {
    const rows = await selectPublishedKeys(ledger.read, clock.now() - PUBLISHED_MS);
    return { keys: rows.map(({ kid, x }) => ({ kty: 'OKP', crv: CURVE, x, kid, alg: ALGORITHM, use: 'sig' })) };
  }

  /** Null when the row is too old, or was sealed with a key file that is gone: a signing key is easily replaced. */
  async function usable(row: SigningKeyRow | undefined): Promise<{ kid: string; key: Key } | null> {
    if (!row || row.created_at <= clock.now() - ROTATE_AFTER_MS) return null;
    if (signing?.kid === row.kid) return signing;
    try {
      return {
        kid: row.kid,
        key: await importJWK(
          { kty: 'OKP', crv: CURVE, x: row.x, d: seal.open(row.sealed, secretPlace('key that signs tokens', row.kid)) },
          ALGORITHM,
        ),
      };
    } catch (error) {
      log.warn({ event: 'core.signing-key-unusable', kid: row.kid, err: error });
      return null;
    }
  }

  async function rotate(old: SigningKeyRow | undefined): Promise<SigningKeyRow> {
    const next = await newKey(seal, clock);
    const current = await ledger.write(['administration'], async (rows) => {
      const found = await findCurrentKey(rows);
      // Another request, or another core, has rotated it meanwhile.
      if (found && found.kid !== old?.kid) return found;
      const now = clock.now();
      await replaceCurrentKey(rows, next, now, now - PUBLISHED_MS);
      return { ...next, retired_at: null };
    });
    if (current.kid === next.kid) log.info({ event: 'core.signing-key-made', kid: next.kid, replaced: old?.kid ?? null });
    return current;
  }

  return {
    async ensure() {
      const row = await findCurrentKey(ledger.read);
      if (!row || row.sealed.length === 0) await rotate(row);
    },
    async current() {
      const row = await findCurrentKey(ledger.read);
      signing = (await usable(row)) ?? (await usable(await rotate(row)));
      if (!signing) throw new AppError('internal', 'There is no key to sign tokens with.');
      return signing;
    },
    async find(kid) {
      const { keys } = await published();
      const jwk = keys.find((key) => key.kid === kid);
      return jwk && (publicKeys.get(kid) ?? publicKeys.put(kid, await importJWK(jwk, ALGORITHM)));
    },
    published,
  };
}

/** The id of a key is its thumbprint (RFC 7638). */
async function newKey(seal: Seal, clock: Clock): Promise<Omit<SigningKeyRow, 'retired_at'>> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true });
  const jwk = await exportJWK(privateKey);
  const { x, d } = jwk;
  if (x === undefined || d === undefined) throw new AppError('internal', 'The signing key that was made is incomplete.');
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, x, sealed: seal.seal(d, secretPlace('key that signs tokens', kid)), created_at: clock.now() };
}
