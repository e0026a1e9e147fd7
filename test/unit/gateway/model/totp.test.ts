// Codes by time, by the vectors of RFC 6238, appendix B (SHA-1; the last six of their eight digits).
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { codeOf, otpauthUri, stepOf } from '#gateway/model/totp.ts';

const SECRET = Buffer.from('12345678901234567890');
const mac = (counter: Uint8Array): Uint8Array => createHmac('sha1', SECRET).update(counter).digest();

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at %d s it is %s', (seconds, code) => {
  expect(codeOf(mac, Math.floor(seconds / 30))).toBe(code);
  expect(stepOf(mac, code, seconds * 1_000, 0)).toBe(Math.floor(seconds / 30));
  expect(stepOf(mac, code, (seconds + 30) * 1_000, 0)).toBe(Math.floor(seconds / 30));
});

it('is none of another time, none that was used, and none before it', () => {
  const step = Math.floor(1_111_111_109 / 30);
  expect(stepOf(mac, '081804', (1_111_111_109 + 90) * 1_000, 0)).toBeUndefined();
  expect(stepOf(mac, '081804', 1_111_111_109_000, step)).toBeUndefined();
  for (const code of ['', '81804', '0818040', 'abcdef']) expect(stepOf(mac, code, 1_111_111_109_000, 0)).toBeUndefined();
});

it('an authenticator reads the secret in base32', () => {
  expect(otpauthUri('anna', 'gw1', SECRET)).toBe(
    'otpauth://totp/Dropgate%20gw1%3Aanna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Dropgate%20gw1',
  );
});
