// Secrets that must be read again (API keys, signing keys, webhooks' secrets) are sealed with a key file: AES-256-GCM, nonce in front.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { ensureFolder, replaceDurable } from './files.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Seal {
  /** The key file. */
  readonly path: string;
  seal(secret: string): Uint8Array;
  /** Throws `storage` when the bytes were sealed with another key. */
  open(sealed: Uint8Array): string;
}

/** A secret in a ledger, and whose it is. Of one that was lost with its key nothing is left: it has no bytes. */
export interface Sealed {
  readonly kind: string;
  readonly id: string;
  readonly sealed: Uint8Array;
}

/** Those that were sealed with another key. */
export function foreignOf<Each extends Sealed>(seal: Seal, secrets: readonly Each[]): Each[] {
  return secrets.filter(({ sealed }) => sealed.length > 0 && !opens(seal, sealed));
}

/** Throws `usage` when a ledger holds what another key has sealed: those secrets could not be read, and their accounts not be served. */
export function refuseForeign(seal: Seal, secrets: readonly Sealed[]): void {
  const [first, ...more] = foreignOf(seal, secrets);
  if (!first) return;
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  throw new AppError(
    'usage',
    `The key file ${seal.path} is not the one that sealed the ledgers (${first.kind} of ${first.id}${others}): ${KEY_REMEDY}`,
  );
}

/** What can be done where the right key file is not there. */
export const KEY_REMEDY =
  "restore the one that belongs to them, from a backup or by 'masterKey' in the configuration; where it is lost, 'dropgate recover --new-key' makes do without, and lists what must be set anew.";

function opens(seal: Seal, sealed: Uint8Array): boolean {
  try {
    seal.open(sealed);
    return true;
  } catch {
    return false;
  }
}

/** Reads the key file, or makes it (mode 0600) when it is not there. */
export async function openSeal(path: string, random: Random): Promise<Seal> {
  if (!existsSync(path)) {
    ensureFolder(dirname(path));
    await replaceDurable(path, random(KEY_BYTES));
  }
  const key = readFileSync(path);
  if (key.length !== KEY_BYTES)
    throw new AppError('storage', `The key file ${path} must hold ${KEY_BYTES} bytes; restore it from a backup.`);
  return {
    path,
    seal(secret) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      if (sealed.length === 0)
        throw new AppError('storage', 'This secret was lost with the key file that it was sealed with; set it anew.');
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
      try {
        return decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES)).toString('utf8') + decipher.final('utf8');
      } catch (error) {
        throw new AppError('storage', `A stored secret was sealed with another key file than ${path}.`, { cause: error });
      }
    },
  };
}
