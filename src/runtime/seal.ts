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
  seal(secret: string): Uint8Array;
  /** Throws `storage` when the bytes were sealed with another key. */
  open(sealed: Uint8Array): string;
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
    seal(secret) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
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
