// Teaches ssh2's server the key exchange that it lacks: mlkem768x25519-sha256 takes the place of ssh2's curve25519 exchange, which has the same
// messages and the same hash.
import { string } from '#gateway/sftp/protocol/fields.ts';
import { readKexInit } from './client-kexinit.ts';
import { answerHybrid, HYBRID } from './hybrid.ts';
import { type KeyExchange, loadInternal, type Protocol } from './internals.ts';
import { allowMessagesDuringRekey } from './rekey.ts';

const REPLACED = 'curve25519-sha256';
const KEXINIT = 20;
/** The type, and the cookie (RFC 4253 §7.1). */
const KEXINIT_HEAD_BYTES = 17;

/** To be called before a server is made that offers the exchange. */
export function teachHybrid(): void {
  const supported = loadInternal('constants.js').SUPPORTED_KEX;
  if (supported.includes(HYBRID)) return;
  supported.push(HYBRID);
  // Later exchanges of a connection; handleFirstExchange() handles the first one.
  const handlers = loadInternal('handlers.js');
  const rekey = handlers[KEXINIT];
  handlers[KEXINIT] = (protocol, payload) => {
    const result = negotiate(protocol, payload, (read) => rekey?.(protocol, read));
    allowMessagesDuringRekey(protocol, handlers);
    return result;
  };
}

/**
 * Handles the first exchange of a connection; to be called when the client has sent its version line. What comes back tells after the exchange
 * whether the client takes EXT_INFO (RFC 8308), which ssh2 is kept from sending.
 */
export function handleFirstExchange(protocol: Protocol): () => boolean {
  let takesExtInfo = false;
  const decipher = protocol._decipher;
  const receive = decipher._onPayload;
  decipher._onPayload = (payload) => {
    if (payload[0] !== KEXINIT) return receive(payload);
    const result = negotiate(protocol, payload, receive);
    const exchange = protocol._kex;
    takesExtInfo = exchange?.remoteExtInfoEnabled === true;
    if (exchange) exchange.remoteExtInfoEnabled = false;
    return result;
  };
  return () => takesExtInfo;
}

/**
 * `proceed` is ssh2's own negotiation. When client and server agree on our exchange, ssh2 is shown that they agree on the replaced one, and its
 * exchange is then filled with ours.
 */
function negotiate(protocol: Protocol, payload: Buffer, proceed: (payload: Buffer) => unknown): unknown {
  const offered = readKexInit(payload)?.kex;
  const { kex } = protocol._offer.lists;
  const ours = kex.array;
  if (offered?.find((name) => ours.includes(name)) !== HYBRID) return proceed(payload);

  const before = protocol._kex;
  // All connections share this list; ssh2 reads it before it returns.
  kex.array = ours.map((name) => (name === HYBRID ? REPLACED : name)).filter((name, at, all) => all.indexOf(name) === at);
  let result: unknown;
  try {
    result = proceed(withReplaced(payload));
  } finally {
    kex.array = ours;
  }
  if (protocol._kex && protocol._kex !== before) fill(protocol._kex, payload);
  return result;
}

/** The client's KEXINIT with the name of the replaced exchange instead of ours. */
function withReplaced(payload: Buffer): Buffer {
  const length = payload.readUInt32BE(KEXINIT_HEAD_BYTES);
  const end = KEXINIT_HEAD_BYTES + 4 + length;
  const names = payload.toString('latin1', KEXINIT_HEAD_BYTES + 4, end).split(',');
  const replaced = string(names.map((name) => (name === HYBRID ? REPLACED : name)).join(','));
  return Buffer.concat([payload.subarray(0, KEXINIT_HEAD_BYTES), replaced, payload.subarray(end)]);
}

function fill(exchange: KeyExchange, payload: Buffer): void {
  let share: Buffer = Buffer.alloc(0);
  exchange._remoteKexinit = payload;
  exchange.negotiated.kex = HYBRID;
  exchange.convertPublicKey = (key) => key;
  exchange.computeSecret = (key) => {
    try {
      const answer = answerHybrid(key);
      share = answer.share;
      return answer.secret;
    } catch (error) {
      return error instanceof Error ? error : new Error('the key exchange failed');
    }
  };
  // ssh2 asks for it after the secret.
  exchange.getPublicKey = () => share;
}
