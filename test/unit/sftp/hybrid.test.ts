import { createHash, createPublicKey, decapsulate, diffieHellman, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { answerHybrid } from '#gateway/sftp/hybrid.ts';

const kem = generateKeyPairSync('ml-kem-768');
const curve = generateKeyPairSync('x25519');
const kemKey = kem.publicKey.export({ format: 'der', type: 'spki' }).subarray(22);
const curveKey = curve.publicKey.export({ format: 'der', type: 'spki' }).subarray(12);

describe('mlkem768x25519-sha256', () => {
  it('gives both sides the same secret, of SHA-256 over both secrets', () => {
    const { share, secret } = answerHybrid(Buffer.concat([kemKey, curveKey]));
    expect([kemKey.length + curveKey.length, share.length, secret.length]).toEqual([1_216, 1_120, 32]);
    const fromKem = decapsulate(kem.privateKey, share.subarray(0, 1_088));
    const theirs = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), share.subarray(1_088)]),
      format: 'der',
      type: 'spki',
    });
    const fromCurve = diffieHellman({ privateKey: curve.privateKey, publicKey: theirs });
    expect(secret).toEqual(createHash('sha256').update(fromKem).update(fromCurve).digest());
    expect(answerHybrid(Buffer.concat([kemKey, curveKey])).secret).not.toEqual(secret);
  });

  it.each<[string, Uint8Array]>([
    ['too short', Buffer.concat([kemKey, curveKey]).subarray(1)],
    ['too long', Buffer.concat([kemKey, curveKey, Buffer.of(0)])],
    ['empty', Buffer.alloc(0)],
    ['of no ML-KEM key', Buffer.concat([Buffer.alloc(1_184, 0xff), curveKey])],
    ['with a point of low order', Buffer.concat([kemKey, Buffer.alloc(32)])],
  ])('refuses a share that is %s', (_what, share) => expect(() => answerHybrid(share)).toThrow());
});
