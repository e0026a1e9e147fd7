// One SFTP channel: packets in, answers out, in an order that clients can rely on, with back-pressure both ways.
import { AppError, type ErrorCode, toAppError } from '#domain/error.ts';
import { giveBack } from '#gateway/sftp/protocol/packet-buffers.ts';
import { PacketStream } from '#gateway/sftp/protocol/packets.ts';
import { refusalReply } from '#gateway/sftp/protocol/refusals.ts';
import { READ_BYTES_MAX, REQUESTS, type RequestHead, readHead } from '#gateway/sftp/protocol/requests.ts';
import { answer, type ChannelContext } from './answers.ts';

/** Requests under way at a time; OpenSSH sends 64 ahead. */
const UNDER_WAY_MAX = 128;
/** Bytes of WRITEs not yet on disk and of READs not yet sent, before no more requests are taken up. */
const UNDER_WAY_BYTES_MAX = 4 * 2 ** 20;
/** Bytes that the client has not taken, before no more requests are taken up. */
const UNSENT_BYTES_MAX = 2 ** 20;

/** How long a session must have asked nothing and have nothing open, before a server that stops ends it. */
const QUIET_MS = 500;

/** Refusals that clients provoke on purpose, to find out which names are taken or known. */
const PROBES: ReadonlySet<ErrorCode> = new Set(['missing', 'bad-request', 'not-implemented']);
/** Not worth a line in the log: many clients make folders without asking whether they exist. */
const EXPECTED: ReadonlySet<ErrorCode> = new Set([...PROBES, 'exists']);

/** Sends to the client. Everything may be called after the client has gone. */
export interface ChannelWriter {
  /** Stops `receive` until `resume`, but for bytes that are under way. */
  pause(): void;
  resume(): void;
  /** `sent` is called when the socket has taken it. */
  send(packet: Buffer, sent: () => void): void;
  unsentBytes(): number;
  /** Shows a refusal to users of clients that do not show the sentence of a status. */
  show(sentence: string): void;
  /** The client has sent everything, and has all answers: sends the exit status, then closes. */
  finish(exitStatus: number): void;
}

export class SftpSession {
  readonly #channel: ChannelContext;
  readonly #writer: ChannelWriter;
  readonly #packets = new PacketStream();
  /** Settles when every earlier request that names a path, and every earlier CLOSE, is answered. */
  #inOrder: Promise<unknown> = Promise.resolve();
  /** By handle: settles when the last request that names it is answered. */
  readonly #inOrderOf = new Map<string, Promise<unknown>>();
  /** A failed upload answers all further requests with the same error, which is logged once. */
  readonly #logged = new WeakSet<AppError>();
  #underWay = 0;
  #underWayBytes = 0;
  #begun = false;
  #heardAll = false;
  #over = false;
  #ending = false;
  #stopping = false;
  #quiet: Disposable | undefined;
  readonly #ended = Promise.withResolvers<void>();

  constructor(channel: ChannelContext, writer: ChannelWriter) {
    this.#channel = channel;
    this.#writer = writer;
  }

  /** Resolves when nothing of this session is left: no request, no open file. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** What the client has open, and does with it. */
  get doing(): readonly string[] {
    return this.#channel.handles.doing;
  }

