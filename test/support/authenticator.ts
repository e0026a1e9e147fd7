// An authenticator as people have it on their telephones (RFC 6238), beside the clock of a test.
import { createHmac } from 'node:crypto';
import { codeOf } from '#gateway/model/totp.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

/** Reads the secret that `dropgate operator set --totp` prints; shows the code of a moment. */
export function authenticator(printed: string): { readonly secret: string; readonly codeAt: (nowMs: number) => string } {
  const secret = /[?&]secret=([A-Z2-7]+)&/.exec(printed)?.[1] ?? '';
  const bits = [...secret].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const mac = (counter: Uint8Array): Uint8Array => createHmac('sha1', key).update(counter).digest();
  return { secret, codeAt: (nowMs) => codeOf(mac, Math.floor(nowMs / STEP_MS)) };
}
