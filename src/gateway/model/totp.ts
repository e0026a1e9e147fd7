// Codes by time (RFC 6238): six digits of HMAC-SHA-1 over the half minute, as every authenticator makes them.
import { base32, RFC4648 } from '#domain/id.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
/** Clocks may differ by one step. */
const STEPS_AROUND = [0, -1, 1] as const;

/** HMAC-SHA-1 by the secret. */
type Mac = (counter: Uint8Array) => Uint8Array;

/** The code of a step (RFC 4226 §5.3). */
export function codeOf(mac: Mac, step: number): string {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const digest = mac(new Uint8Array(counter.buffer));
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  const number = view.getUint32(view.getUint8(digest.length - 1) & 0x0f) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The step whose code this is, of those around now that come after `usedStep`; undefined for a code of none. */
export function stepOf(mac: Mac, code: string, nowMs: number, usedStep: number): number | undefined {
  const now = Math.floor(nowMs / STEP_MS);
  const given = code.replaceAll(' ', '');
  return STEPS_AROUND.map((around) => now + around).find((step) => step > usedStep && codeOf(mac, step) === given);
}

/** What an authenticator reads. */
export function otpauthUri(operator: string, host: string, secret: Uint8Array): string {
  const label = encodeURIComponent(`Dropgate ${host}:${operator}`);
  return `otpauth://totp/${label}?${new URLSearchParams({ secret: base32(secret, RFC4648), issuer: `Dropgate ${host}` })}`.replaceAll(
    '+',
    '%20',
  );
}
