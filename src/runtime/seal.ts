// Secrets that must be read again (API keys, signing keys, webhooks' secrets) are sealed with a key file: AES-256-GCM, nonce in front, the row
// that a secret stands in as additional authenticated data.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { ensureFolder, makeOnce } from '#runtime/files/durable.ts';
import { allowed, isThere } from '#runtime/files/rights.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Seal {
  /** The key file. */
  readonly path: string;
  /** It opens in its place only. */
  seal(secret: string, place: SecretPlace): Uint8Array;
  /** Throws `storage` when the bytes were sealed with another key, or for another place. */
  open(sealed: Uint8Array, place: SecretPlace): string;
  /** A key for another purpose, from which the key file cannot be told. */
  derive(purpose: string): Uint8Array;
}

/** What a secret is, and the id of the row that it stands in. */
export interface SecretPlace {
  readonly kind: string;
  readonly id: string;
}

/** A secret in a ledger, and whose it is. A secret that was lost with its key has no bytes. */
export interface Sealed extends SecretPlace {
  readonly sealed: Uint8Array;
}

/** Those that were sealed with another key, or for another place. */
export function foreignOf<Each extends Sealed>(seal: Seal, secrets: readonly Each[]): Each[] {
  return secrets.filter((secret) => secret.sealed.length > 0 && opened(() => seal.open(secret.sealed, secret)) === undefined);
}

/** Throws `usage` when a ledger holds what another key has sealed: those secrets could not be read, and their accounts not be served. */
export function refuseForeign(seal: Seal, secrets: readonly Sealed[]): void {
  const [first, ...more] = foreignOf(seal, secrets);
  if (!first) return;
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  throw new AppError(
    'usage',
    `The key file ${seal.path} is not the one that sealed the ledgers (${first.kind} ${first.id}${others}), or a secret was moved there from another row: ${KEY_REMEDY}`,
  );
}

/** What can be done where the right key file is not there. */
export const KEY_REMEDY =
  "restore the one that belongs to them, from a backup or by 'masterKey' in the configuration; where it is lost, 'dropgate recover --new-key' makes do without, and lists what must be set anew.";

function opened(open: () => string): string | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** Reads the key file, or makes it (mode 0600) when it is not there. Throws `usage` where this user may not read it. */
export async function openSeal(path: string, random: Random): Promise<Seal> {
  if (!isThere(path)) {
    ensureFolder(dirname(path));
    await makeOnce(path, random(KEY_BYTES));
  }
  const key = allowed(() => readFileSync(path));
  if (key.length !== KEY_BYTES)
    throw new AppError('storage', `The key file ${path} must hold ${KEY_BYTES} bytes; restore it from a backup.`);
  function open(sealed: Uint8Array, place: SecretPlace): string {
    if (sealed.length === 0) throw new AppError('storage', 'This secret was lost with the key file that it was sealed with; set it anew.');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).setAAD(bytesOf(place));
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    try {
      return decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES)).toString('utf8') + decipher.final('utf8');
    } catch (error) {
      throw new AppError('storage', `A stored secret was sealed with another key file than ${path}, or for another row.`, { cause: error });
    }
  }
  return {
    path,
    seal(secret, place) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bytesOf(place));
      return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open,
    derive: (purpose) => new Uint8Array(hkdfSync('sha256', key, '', purpose, KEY_BYTES)),
  };
}

/** No kind has a line end in it. */
function bytesOf({ kind, id }: SecretPlace): Uint8Array {
  return Buffer.from(`${kind}\n${id}`);
}
