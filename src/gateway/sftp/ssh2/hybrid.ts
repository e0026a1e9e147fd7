// The key exchange mlkem768x25519-sha256 (draft-ietf-sshm-mlkem-hybrid-kex): ML-KEM-768 and X25519 together, the server's side.
import { createHash, createPublicKey, diffieHellman, encapsulate, generateKeyPairSync, type KeyObject } from 'node:crypto';

export const HYBRID = 'mlkem768x25519-sha256';

const KEM_KEY_BYTES = 1_184;
const CURVE_KEY_BYTES = 32;
/** What stands before the key itself in DER (SubjectPublicKeyInfo). */
const KEM_KEY_HEAD = Buffer.from('308204b2300b0609608648016503040402038204a100', 'hex');
const CURVE_KEY_HEAD = Buffer.from('302a300506032b656e032100', 'hex');

interface HybridAnswer {
  /** What the server sends: the ciphertext, and its X25519 key. */
  readonly share: Buffer;
  /** K = SHA-256(K_PQ ‖ K_CL); enters the exchange hash as a string, not as an mpint. */
  readonly secret: Buffer;
}

/** Answers the client's share: its ML-KEM key, and its X25519 key. Throws when they are none. */
export function answerHybrid(share: Uint8Array): HybridAnswer {
  if (share.length !== KEM_KEY_BYTES + CURVE_KEY_BYTES) throw new RangeError(`a share of ${share.length} bytes`);
  const theirKem = publicKey(KEM_KEY_HEAD, share.subarray(0, KEM_KEY_BYTES));
  const theirCurve = publicKey(CURVE_KEY_HEAD, share.subarray(KEM_KEY_BYTES));
  const { sharedKey, ciphertext } = encapsulate(theirKem);
  const ours = generateKeyPairSync('x25519');
  // Throws for points of low order, as RFC 8731 §3 wants.
  const agreed = diffieHellman({ privateKey: ours.privateKey, publicKey: theirCurve });
  const ourCurve = ours.publicKey.export({ format: 'der', type: 'spki' }).subarray(-CURVE_KEY_BYTES);
  return {
    share: Buffer.concat([ciphertext, ourCurve]),
    secret: createHash('sha256').update(sharedKey).update(agreed).digest(),
  };
}

function publicKey(head: Buffer, key: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([head, key]), format: 'der', type: 'spki' });
}
