// One SSH connection: its login with deadline and tries, its channels, its idle time, and its end.
import type { Socket } from 'node:net';
import type ssh2 from 'ssh2';
import type { AuthContext, ServerChannel } from 'ssh2';
import type { Login, LoginHome, Logins } from '#gateway/accounts.ts';
import type { Intake } from '#gateway/intake.ts';
import type { Passwords } from '#gateway/password.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { legacyNames, type ProfileName } from './algorithms.ts';
import { ignoreErrors, isUsable, openLine, refuseCommand } from './channel.ts';
import { openFailures } from './failures.ts';
import type { Desk } from './files.ts';
import type { Gate, Offence } from './gate.ts';
import { Handles } from './handles.ts';
import { watchFirstExchange } from './kex.ts';
import { judge, METHODS, nameKeyAsAsked, usesSha1, type Verdict } from './login.ts';
import { GreetingReader, printable } from './offer.ts';
import { explain, type LoginFailure, type Reject } from './rejects.ts';
import { SftpSession } from './session.ts';
import type { HomePath } from './shelf.ts';

/** What a connection takes from the settings. Times in milliseconds, sizes in bytes. */
export interface ConnectionSettings {
  readonly profile: ProfileName;
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
  readonly settings: ConnectionSettings;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly log: Log;
  /** It has ended without a login. */
  readonly rejected: (reject: Reject) => void;
  readonly isStopping: () => boolean;
}

/** Requests to log in, questions about keys included, before a client that only asks is sent away. */
const LOGIN_REQUESTS_MAX = 50;
const LOGIN_SHOWN_MAX = 64;
/** Channels that came to nothing; ssh2 remembers each of them until the connection ends. */
const WASTED_CHANNELS_MAX = 100;
/** Bytes that a client may leave unread, and send beyond its window, before it is cut. */
const UNREAD_BYTES_MAX = 16 * 2 ** 20;
const BEYOND_WINDOW_BYTES_MAX = 4 * 2 ** 20;

export class Connection {
  readonly #id: string;
  readonly #socket: Socket;
  readonly #address: string;
  readonly #parts: ConnectionParts;
  readonly #log: Log;
  readonly #arrival: Disposable;
  readonly #sessions = new Map<SftpSession, ServerChannel>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #greeting = new GreetingReader();
  #client: ssh2.Connection | undefined;
  #software = '';
  #isEncrypted = false;
  /** The algorithms that were agreed on. */
  #used: readonly string[] = [];
  /** The name that the client gives itself, and why it was not believed. */
  #claim = '';
  #failure: LoginFailure | 'too-many-sessions' | undefined;
  /** It has proved who it is, whether or not there was room for it. */
  #isKnown = false;
  #login: Login | undefined;
  #place: Disposable | undefined;
  #timer: Disposable;
  #heardAtMs = 0;
  #requests = 0;
  #tries = 0;
  #channels = 0;
  #wasted = 0;
  /** Goodbye has been said: whatever was sent before is not answered any more, least of all a login. */
  #leaving = false;
  /** The socket is of no use any more, and ssh2 must not be called. */
  #gone = false;

