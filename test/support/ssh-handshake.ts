// A client of its own for one SSH handshake (RFC 4253), independent of ssh2: it reads the offer, exchanges keys by
// mlkem768x25519-sha256, checks the host key's signature, and opens the first encrypted packet.
import { createDecipheriv, createHash, createPublicKey, decapsulate, diffieHellman, generateKeyPairSync, verify } from 'node:crypto';
import { connect } from 'node:net';
import { FieldReader, string, uint32 } from '#gateway/sftp/fields.ts';
import { type Offer, readOffer } from '#gateway/sftp/offer.ts';

const IDENT = 'SSH-2.0-handshake';
const ED25519_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const X25519_HEAD = Buffer.from('302a300506032b656e032100', 'hex');
const KEX_ECDH_REPLY = 31;
const [TAG_BYTES, KEM_CIPHERTEXT_BYTES] = [16, 1_088];

/** The bytes that the server sends, taken as they are asked for. */
class Wire implements Disposable {
  readonly #socket;
  #bytes = Buffer.alloc(0);
  #more = Promise.withResolvers<void>();

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#more.reject(new Error('closed')));
    this.#more.promise.catch(() => {});
    this.#socket.on('data', (piece) => {
      this.#bytes = Buffer.concat([this.#bytes, piece]);
      this.#more.resolve();
      this.#more = Promise.withResolvers<void>();
      this.#more.promise.catch(() => {});
    });
  }

  write(bytes: Buffer | string): void {
    this.#socket.write(bytes);
  }

  /** A packet that is not encrypted yet. */
  send(payload: Buffer): void {
    const padding = 8 - ((payload.length + 5) % 8) + 8;
    this.write(Buffer.concat([uint32(payload.length + padding + 1), Buffer.of(padding), payload, Buffer.alloc(padding)]));
  }

  async take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await this.#more.promise;
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  async line(): Promise<string> {
    let line = '';
    while (!line.endsWith('\n')) line += (await this.take(1)).toString('latin1');
    return line.trimEnd();
  }

  async packet(): Promise<Buffer> {
    const body = await this.take((await this.take(4)).readUInt32BE());
    return body.subarray(1, body.length - (body[0] ?? 0));
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** What a server offers. */
export async function offerOf(port: number): Promise<Offer | null> {
  using wire = new Wire(port);
  wire.write(`${IDENT}\r\n`);
  await wire.line();
  return readOffer(await wire.packet());
}

export interface Handshake {
  /** Whether the host key has signed the exchange hash. */
  readonly isSigned: boolean;
  /** The first encrypted packet, opened: an EXT_INFO (RFC 8308), type 7. */
  readonly firstType: number;
}

/** `spoil` may change what the client sends as its share; a DISCONNECT is type 1. */
export async function hybridHandshake(port: number, spoil = (share: Buffer): Buffer => share): Promise<Handshake> {
  using wire = new Wire(port);
  wire.write(`${IDENT}\r\n`);
  const serverIdent = await wire.line();
  const serverInit = await wire.packet();
  const gcm = 'aes128-gcm@openssh.com';
  const kex = 'unknown,mlkem768x25519-sha256,curve25519-sha256,ext-info-c';
  const lists = [kex, 'ssh-ed25519', gcm, gcm, 'hmac-sha2-256', 'hmac-sha2-256', 'none', 'none', '', ''];
  const clientInit = Buffer.concat([Buffer.of(20), Buffer.alloc(16, 1), ...lists.map(string), Buffer.alloc(5)]);
  wire.send(clientInit);

  const [kem, curve] = [generateKeyPairSync('ml-kem-768'), generateKeyPairSync('x25519')];
  const raw = (key: typeof kem.publicKey, length: number): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-length);
  const clientShare = spoil(Buffer.concat([raw(kem.publicKey, 1_184), raw(curve.publicKey, 32)]));
  wire.send(Buffer.concat([Buffer.of(30), string(clientShare)]));

  const answer = await wire.packet();
  if (answer[0] !== KEX_ECDH_REPLY) throw new Error(`the share was answered with type ${answer[0]}`);
  const reply = new FieldReader(answer, 1);
  const [hostKey, serverShare, signature] = [reply.bytes(), reply.bytes(), reply.bytes()];
  const theirCurve = spki(X25519_HEAD, serverShare.subarray(KEM_CIPHERTEXT_BYTES));
  const fromKem = decapsulate(kem.privateKey, serverShare.subarray(0, KEM_CIPHERTEXT_BYTES));
  const fromCurve = diffieHellman({ privateKey: curve.privateKey, publicKey: theirCurve });
  const secret = string(createHash('sha256').update(fromKem).update(fromCurve).digest());
  const hashed = [IDENT, serverIdent, clientInit, serverInit, hostKey, clientShare, serverShare].map(string);
  const hash = createHash('sha256').update(Buffer.concat(hashed)).update(secret).digest();
  const isSigned = verify(null, hash, spki(ED25519_HEAD, hostKey.subarray(-32)), signature.subarray(-64));

  wire.send(Buffer.of(21));
  await wire.packet();
  const derive = (letter: string, length: number): Buffer =>
    createHash('sha256').update(secret).update(hash).update(letter).update(hash).digest().subarray(0, length);
  const decipher = createDecipheriv('aes-128-gcm', derive('D', 16), derive('B', 12));
  const head = await wire.take(4);
  const body = await wire.take(head.readUInt32BE() + TAG_BYTES);
  decipher.setAAD(head).setAuthTag(body.subarray(-TAG_BYTES));
  const opened = Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]);
  return { isSigned, firstType: opened[1] ?? 0 };
}

function spki(head: Buffer, key: Buffer): ReturnType<typeof createPublicKey> {
  return createPublicKey({ key: Buffer.concat([head, key]), format: 'der', type: 'spki' });
}
