// Makes API keys, and the digests by which the ledger knows them.
import { hash } from 'node:crypto';
import type { Random } from '#domain/id.ts';

/** 256 random bits, so that a plain SHA-256 is enough to check them by. */
const KEY_BYTES = 32;
const PREFIX = { test: 'dg_test_', production: 'dg_live_' } as const;
const KEY = /^dg_(?:test|live)_[\w-]{43}$/;

export type Environment = keyof typeof PREFIX;

export function newApiKey(environment: Environment, random: Random): string {
  return PREFIX[environment] + Buffer.from(random(KEY_BYTES)).toString('base64url');
}

/** SHA-256, hex: the ledger keeps this, not the key. */
export function digestOfKey(key: string): string {
  return hash('sha256', key);
}

/** A key has our form, and was made for this environment. */
export function isOfEnvironment(key: string, environment: Environment): boolean {
  return isApiKey(key) && key.startsWith(PREFIX[environment]);
}

export function isApiKey(text: string): boolean {
  return KEY.test(text);
}
