// One SSH connection: its deadline, its channels, its idle time, and its end.
import type { Socket } from 'node:net';
import type ssh2 from 'ssh2';
import type { ServerChannel } from 'ssh2';
import type { Login, Logins } from '#gateway/model/account.ts';
import type { Intake } from '#gateway/model/intake.ts';
import { expiryMs } from '#gateway/model/login-rules.ts';
import { Entrance } from '#gateway/sftp/auth/authenticator.ts';
import type { Gate } from '#gateway/sftp/auth/connection-gate.ts';
import type { ConnectionSlot } from '#gateway/sftp/auth/connection-limits.ts';
import { mayStay } from '#gateway/sftp/auth/login-rules-check.ts';
import type { Passwords } from '#gateway/sftp/auth/password.ts';
import { ignoreErrors, isUsable, openLine } from '#gateway/sftp/session/channel-writer.ts';
import { openFailures } from '#gateway/sftp/session/failures.ts';
import type { Desk } from '#gateway/sftp/session/files.ts';
import { Handles } from '#gateway/sftp/session/handles.ts';
import type { HomePath } from '#gateway/sftp/session/home-files.ts';
import { SftpSession } from '#gateway/sftp/session/session.ts';
import { GreetingReader } from '#gateway/sftp/ssh2/client-kexinit.ts';
import { watchFirstExchange } from '#gateway/sftp/ssh2/kex.ts';
import { answerRepeatedAsking, explainRefusedChannels, sendBanner, sendSignatures } from '#gateway/sftp/ssh2/messages.ts';
import { preferGcm } from '#gateway/sftp/ssh2/prefer-gcm.ts';
import { property } from '#gateway/sftp/ssh2/property.ts';
import { giveBackWritten, readIntoShared } from '#gateway/sftp/ssh2/socket-memory.ts';
import type { Clock } from '#runtime/clock.ts';
import type { FolderSync } from '#runtime/files/durable.ts';
import type { Log } from '#runtime/log.ts';
import type { Culprit, LogLine, LogLines, LogThrottle } from '#runtime/log-throttle.ts';
import { sourceOf } from '#runtime/networks.ts';
import { type ProfileName, signaturesOf } from './algorithms.ts';
import { refuseCommand } from './commands.ts';
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

export interface ConnectionParts {
  readonly logins: Logins;
  readonly passwords: Passwords;
  readonly intake: Intake;
  readonly home: HomePath;
  readonly downloadTakes: (home: string) => boolean;
  readonly folders: FolderSync;
  readonly settings: ConnectionSettings;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly log: Log;
  /** For lines that clients cause. */
  readonly throttle: LogThrottle;
  /** It has ended without a login. */
  readonly rejected: (reject: Reject) => void;
  readonly isStopping: () => boolean;
}

/** A connection as it arrives. */
export interface Arrival {
  readonly id: string;
  readonly socket: Socket;
  /** Of the client, also behind a proxy. */
  readonly address: string;
  /** Its place among those that have not logged in. */
  readonly place: ConnectionSlot;
  readonly profile: ProfileName;
  /** The last day on which profile legacy was served here, once it is over. */
  readonly legacyEnded: string | null;
}

/** Lines that each stand for a document: all of them are told. */
const CUSTODY: ReadonlySet<string> = new Set(['outbox.taken']);
/** Channels that came to nothing; ssh2 remembers each of them until the connection ends. */
const WASTED_CHANNELS_MAX = 100;
/** Bytes that a client may leave unread, and send beyond its window, before it is cut. */
const UNREAD_BYTES_MAX = 16 * 2 ** 20;
const BEYOND_WINDOW_BYTES_MAX = 4 * 2 ** 20;

export class Connection {
  readonly #arrival: Arrival;
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  readonly #log: LogLines;
  readonly #sessions = new Map<SftpSession, ServerChannel>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #greeting = new GreetingReader();
  #client: ssh2.Connection | undefined;
  #software = '';
  #isEncrypted = false;
  /** The algorithms that were agreed on. */
  #used: readonly string[] = [];
  #entrance: Entrance | undefined;
  #login: Login | undefined;
  #place: Disposable | undefined;
  #timer: Disposable;
  #heardAtMs = 0;
  #channels = 0;
  #wasted = 0;
  /** Goodbye has been said: whatever was sent before is not answered any more, least of all a login. */
  #leaving = false;
  /** The socket is of no use any more, and ssh2 must not be called. */
  #gone = false;