  /** To be called before ssh2 gets the socket, so that what happens to it is known here first. */
  constructor(id: string, socket: Socket, address: string, arrival: Disposable, parts: ConnectionParts) {
    this.#id = id;
    this.#socket = socket;
    this.#address = address;
    this.#parts = parts;
    this.#arrival = arrival;
    this.#log = parts.log.child({ session: id, address });
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
    this.#client = client;
    this.#software = software;
    watchFirstExchange(client);
    client.on('error', (error) => this.#log.debug({ event: 'sftp.connection-error', err: error }));
    client.on('handshake', ({ kex, serverHostKey, cs, sc }) => {
      this.#isEncrypted = true;
      this.#used = [kex, serverHostKey, cs.cipher, sc.cipher, cs.mac, sc.mac];
    });
    client.on('authentication', (context) => void this.#authenticate(context));
    client.on('session', (accept, reject) => {
      const login = this.#login;
      if (!login || this.#channels >= this.#parts.settings.channelsMax || this.#parts.isStopping()) reject();
      else this.#openChannel(accept(), login);
    });
  }

  /** The server is stopping: sessions end when they are quiet, everything else at once. */
  stop(): void {
    if (this.#sessions.size === 0) this.#leave();
    for (const session of this.#sessions.keys()) session.stop();
  }

  /** Logins have changed: whoever may no longer do what this session may is sent away. */
  review(): void {
    if (this.#login && !stillGranted(this.#login, this.#parts.logins.find(this.#login.login))) this.#end('login-changed');
  }

  /** Ends it here and now. */
  cut(): void {
    this.#socket.destroy();
  }

  async #authenticate(context: AuthContext): Promise<void> {
    try {
      this.#requests++;
      this.#claim = printable(context.username.slice(0, LOGIN_SHOWN_MAX));
      const { logins, passwords, settings, gate } = this.#parts;
      const verify: Passwords['verify'] = (password, hash) => gate.inTurn(this.#address, () => passwords.verify(password, hash), false);
      const verdict = await judge(context, { logins, verify, sha1: settings.profile === 'legacy' });
      if (this.#requests > LOGIN_REQUESTS_MAX) this.#end('login-requests');
      // Others from its address may have guessed meanwhile; or it has itself, and sent its guesses all at once.
      else if (!this.#leaving && gate.isBarred(this.#address)) this.#turnAway(context);
      else if (!this.#leaving) this.#decide(context, verdict);
    } catch (error) {
      this.#log.error({ event: 'sftp.login-error', err: error });
      this.#end('login-error');
    }
  }

  #decide(context: AuthContext, verdict: Verdict): void {
    if (verdict.is === 'in') {
      this.#letIn(context, verdict.login, verdict.method);
    } else if (verdict.is === 'key-known' && context.method === 'publickey') {
      nameKeyAsAsked(context);
      context.accept();
    } else {
      if (verdict.is === 'out') this.#failure = verdict.why ?? this.#failure;
      if (verdict.is === 'out' && verdict.counts) this.#countFailure(context);
      if (this.#tries >= this.#parts.settings.loginTries) this.#turnAway(context);
      else context.reject(METHODS);
    }
  }

  #countFailure({ method }: AuthContext): void {
    this.#tries++;
    this.#log.warn({ event: 'sftp.login-failed', login: this.#claim, method, client: this.#software });
    this.#punish('failed-login');
  }

  /** Whoever still needs the algorithms of the last century shall be known by name. */
  #noteLegacy({ login }: Login, used: readonly string[]): void {
    const algorithms = [...new Set(legacyNames(used))];
    if (algorithms.length > 0) this.#log.warn({ event: 'sftp.legacy', algorithms, login, client: this.#software });
  }

  #punish(offence: Offence): void {
    if (this.#parts.gate.punish(this.#address, offence)) this.#log.warn({ event: 'sftp.barred', client: this.#software });
  }

  #letIn(context: AuthContext, login: Login, method: string): void {
    this.#isKnown = true;
    this.#noteLegacy(login, context.method === 'publickey' && usesSha1(context) ? [...this.#used, 'ssh-rsa'] : this.#used);
    this.#parts.gate.welcome(this.#address);
    const place = this.#parts.gate.enter(login.login);
    if (!place) {
      this.#failure = 'too-many-sessions';
      this.#log.warn({ event: 'sftp.login-refused', login: login.login, reason: 'too many sessions of this login' });
      this.#turnAway(context);
      return;
    }
    this.#place = place;
    this.#login = login;
    this.#arrival[Symbol.dispose]();
    this.#heard();
    this.#timer[Symbol.dispose]();
    this.#watchIdle();
    this.#log.info({ event: 'sftp.login', login: login.login, method, client: this.#software });
    context.accept();
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
    session.on('shell', (accept) => use(accept(), refuseCommand));
    session.on('exec', (accept) => use(accept(), refuseCommand));
    session.on('subsystem', (accept, reject, { name }) => {
      if (name === 'sftp') use(accept(), (channel) => this.#serve(channel, login));
      else reject?.();
    });
  }

  #serve(channel: ServerChannel, login: Login): void {
    const { settings, intake, home, clock, isStopping } = this.#parts;
    const line = openLine(channel, {
      software: this.#software,
      isGone: () => this.#gone,
      socketBytes: () => this.#socket.writableLength,
      sent: () => session.sent(),
    });
    const desk: Desk = {
      login,
      session: this.#id,
      intake,
      home,
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

  #watchIdle(): void {
    const leftMs = this.#heardAtMs + this.#parts.settings.idle - this.#parts.clock.now();
    if (leftMs <= 0) this.#leave();
    else this.#timer = this.#parts.clock.after(leftMs, () => this.#watchIdle());
  }

  /** Requests that ssh2 holds back come up as soon as this one is rejected; they must find the door closed already. */
  #turnAway(context: AuthContext): void {
    this.#leaving = true;
    context.reject(METHODS);
    this.#sayGoodbye();
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
    if (!this.#isKnown && this.#tries === 0) this.#punish('no-login');
    const reject = explain({
      address: this.#address,
      login: this.#claim,
      greeting: this.#greeting.greeting,
      profile: this.#parts.settings.profile,
      isEncrypted: this.#isEncrypted,
      failure: this.#failure,
    });
    if (reject) this.#parts.rejected(reject);
  }

  async #close(): Promise<void> {
    this.#lost();
    this.#arrival[Symbol.dispose]();
    await Promise.all([...this.#sessions.keys()].map((session) => session.ended));
    this.#place?.[Symbol.dispose]();
    if (this.#login) {
      this.#parts.intake.leave(this.#id);
      this.#log.info({ event: 'sftp.left', login: this.#login.login });
    } else if (!this.#parts.isStopping()) {
      this.#reject();
    }
    this.#closed.resolve();
  }
}

function stillGranted(then: Login, now: Login | undefined): boolean {
  const isSeen = ({ accountRegNo, folder }: LoginHome): boolean =>
    now?.homes.some((home) => home.accountRegNo === accountRegNo && home.folder === folder) ?? false;
  return now !== undefined && then.homes.every(isSeen);
}
