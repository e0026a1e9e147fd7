// One SSH connection: its deadline, its login, its idle time, and its end.
import type { Socket } from 'node:net';
import type ssh2 from 'ssh2';
import type { Login, Logins } from '#gateway/model/account.ts';
import { expiryMs } from '#gateway/model/login-rules.ts';
import { Authenticator } from '#gateway/sftp/auth/authenticator.ts';
import type { ConnectionLimits } from '#gateway/sftp/auth/connection-limits.ts';
import type { HalfOpenSlot } from '#gateway/sftp/auth/half-open-slots.ts';
import { mayGoOn } from '#gateway/sftp/auth/login-rules-check.ts';
import { type ProfileName, signaturesOf } from '#gateway/sftp/ssh2/algorithms.ts';
import { ClientKexInitReader } from '#gateway/sftp/ssh2/client-kexinit.ts';
import type { PatchedConnection, Ssh2Patches } from '#gateway/sftp/ssh2/patches.ts';
import type { Passwords } from '#runtime/auth/password.ts';
import type { Log } from '#runtime/log.ts';
import { type Culprit, type LogLine, type LogLines, type LogThrottle, linesWith } from '#runtime/log-throttle.ts';
import { sourceOf } from '#runtime/networks.ts';
import { Channels, type ServedParts } from './channels.ts';
import { explain, type Reject } from './rejects.ts';

/** What a connection takes from the settings. Times in milliseconds, sizes in bytes. */
export interface ConnectionSettings {
  readonly fileMax: number;
  readonly loginDeadline: number;
  readonly loginTries: number;
  readonly channelsMax: number;
  readonly handlesMax: number;
  readonly idle: number;
}

export interface ConnectionParts extends ServedParts {
  readonly logins: Logins;
  readonly passwords: Passwords;
  readonly settings: ConnectionSettings;
  readonly limits: ConnectionLimits;
  readonly ssh2: Ssh2Patches;
  readonly log: Log;
  /** For lines that clients cause. */
  readonly throttle: LogThrottle;
  /** A login got in. */
  readonly loggedIn: (login: string, address: string) => void;
  /** The connection has ended without a login. */
  readonly rejected: (reject: Reject) => void;
}

/** A connection as an administrator sees it. */
export interface Present {
  /** Null before the login. */
  readonly login: string | null;
  readonly address: string;
  /** What the client calls itself; '' before it has. */
  readonly client: string;
  readonly sinceMs: number;
  /** Bytes of the connection, encrypted. */
  readonly received: number;
  readonly sent: number;
  /** `uploads invoice.xml`, one for each file or folder that is open. */
  readonly doing: readonly string[];
}

/** A connection as it arrives. */
export interface Arrival {
  readonly id: string;
  readonly socket: Socket;
  /** Of the client, also behind a proxy. */
  readonly address: string;
  readonly slot: HalfOpenSlot;
  readonly profile: ProfileName;
  /** The last day on which profile legacy was served here, once it is over. */
  readonly legacyEnded: string | null;
}

/** Events of which each stands for a document: the log throttle leaves none of them out. */
const CUSTODY: ReadonlySet<string> = new Set(['outbox.taken']);
/** Bytes that a client may leave unread before it is cut. */
const UNREAD_BYTES_MAX = 16 * 2 ** 20;

export class Connection {
  readonly #arrival: Arrival;
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  readonly #log: LogLines;
  readonly #closed = Promise.withResolvers<void>();
  readonly #kexInit = new ClientKexInitReader();
  #client: ssh2.Connection | undefined;
  #software = '';
  #isEncrypted = false;
  /** The algorithms of the connection. */
  #used: readonly string[] = [];
  #authenticator: Authenticator | undefined;
  #channels: Channels | undefined;
  #login: Login | undefined;
  /** The same as it is now; the last of it where it is gone. */
  #loginNow: Login | undefined;
  /** Counts among the sessions of its login. */
  #session: Disposable | undefined;
  #timer: Disposable;
  readonly #sinceMs: number;
  #heardAtMs = 0;
  /** The server has disconnected: requests that were sent before are not answered any more, least of all by a login. */
  #isLeaving = false;
  /** The socket is of no use any more, and ssh2 must not be called. */
  #isGone = false;

