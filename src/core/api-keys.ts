// API keys: how they are made, what of them is kept, and how a request carries one.
import { createHash } from 'node:crypto';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import type { Environment } from './context.ts';

/** 256 random bits, so that a plain SHA-256 is enough to check them by. */
const KEY_BYTES = 32;
const PREFIX: Readonly<Record<Environment, string>> = { test: 'dg_test_', production: 'dg_live_' };
const KEY = /^dg_(?:test|live)_[\w-]{43}$/;

export function newApiKey(environment: Environment, random: Random): string {
  return PREFIX[environment] + Buffer.from(random(KEY_BYTES)).toString('base64url');
}

/** SHA-256, hex: what the ledger keeps of a key. */
export function digestOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function isOfEnvironment(key: string, environment: Environment): boolean {
  return key.startsWith(PREFIX[environment]);
}

/** The key of an Authorization header: `ApiKey KEY`, bare `KEY`, or `Bearer KEY`. Throws `unauthenticated` when there is none of our form. */
export function keyOfHeader(header: string | undefined): string {
  const key = /^(?:(?:ApiKey|Bearer) +)?(\S+)$/i.exec(header?.trim() ?? '')?.[1];
  if (key === undefined || !KEY.test(key)) {
    const sentence = 'The request carries no usable API key: send the header Authorization: ApiKey KEY.';
    throw new AppError('unauthenticated', sentence);
  }
  return key;
}
