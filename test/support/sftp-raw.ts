// SFTP by the packet: for patterns, orders and mistakes that no client library lets one make.
import type { Readable, Writable } from 'node:stream';
import type ssh2 from 'ssh2';
import { FieldReader, string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { PacketStream } from '#gateway/sftp/protocol/packets.ts';

export interface Reply {
  readonly type: number;
  readonly fields: FieldReader;
}

/** Packet types that tests send. */
export const TYPE = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  stat: 17,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  remove: 13,
  mkdir: 14,
  rename: 18,
  opendir: 11,
  readdir: 12,
  realpath: 16,
  extended: 200,
} as const;

export class RawSftp {
  readonly channel: Readable & Writable;
  /** What the server shows to users beside SFTP. */
  readonly errors: Readable;
  readonly #packets = new PacketStream();
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #id = 0;

  private constructor(channel: ssh2.ClientChannel) {
    this.channel = channel;
    this.errors = channel.stderr;
    channel.on('data', (piece: Buffer) => {
      this.#packets.push(piece);
      for (let packet = this.#packets.next(); packet; packet = this.#packets.next()) {
        const fields = new FieldReader(packet, 1);
        const id = packet[0] === 2 ? 0 : fields.uint32();
        this.#waiting.get(id)?.({ type: packet[0] ?? 0, fields });
        this.#waiting.delete(id);
      }
    });
  }

  static async open(client: ssh2.Client): Promise<RawSftp> {
    const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
      client.subsys('sftp', (error, opened) => (error ? reject(error) : resolve(opened)));
    });
    const raw = new RawSftp(channel);
    const version = new Promise<Reply>((resolve) => raw.#waiting.set(0, resolve));
    raw.sendBytes(TYPE.init, uint32(3));
    await version;
    return raw;
  }

  /** Sends a packet as it is. */
  sendBytes(type: number, ...fields: readonly Buffer[]): void {
    const packet = Buffer.concat([Buffer.from([type]), ...fields]);
    this.channel.write(Buffer.concat([uint32(packet.length), packet]));
  }

  /** Sends a request; the promise is its reply. */
  ask(type: number, ...fields: readonly Buffer[]): Promise<Reply> {
    const id = ++this.#id;
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.sendBytes(type, uint32(id), ...fields);
    return reply;
  }

  /** Sends a request that is answered with a status. */
  async status(type: number, ...fields: readonly Buffer[]): Promise<{ code: number; sentence: string }> {
    const reply = await this.ask(type, ...fields);
    if (reply.type !== 101) throw new Error(`expected a status, got type ${reply.type}`);
    return { code: reply.fields.uint32(), sentence: reply.fields.bytes().toString() };
  }

  /** Opens a file and returns its handle. */
  async openFile(path: string, flags: number): Promise<Buffer> {
    const reply = await this.ask(TYPE.open, string(path), uint32(flags), uint32(0));
    if (reply.type !== 102) throw new Error(`OPEN was answered with type ${reply.type}`);
    return reply.fields.bytes();
  }

  write(handle: Buffer, offset: number, data: string | Buffer): Promise<{ code: number; sentence: string }> {
    return this.status(TYPE.write, string(handle), uint64(offset), string(data));
  }

  close(handle: Buffer): Promise<{ code: number; sentence: string }> {
    return this.status(TYPE.close, string(handle));
  }

  /** The size that STAT tells, or the status that it is answered with. */
  async sizeOf(path: string): Promise<number | string> {
    const { type, fields } = await this.ask(TYPE.stat, string(path));
    if (type !== 105) return `status ${fields.uint32()}`;
    fields.uint32();
    return fields.uint64();
  }
}
