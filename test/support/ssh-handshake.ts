// A client of its own for one SSH handshake (RFC 4253), independent of ssh2: it reads the offer, exchanges keys by
// mlkem768x25519-sha256, checks the host key's signature, speaks encrypted, and exchanges keys once more.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  decapsulate,
  diffieHellman,
  generateKeyPairSync,
  verify,
} from 'node:crypto';
import { connect } from 'node:net';
import { FieldReader, string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { type AlgorithmLists, readKexInit } from '#gateway/sftp/ssh2/client-kexinit.ts';

const IDENT = 'SSH-2.0-handshake';
const ED25519_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const X25519_HEAD = Buffer.from('302a300506032b656e032100', 'hex');
const KEX_ECDH_REPLY = 31;
const [TAG_BYTES, KEM_CIPHERTEXT_BYTES] = [16, 1_088];

/** AES-GCM in one direction (RFC 5647): the second half of its nonce counts. */
interface Lane {
  readonly key: Buffer;
  readonly nonce: Buffer;
}

function step({ nonce }: Lane): void {
  nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) + 1n, 4);
}

/** The bytes that the server sends, taken as they are asked for. */
class Wire implements Disposable {
  readonly #socket;
  #bytes = Buffer.alloc(0);
  #out: Lane | undefined;
  #in: Lane | undefined;
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

  /** From now on everything is encrypted, or by new keys. */
  encrypt(out: Lane, into: Lane): void {
    this.#out = out;
    this.#in = into;
  }

  send(payload: Buffer): void {
    const padding = 16 + 15 - ((payload.length + (this.#out ? 0 : 4)) % 16);
    const head = uint32(payload.length + padding + 1);
    const body = Buffer.concat([Buffer.of(padding), payload, Buffer.alloc(padding)]);
    if (!this.#out) {
      this.write(Buffer.concat([head, body]));
      return;
    }
    const cipher = createCipheriv('aes-128-gcm', this.#out.key, this.#out.nonce).setAAD(head);
    this.write(Buffer.concat([head, cipher.update(body), cipher.final(), cipher.getAuthTag()]));
    step(this.#out);
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
    const head = await this.take(4);
    const body = this.#in ? await this.#open(this.#in, head) : await this.take(head.readUInt32BE());
    return body.subarray(1, body.length - (body[0] ?? 0));
  }

  async #open(lane: Lane, head: Buffer): Promise<Buffer> {
    const sealed = await this.take(head.readUInt32BE() + TAG_BYTES);
    const decipher = createDecipheriv('aes-128-gcm', lane.key, lane.nonce).setAAD(head).setAuthTag(sealed.subarray(-TAG_BYTES));
    step(lane);
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** What a server offers. */
export async function offerOf(port: number): Promise<AlgorithmLists | null> {
  return readKexInit((await helloOf(port)).kexInit);
}

/** The server's greeting, and its KEXINIT as it is. */
export async function helloOf(port: number): Promise<{ readonly ident: string; readonly kexInit: Buffer }> {
  using wire = new Wire(port);
  wire.write(`${IDENT}\r\n`);
  const ident = await wire.line();
  return { ident, kexInit: await wire.packet() };
}

export interface Handshake {
  /** Whether the host key has signed the exchange hash: the first, and that of the second exchange. */
  readonly isSigned: readonly boolean[];
  /** Types of the packets that came encrypted: EXT_INFO (7, RFC 8308), and after the second exchange SERVICE_ACCEPT (6). */
  readonly types: readonly (number | undefined)[];
}

/** Two exchanges in one connection. `spoil` may change what the client sends as its share; a DISCONNECT is type 1. */
export async function hybridHandshake(port: number, spoil = (share: Buffer): Buffer => share): Promise<Handshake> {
  using wire = new Wire(port);
  wire.write(`${IDENT}\r\n`);
  const serverIdent = await wire.line();
  const first = await exchange(wire, serverIdent, spoil);
  const told = await wire.packet();
  const second = await exchange(wire, serverIdent, spoil, first.session);
  wire.send(Buffer.concat([Buffer.of(5), string('ssh-userauth')]));
  const accepted = await wire.packet();
  return { isSigned: [first.isSigned, second.isSigned], types: [told[0], accepted[0]] };
}

async function exchange(
  wire: Wire,
  serverIdent: string,
  spoil: (share: Buffer) => Buffer,
  session?: Buffer,
): Promise<{ isSigned: boolean; session: Buffer }> {
  const gcm = 'aes128-gcm@openssh.com';
  const kex = 'unknown,mlkem768x25519-sha256,curve25519-sha256,ext-info-c';
  const lists = [kex, 'ssh-ed25519', gcm, gcm, 'hmac-sha2-256', 'hmac-sha2-256', 'none', 'none', '', ''];
  const clientInit = Buffer.concat([Buffer.of(20), Buffer.alloc(16, 1), ...lists.map(string), Buffer.alloc(5)]);
  wire.send(clientInit);
  const serverInit = await wire.packet();

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

  wire.send(Buffer.of(21));
  await wire.packet();
  const derive = (letter: string, length: number): Buffer =>
    createHash('sha256')
      .update(secret)
      .update(hash)
      .update(letter)
      .update(session ?? hash)
      .digest()
      .subarray(0, length);
  wire.encrypt({ key: derive('C', 16), nonce: derive('A', 12) }, { key: derive('D', 16), nonce: derive('B', 12) });
  return { isSigned: verify(null, hash, spki(ED25519_HEAD, hostKey.subarray(-32)), signature.subarray(-64)), session: session ?? hash };
}

function spki(head: Buffer, key: Buffer): ReturnType<typeof createPublicKey> {
  return createPublicKey({ key: Buffer.concat([head, key]), format: 'der', type: 'spki' });
}
