// The channels of one SSH connection: SFTP is served, everything else is refused with a sentence, and no more are open than may be.
import type ssh2 from 'ssh2';
import type { ServerChannel } from 'ssh2';
import type { FailedUpload } from '#gateway/ledger/failed-uploads.ts';
import type { Fetch } from '#gateway/ledger/fetches.ts';
import type { Login } from '#gateway/model/account.ts';
import { textOf } from '#gateway/model/file-names.ts';
import { type Below, ignoreErrors, isUsable, openChannelWriter } from '#gateway/sftp/session/channel-writer.ts';
import { CloseAnswers } from '#gateway/sftp/session/close-answers.ts';
import type { SessionContext, SharedParts } from '#gateway/sftp/session/files.ts';
import { Handles } from '#gateway/sftp/session/handles.ts';
import { PathNotes } from '#gateway/sftp/session/path-notes.ts';
import { SftpSession } from '#gateway/sftp/session/session.ts';
import type { Transfers } from '#gateway/sftp/session/transfers.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import { refuseCommand } from './commands.ts';

/** What all channels of a server share. */
export interface ServedParts extends SharedParts {
  readonly settings: { readonly fileMax: number; readonly channelsMax: number; readonly handlesMax: number };
  /** A login has downloaded, removed or renamed a published file. */
  readonly fetched: (fetch: Omit<Fetch, 'times'>) => void;
  readonly uploadFailed: (failed: Omit<FailedUpload, 'times'>) => void;
  readonly partlyRead: Transfers['partlyRead'];
}

/** The connection below the channels. */
interface ConnectionBelow extends Below {
  readonly id: string;
  readonly address: string;
  /** The public key by which it logged in, as SHA256:…; null for a password alone. */
  readonly key: string | null;
  /** As it is now. */
  readonly login: Login | undefined;
  readonly log: LogLines;
  /** The client has sent something. */
  readonly heard: () => void;
  readonly cut: (reason: string) => void;
  /** Refuses a channel with a sentence. */
  readonly refuse: (reject: () => unknown, sentence: string) => void;
  /** An SFTP session has ended; `left` are still open. */
  readonly ended: (left: number) => void;
}

/** Channels without a use, each of which ssh2 keeps until the connection ends. */
const UNUSED_MAX = 100;
/** Bytes that a client may send beyond the window of its channel before it is cut. */
const BEYOND_WINDOW_BYTES_MAX = 4 * 2 ** 20;

export class Channels {
  readonly #parts: ServedParts;
  readonly #below: ConnectionBelow;
  readonly #sessions = new Map<SftpSession, ServerChannel>();
  #open = 0;
  #unused = 0;

  constructor(parts: ServedParts, below: ConnectionBelow) {
    this.#parts = parts;
    this.#below = below;
  }

  get sessions(): readonly SftpSession[] {
    return [...this.#sessions.keys()];
  }

  /** Whether the client sends more than the windows of its channels allow. */
  get isFlooded(): boolean {
    for (const channel of this.#sessions.values()) if (channel.readableLength > BEYOND_WINDOW_BYTES_MAX) return true;
    return false;
  }

  /** The client asks for a channel. */
  request(accept: () => ssh2.Session, reject: () => unknown, login: Login | undefined): void {
    const { settings, isStopping } = this.#parts;
    const { refuse } = this.#below;
    if (isStopping()) refuse(reject, 'the server is stopping; try again in a minute');
    else if (!login) reject();
    else if (this.#open < settings.channelsMax) this.#accept(accept(), login);
    else refuse(reject, `${this.#open} sessions are open in this connection already; close one, or connect anew`);
  }

  #accept(session: ssh2.Session, login: Login): void {
    const { log, software, cut } = this.#below;
    this.#open++;
    let isUsed = false;
    const use = (channel: ServerChannel | undefined, serve: (channel: ServerChannel) => void): void => {
      if (!channel) return;
      isUsed = true;
      ignoreErrors(channel);
      if (isUsable(channel)) serve(channel);
      else cut('packet-size');
    };
    session.on('error', () => {});
    session.on('close', () => {
      this.#open--;
      if (!isUsed && ++this.#unused > UNUSED_MAX) cut('wasted-channels');
    });
    const refuse = (channel: ServerChannel, sent?: string): void => {
      const command = refuseCommand(channel, sent);
      log.warn({ event: 'sftp.command', login: login.login, client: software, command });
    };
    session.on('shell', (accept) => use(accept(), refuse));
    session.on('exec', (accept, _reject, { command }) => use(accept(), (channel) => refuse(channel, command)));
    session.on('subsystem', (accept, reject, { name }) => {
      if (name === 'sftp') use(accept(), (channel) => this.#serve(channel, login));
      else reject?.();
    });
  }

  #serve(channel: ServerChannel, login: Login): void {
    const below = this.#below;
    const { id, log, heard, ended } = below;
    const writer = openChannelWriter(channel, below);
    const context: SessionContext = {
      ...this.#parts,
      get login() {
        return below.login ?? login;
      },
      id,
      fileMaxBytes: this.#parts.settings.fileMax,
      failures: new PathNotes(),
      markers: new PathNotes(),
      transfers: this.#transfersOf(login.login),
      closeAnswers: new CloseAnswers(below.software),
      log,
    };
    const session = new SftpSession({ session: context, handles: new Handles(this.#parts.settings.handlesMax) }, writer);
    this.#sessions.set(session, channel);
    channel.on('data', (piece: Buffer) => {
      heard();
      session.receive(piece);
    });
    channel.on('end', () => session.heardAll());
    channel.on('close', () => session.lost());
    void session.ended.then(() => {
      this.#sessions.delete(session);
      ended(this.#sessions.size);
    });
  }

  #transfersOf(login: string): Transfers {
    const { fetched, uploadFailed, partlyRead, clock } = this.#parts;
    const { address, key } = this.#below;
    return {
      partlyRead,
      fetched({ at: { home, folder }, name, newName, ...file }) {
        const names = { name: textOf(name), ...(newName !== undefined && { newName: textOf(newName) }) };
        fetched({ ...file, ...names, home, folder, login, key, address, atMs: clock.now() });
      },
      failed: ({ name, ...upload }) => uploadFailed({ ...upload, fileName: name, login, address, atMs: clock.now() }),
    };
  }
}