  /** To be called before ssh2 gets the socket, so that what happens to it is known here first. */
  constructor(arrival: Arrival, parts: ConnectionParts) {
    const { id, socket, address } = arrival;
    this.#arrival = arrival;
    this.#socket = socket;
    this.#parts = parts;
    const whose = ({ event }: LogLine): Culprit | null =>
      CUSTODY.has(event) ? null : { session: id, by: this.#login ? { login: this.#login.login } : { address: sourceOf(address) } };
    this.#log = parts.throttle.lines(parts.log.child({ session: id, address }), whose);
    giveBackWritten(socket);
    this.#timer = parts.clock.after(parts.settings.loginDeadline, () => this.#end('login-deadline'));
    socket.on('error', () => this.#lost());
    socket.on('end', () => this.#lost());
    socket.on('close', () => void this.#close());
    socket.on('drain', () => {
      for (const session of this.#sessions.keys()) session.sent();
    });
  }

  /** Resolves when the socket is closed and nothing is under way any more. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** The socket is ssh2's now: watches what ssh2 does not limit. */
  guard(): void {
    this.#socket.on('data', (piece) => {
      if (!this.#isEncrypted) this.#greeting.push(piece);
      const isDeaf = this.#socket.writableLength > UNREAD_BYTES_MAX;
      const isPushing = [...this.#sessions.values()].some((channel) => channel.readableLength > BEYOND_WINDOW_BYTES_MAX);
      if (isDeaf || isPushing) this.#end('flood');
    });
  }

  /** The client has said what it is. */
  greet(client: ssh2.Connection, software: string): void {
    const { place, profile } = this.#arrival;
    this.#client = client;
    this.#software = software;
    place.step();
    const first = watchFirstExchange(client);
    preferGcm(client, software);
    answerRepeatedAsking(client);
    const refuse = explainRefusedChannels(client);
    const entrance = this.#openEntrance(client);
    this.#entrance = entrance;
    client.on('error', (error) => this.#log.debug({ event: 'sftp.connection-error', err: error }));
    client.on('handshake', ({ kex, serverHostKey, cs, sc }) => {
      if (first.takesExtInfo && !this.#isEncrypted) sendSignatures(client, signaturesOf(profile));
      if (!this.#isEncrypted) {
        readIntoShared(this.#socket, property(client, '_protocol'));
        place.step();
      }
      this.#isEncrypted = true;
      this.#used = [kex, serverHostKey, cs.cipher, sc.cipher, cs.mac, sc.mac];
    });
    client.on('authentication', (context) => {
      place.step();
      void entrance.authenticate(context, this.#used);
    });
    client.on('session', (accept, reject) => {
      const login = this.#login;
      const { settings, isStopping } = this.#parts;
      if (isStopping()) refuse(reject, 'the server is stopping; try again in a minute');
      else if (!login) reject();
      else if (this.#channels < settings.channelsMax) this.#openChannel(accept(), login);
      else refuse(reject, `${this.#channels} sessions are open in this connection already; close one, or connect anew`);
    });
  }

  /** The server is stopping: sessions end when they are quiet, everything else at once. */
  stop(): void {
    if (this.#sessions.size === 0) this.#leave();
    for (const session of this.#sessions.keys()) session.stop();
  }

  /** Logins have changed: whoever may no longer do what this session may is sent away. `others` counts the sessions of each login. */
  review(others: Map<string, number>): void {
    if (!this.#login || !this.#entrance) return;
    const now = this.#parts.logins.find(this.#login.login);
    const count = (others.get(this.#login.login) ?? 0) + 1;
    others.set(this.#login.login, count);
    const isOver = count > (now?.rules.sessionsMax ?? Number.POSITIVE_INFINITY);
    if (isOver || !mayStay(this.#login, now, this.#entrance.claimant())) this.#end('login-changed');
    else if (now) this.#extend(now);
  }

  /** Ends it here and now. */
  cut(): void {
    this.#socket.destroy();
  }

  #openEntrance(client: ssh2.Connection): Entrance {
    const { address, profile } = this.#arrival;
    const { logins, passwords, gate, clock, settings } = this.#parts;
    return new Entrance(
      {
        logins,
        passwords,
        gate,
        clock,
        log: this.#log,
        address,
        profile,
        loginTries: settings.loginTries,
        enter: ({ login, rules }) => gate.enter(login, rules.sessionsMax),
        entered: (login, place) => this.#entered(login, place),
        isLeaving: () => this.#leaving,
        turnAway: (answer) => {
          this.#leaving = true;
          answer();
          this.#sayGoodbye();
        },
        end: (reason) => this.#end(reason),
        tell: (sentence) => sendBanner(client, sentence),
      },
      this.#software,
    );
  }

  #entered(login: Login, place: Disposable): void {
    this.#place = place;
    this.#login = login;
    this.#greeting.forget();
    this.#arrival.place[Symbol.dispose]();
    this.#heard();
    this.#timer[Symbol.dispose]();
    this.#watchTime(login);
  }

  #openChannel(session: ssh2.Session, login: Login): void {
    this.#channels++;
    let isUsed = false;
    const use = (channel: ServerChannel | undefined, serve: (channel: ServerChannel) => void): void => {
      if (!channel) return;
      isUsed = true;
      ignoreErrors(channel);
      if (isUsable(channel)) serve(channel);
      else this.#end('packet-size');
    };
    session.on('error', () => {});
    session.on('close', () => {
      this.#channels--;
      if (!isUsed && ++this.#wasted > WASTED_CHANNELS_MAX) this.#end('wasted-channels');
    });
    const refuse = (channel: ServerChannel, sent?: string): void => {
      const command = refuseCommand(channel, sent);
      this.#log.warn({ event: 'sftp.command', login: login.login, client: this.#software, command });
    };
    session.on('shell', (accept) => use(accept(), refuse));
    session.on('exec', (accept, _reject, { command }) => use(accept(), (channel) => refuse(channel, command)));
    session.on('subsystem', (accept, reject, { name }) => {
      if (name === 'sftp') use(accept(), (channel) => this.#serve(channel, login));
      else reject?.();
    });
  }

  #serve(channel: ServerChannel, login: Login): void {
    const { settings, logins, intake, home, downloadTakes, folders, clock, isStopping } = this.#parts;
    const line = openLine(channel, {
      software: this.#software,
      isGone: () => this.#gone,
      socketBytes: () => this.#socket.writableLength,
      sent: () => session.sent(),
    });
    const desk: Desk = {
      get login() {
        return logins.find(login.login) ?? login;
      },
      session: this.#arrival.id,
      intake,
      home,
      downloadTakes,
      folders,
      fileMaxBytes: settings.fileMax,
      failures: openFailures(),
      clock,
      log: this.#log,
      isStopping,
    };
    const session = new SftpSession({ desk, handles: new Handles(settings.handlesMax) }, line);
    this.#sessions.set(session, channel);
    channel.on('data', (piece: Buffer) => {
      this.#heard();
      session.receive(piece);
    });
    channel.on('end', () => session.heardAll());
    channel.on('close', () => session.lost());
    void session.ended.then(() => {
      this.#sessions.delete(session);
      if (this.#parts.isStopping() && this.#sessions.size === 0) this.#leave();
    });
  }

  #heard(): void {
    this.#heardAtMs = this.#parts.clock.now();
  }

  #watchTime(login: Login): void {
    const now = this.#parts.clock.now();
    const leftMs = this.#heardAtMs + this.#parts.settings.idle - now;
    const daysMs = expiryMs(login.rules) - now;
    if (daysMs <= 0) this.#end('login-expired');
    else if (leftMs <= 0) this.#leave();
    else this.#timer = this.#parts.clock.after(Math.min(leftMs, daysMs), () => this.#watchTime(login));
  }

  /** The login's last day may be another one now. */
  #extend(login: Login): void {
    this.#timer[Symbol.dispose]();
    this.#watchTime(login);
  }

  #leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#sayGoodbye();
  }

  /** Goodbye by the protocol. */
  #sayGoodbye(): void {
    try {
      if (this.#client) this.#client.end();
      else this.cut();
    } catch {
      this.cut();
    }
  }

  #end(reason: string): void {
    if (!this.#gone) this.#log.warn({ event: 'sftp.cut', reason, client: this.#software });
    this.cut();
  }

  #lost(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#leaving = true;
    this.#timer[Symbol.dispose]();
    for (const session of this.#sessions.keys()) session.lost();
  }

  #reject(): void {
    const { address, profile, legacyEnded, place } = this.#arrival;
    const isIdle = this.#entrance?.isIdle ?? true;
    if (isIdle && this.#parts.gate.punish(address, 'no-login')) this.#log.warn({ event: 'sftp.barred', client: this.#software });
    const reject = explain({
      address,
      login: this.#entrance?.claim ?? '',
      greeting: this.#greeting.greeting,
      profile,
      legacyEnded,
      isEncrypted: this.#isEncrypted,
      failure: this.#entrance?.failure,
      gaveWay: place.isLost,
    });
    if (reject) this.#parts.rejected(reject);
  }

  async #close(): Promise<void> {
    this.#lost();
    this.#arrival.place[Symbol.dispose]();
    await Promise.all([...this.#sessions.keys()].map((session) => session.ended));
    this.#place?.[Symbol.dispose]();
    if (this.#login) {
      this.#parts.intake.leave(this.#arrival.id);
      this.#log.info({ event: 'sftp.left', login: this.#login.login });
    } else if (!this.#parts.isStopping()) {
      this.#reject();
    }
    this.#closed.resolve();
  }
}
