// The post-quantum exchange, the server's side: both sides have one secret, by keys of published vectors, too.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  decapsulate,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { answerHybrid } from '#gateway/sftp/ssh2/hybrid.ts';
import vector from '../../../../fixtures/ml-kem-768.json' with { type: 'json' };

const X25519_PRIVATE = '302e020100300506032b656e04220420';
const X25519_PUBLIC = Buffer.from('302a300506032b656e032100', 'hex');

/** From what stands before the key in DER (PKCS #8), and the key itself. */
function privateKey(head: string, key: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(head + key, 'hex'), format: 'der', type: 'pkcs8' });
}

function rawPublic(key: KeyObject, bytes: number): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-bytes);
}

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
      key: Buffer.concat([X25519_PUBLIC, share.subarray(1_088)]),
      format: 'der',
      type: 'spki',
    });
    const fromCurve = diffieHellman({ privateKey: curve.privateKey, publicKey: theirs });
    expect(secret).toEqual(createHash('sha256').update(fromKem).update(fromCurve).digest());
    expect(answerHybrid(Buffer.concat([kemKey, curveKey])).secret).not.toEqual(secret);
  });

  it('stands on the ML-KEM of FIPS 203 and the X25519 of RFC 7748, and answers the keys of their vectors', () => {
    const theirKem = privateKey('3054020100300b060960864801650304040204428040', vector.seed);
    const theirKemKey = rawPublic(theirKem, 1_184);
    expect(createHash('sha256').update(theirKemKey).digest('hex')).toBe(vector.keySha256);
    expect(decapsulate(theirKem, Buffer.from(vector.ciphertext, 'hex')).toString('hex')).toBe(vector.secret);
    // RFC 7748 §6.1: Alice and Bob.
    const alice = privateKey(X25519_PRIVATE, '77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a');
    const bob = privateKey(X25519_PRIVATE, '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb');
    const agreed = diffieHellman({ privateKey: alice, publicKey: createPublicKey(bob) });
    expect(agreed.toString('hex')).toBe('4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742');

    const { share, secret } = answerHybrid(Buffer.concat([theirKemKey, rawPublic(alice, 32)]));
    const server = createPublicKey({ key: Buffer.concat([X25519_PUBLIC, share.subarray(1_088)]), format: 'der', type: 'spki' });
    const both = [decapsulate(theirKem, share.subarray(0, 1_088)), diffieHellman({ privateKey: alice, publicKey: server })];
    expect(secret).toEqual(createHash('sha256').update(Buffer.concat(both)).digest());
  });

  it.each<[string, Uint8Array]>([
    ['too short', Buffer.concat([kemKey, curveKey]).subarray(1)],
    ['too long', Buffer.concat([kemKey, curveKey, Buffer.of(0)])],
    ['empty', Buffer.alloc(0)],
    ['of no ML-KEM key', Buffer.concat([Buffer.alloc(1_184, 0xff), curveKey])],
    ['with a point of low order', Buffer.concat([kemKey, Buffer.alloc(32)])],
  ])('refuses a share that is %s', (_what, share) => expect(() => answerHybrid(share)).toThrow());
});