  receive(piece: Buffer): void {
    if (this.#over) return;
    this.#packets.push(piece);
    this.#takeUp();
  }

  /** More bytes have been sent. */
  sent(): void {
    this.#takeUp();
  }

  /** The client will send no more; its earlier requests are still answered. */
  heardAll(): void {
    this.#heardAll = true;
    this.#takeUp();
  }

  /** The server is stopping: the session ends when it has been quiet for a moment, so that what belongs together (CLOSE, RENAME) stays together. */
  stop(): void {
    this.#stopping = true;
    this.#endWhenQuiet();
  }

  /** The client has gone: requests under way end, the others are dropped, and open uploads are abandoned. */
  lost(): void {
    if (this.#over) return;
    this.#over = true;
    this.#endWhenIdle();
  }

  /** Takes up as many requests as there is homes for; the others stay with the client. */
  #takeUp(): void {
    let packet: Buffer | null = null;
    do {
      packet = this.#over || !this.#hasRoom() ? null : this.#nextPacket();
      if (packet) this.#begin(packet);
    } while (packet);
    if (this.#over) return;
    if (this.#hasRoom()) this.#writer.resume();
    else this.#writer.pause();
    if (this.#heardAll && this.#underWay === 0) this.#finish(0);
    if (this.#stopping) this.#endWhenQuiet();
  }

  #endWhenQuiet(): void {
    this.#quiet?.[Symbol.dispose]();
    if (!this.#over && !this.#isBusy()) this.#quiet = this.#channel.session.clock.after(QUIET_MS, () => this.#finish(0));
  }

  #isBusy(): boolean {
    return this.#underWay > 0 || this.#channel.handles.count > 0;
  }

  #hasRoom(): boolean {
    return this.#underWay < UNDER_WAY_MAX && this.#underWayBytes < UNDER_WAY_BYTES_MAX && this.#writer.unsentBytes() < UNSENT_BYTES_MAX;
  }

  #nextPacket(): Buffer | null {
    try {
      return this.#packets.next();
    } catch (error) {
      return this.#giveUp(error);
    }
  }

  #begin(packet: Buffer): void {
    const head = this.#head(packet);
    if (!head) return;
    const bytes = head.name === 'read' ? READ_BYTES_MAX : packet.length;
    this.#underWay++;
    this.#underWayBytes += bytes;
    const aim = head.name && REQUESTS[head.name].aim;
    const handle = aim === 'handle' ? head.fields.peekText() : null;
    const work = aim === 'path' ? this.#inOrder.then(() => answer(this.#channel, head)) : answer(this.#channel, head);
    const replied = work.catch((error: unknown) => this.#refusal(head, toAppError(error)));
    const answered = handle === null ? replied.then((reply) => this.#send(reply)) : this.#sendInOrder(handle, replied);
    if (aim === 'path' || head.name === 'close') this.#inOrder = Promise.all([this.#inOrder, answered]);
    void answered.then(() => {
      giveBack(packet);
      this.#underWay--;
      this.#underWayBytes -= bytes;
      if (this.#over) this.#endWhenIdle();
      else this.#takeUp();
    });
  }

  /** Null when the client does not speak SFTP: INIT comes first and once (§4), every other packet has an id. */
  #head(packet: Buffer): RequestHead | null {
    try {
      const head = readHead(packet);
      if ((head.name === 'init') === this.#begun) throw new AppError('bad-request', 'INIT must come first, and once');
      this.#begun = true;
      return head;
    } catch (error) {
      return this.#giveUp(error);
    }
  }

  #refusal(head: RequestHead, error: AppError): Buffer {
    const { session } = this.#channel;
    const { code, message, facts, cause } = error;
    const fact = { event: 'sftp.refused', login: session.login.login, request: head.name, code, ...facts, sentence: message };
    // An `internal` without a cause is said on purpose: the server is stopping.
    const isFault = code === 'storage' || (code === 'internal' && cause !== undefined);
    const isWish = head.name !== null && REQUESTS[head.name].writes;
    const isLogged = this.#logged.has(error);
    this.#logged.add(error);
    if (isLogged) session.log.debug(fact);
    else if (isFault) session.log.error({ ...fact, err: cause });
    else if (isWish && !EXPECTED.has(code)) session.log.warn(fact);
    else session.log.debug(fact);
    if (!isLogged && (isFault || (isWish && !PROBES.has(code)))) this.#writer.show(message);
    return refusalReply(head.id, error);
  }

  /** Requests of one handle are worked on at once, but answered in their order: paramiko waits for ever for a reply that came before its turn. */
  async #sendInOrder(handle: string, replied: Promise<Buffer>): Promise<void> {
    const before = this.#inOrderOf.get(handle);
    const mine = (async () => {
      const reply = await replied;
      await before;
      this.#send(reply);
    })();
    this.#inOrderOf.set(handle, mine);
    await mine;
    if (this.#inOrderOf.get(handle) === mine) this.#inOrderOf.delete(handle);
  }

  #send(reply: Buffer): void {
    if (!this.#over) this.#writer.send(reply, () => this.#takeUp());
  }

  #giveUp(error: unknown): null {
    const { session } = this.#channel;
    session.log.warn({ event: 'sftp.protocol-error', login: session.login.login, sentence: toAppError(error).message });
    this.#finish(1);
    return null;
  }

  #finish(exitStatus: number): void {
    if (this.#over) return;
    this.#over = true;
    this.#writer.finish(exitStatus);
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#underWay > 0 || this.#ending) return;
    this.#ending = true;
    this.#quiet?.[Symbol.dispose]();
    const { session, handles } = this.#channel;
    void handles.abandonAll().then((errors) => {
      for (const error of errors) session.log.warn({ event: 'sftp.abandon-failed', err: error });
      this.#ended.resolve();
    });
  }
}