  /** To be called before ssh2 gets the socket, so that its events are handled here first. */
  constructor(arrival: Arrival, parts: ConnectionParts) {
    const { id, socket, address } = arrival;
    this.#arrival = arrival;
    this.#socket = socket;
    this.#parts = parts;
    this.#sinceMs = parts.clock.now();
    const culpritOf = ({ event }: LogLine): Culprit | null =>
      CUSTODY.has(event) ? null : { session: id, by: this.#login ? { login: this.#login.login } : { address: sourceOf(address) } };
    this.#log = parts.throttle.lines(linesWith(parts.log, { session: id, address }), culpritOf);
    parts.ssh2.socket(socket);
    this.#timer = parts.clock.after(parts.settings.loginDeadline, () => this.#cutFor('login-deadline'));
    socket.on('error', () => this.#lost());
    socket.on('end', () => this.#lost());
    socket.on('close', () => void this.#close());
    socket.on('drain', () => {
      for (const session of this.#sessions) session.sent();
    });
  }

  /** Resolves when the socket is closed and every request of the connection has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get present(): Present {
    const { bytesRead: received, bytesWritten: sent } = this.#socket;
    return {
      login: this.#login?.login ?? null,
      address: this.#arrival.address,
      client: this.#software,
      sinceMs: this.#sinceMs,
      received,
      sent,
      doing: this.#sessions.flatMap(({ doing }) => doing),
    };
  }

  get isLoggedIn(): boolean {
    return this.#login !== undefined;
  }

  /** The socket is ssh2's now: enforces limits that ssh2 does not have. */
  guard(): void {
    this.#socket.on('data', (piece) => {
      if (!this.#isEncrypted) this.#kexInit.push(piece);
      if (this.#socket.writableLength > UNREAD_BYTES_MAX || this.#channels?.isFlooded) this.#cutFor('flood');
    });
  }

  /** The client has sent the name of its software. */
  identified(client: ssh2.Connection, software: string): void {
    const { slot, profile } = this.#arrival;
    this.#client = client;
    this.#software = software;
    slot.progressed();
    const patched = this.#parts.ssh2.connection(client, this.#socket, software);
    const authenticator = this.#openAuthenticator(patched);
    const channels = this.#openChannels(patched);
    this.#authenticator = authenticator;
    this.#channels = channels;
    client.on('error', (error) => this.#log.debug({ event: 'sftp.connection-error', err: error }));
    client.on('handshake', ({ kex, serverHostKey, cs, sc }) => {
      if (!this.#isEncrypted) {
        patched.encrypted(signaturesOf(profile));
        slot.progressed();
      }
      this.#isEncrypted = true;
      this.#used = [kex, serverHostKey, cs.cipher, sc.cipher, cs.mac, sc.mac];
    });
    client.on('authentication', (context) => {
      slot.progressed();
      void authenticator.authenticate(context, this.#used);
    });
    client.on('session', (accept, reject) => channels.request(accept, reject, this.#login));
  }

  /** The server is stopping: sessions end when they are quiet, a connection without sessions ends at once. */
  stop(): void {
    if (this.#sessions.length === 0) this.#leave();
    for (const session of this.#sessions) session.stop();
  }

  /** Logins have changed: ends a session that its login does not allow any more. `counts`: sessions by login, counted so far. */
  review(counts: Map<string, number>): void {
    if (!this.#login || !this.#authenticator) return;
    const now = this.#parts.logins.find(this.#login.login);
    this.#loginNow = now ?? this.#loginNow;
    const count = (counts.get(this.#login.login) ?? 0) + 1;
    counts.set(this.#login.login, count);
    const isTooMany = count > (now?.rules.sessionsMax ?? Number.POSITIVE_INFINITY);
    if (isTooMany || !mayGoOn(this.#login, now, this.#authenticator.client())) this.#cutFor('login-changed');
    else if (now) this.#watchTime(now);
  }

  /** Ends the connection at once. */
  cut(): void {
    this.#socket.destroy();
  }

  get #sessions(): Channels['sessions'] {
    return this.#channels?.sessions ?? [];
  }

  #openAuthenticator({ showBanner }: PatchedConnection): Authenticator {
    return new Authenticator({
      ...this.#parts,
      ...this.#arrival,
      log: this.#log,
      software: this.#software,
      loginTries: this.#parts.settings.loginTries,
      loggedIn: (login, session) => this.#loggedIn(login, session),
      isLeaving: () => this.#isLeaving,
      disconnect: (answer) => {
        this.#isLeaving = true;
        answer();
        this.#disconnect();
      },
      cut: (reason) => this.#cutFor(reason),
      showBanner,
    });
  }

  #openChannels({ refuse }: PatchedConnection): Channels {
    const connection = this;
    return new Channels(this.#parts, {
      id: this.#arrival.id,
      address: this.#arrival.address,
      get key() {
        return connection.#authenticator?.key ?? null;
      },
      software: this.#software,
      log: this.#log,
      socket: this.#socket,
      get login() {
        return connection.#loginNow;
      },
      get isGone() {
        return connection.#isGone;
      },
      heard: () => this.#heard(),
      cut: (reason) => this.#cutFor(reason),
      refuse,
      ended: (left) => {
        if (this.#parts.isStopping() && left === 0) this.#leave();
      },
    });
  }

  #loggedIn(login: Login, session: Disposable): void {
    this.#session = session;
    this.#login = login;
    this.#loginNow = login;
    this.#kexInit.forget();
    this.#arrival.slot[Symbol.dispose]();
    this.#heard();
    this.#watchTime(login);
    this.#parts.loggedIn(login.login, this.#arrival.address);
  }

  #heard(): void {
    this.#heardAtMs = this.#parts.clock.now();
  }

  /** Ends the connection when it is idle for too long, or when the last day of its login is over. */
  #watchTime(login: Login): void {
    this.#timer[Symbol.dispose]();
    const now = this.#parts.clock.now();
    const idleLeftMs = this.#heardAtMs + this.#parts.settings.idle - now;
    const loginLeftMs = expiryMs(login.rules) - now;
    if (loginLeftMs <= 0) this.#cutFor('login-expired');
    else if (idleLeftMs <= 0) this.#leave();
    else this.#timer = this.#parts.clock.after(Math.min(idleLeftMs, loginLeftMs), () => this.#watchTime(login));
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#disconnect();
  }

  /** Sends SSH_MSG_DISCONNECT where ssh2 can. */
  #disconnect(): void {
    try {
      if (this.#client) this.#client.end();
      else this.cut();
    } catch {
      this.cut();
    }
  }

  #cutFor(reason: string): void {
    if (!this.#isGone) this.#log.warn({ event: 'sftp.cut', reason, client: this.#software });
    this.cut();
  }

  #lost(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#isLeaving = true;
    this.#timer[Symbol.dispose]();
    for (const session of this.#sessions) session.lost();
  }

  #reject(): void {
    const { address, profile, legacyEnded, slot } = this.#arrival;
    const isIdle = this.#authenticator?.isIdle ?? true;
    if (isIdle) this.#parts.limits.punish(address, 'no-login');
    const reject = explain({
      address,
      login: this.#authenticator?.login ?? '',
      kexInit: this.#kexInit.read,
      profile,
      legacyEnded,
      isEncrypted: this.#isEncrypted,
      failure: this.#authenticator?.failure,
      isEvicted: slot.isEvicted,
    });
    if (reject) this.#parts.rejected(reject);
  }

  async #close(): Promise<void> {
    this.#lost();
    this.#arrival.slot[Symbol.dispose]();
    await Promise.all(this.#sessions.map((session) => session.ended));
    this.#session?.[Symbol.dispose]();
    if (this.#login) {
      this.#parts.intake.leave(this.#arrival.id);
      this.#log.info({ event: 'sftp.left', login: this.#login.login });
    } else if (!this.#parts.isStopping()) {
      this.#reject();
    }
    this.#closed.resolve();
  }
}
