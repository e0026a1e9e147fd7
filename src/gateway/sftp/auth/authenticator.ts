// The login of one connection: each request is checked (credentials.ts, runtime/auth/password.ts), failed ones are counted and punished
// (runtime/auth/ban-list.ts), until the client is logged in or disconnected.
import type { AuthContext } from 'ssh2';
import { dayOf } from '#domain/day.ts';
import type { Login, Logins } from '#gateway/model/account.ts';
import { expiryMs } from '#gateway/model/login-rules.ts';
import { legacyNames, type ProfileName } from '#gateway/sftp/ssh2/algorithms.ts';
import { printable } from '#gateway/sftp/ssh2/client-kexinit.ts';
import type { Passwords } from '#runtime/auth/password.ts';
import type { Clock } from '#runtime/clock.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { type Check, checkCredential, nameKeyAsAsked, usesSha1 } from './credentials.ts';
import { fingerprint } from './fingerprint.ts';
import type { LoginFailure } from './login-failures.ts';
import { type Client, type Credential, methodsLeft } from './login-rules-check.ts';

interface AuthenticatorParts {
  readonly logins: Logins;
  readonly passwords: Passwords;
  readonly limits: ConnectionLimits;
  readonly clock: Clock;
  readonly log: LogLines;
  readonly address: string;
  /** What the client calls itself. */
  readonly software: string;
  readonly profile: ProfileName;
  readonly loginTries: number;
  /** The client is logged in; `session` is disposed when the connection ends. */
  readonly loggedIn: (login: Login, session: Disposable) => void;
  /** The server has disconnected: requests that were sent before are not answered any more, least of all by a login. */
  readonly isLeaving: () => boolean;
  /** Answers by `answer`, then disconnects. */
  readonly disconnect: (answer: () => void) => void;
  /** Ends the connection at once. */
  readonly cut: (reason: string) => void;
  /** Shows a sentence to the user before the answer. */
  readonly showBanner: (sentence: string) => void;
}

/** Requests, questions about keys included, before a client that only asks is cut. */
const REQUESTS_MAX = 50;
const LOGIN_SHOWN_MAX = 64;

export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #shown = new Set<Credential>();
  /** How the credentials were shown, and with which signatures. */
  readonly #methods: string[] = [];
  readonly #signatures: string[] = [];
  #name = '';
  #key: string | null = null;
  #failure: LoginFailure | undefined;
  #requests = 0;
  #tries = 0;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /** The login that the client names, in printable form; '' before its first request. */
  get login(): string {
    return printable(this.#name.slice(0, LOGIN_SHOWN_MAX));
  }

  /** The public key that it has shown, as SHA256:…; null where it has shown none. */
  get key(): string | null {
    return this.#key;
  }

  /** Why its latest request was refused. */
  get failure(): LoginFailure | undefined {
    return this.#failure;
  }

  /** Whether the client has not even tried to log in. */
  get isIdle(): boolean {
    return this.#tries === 0 && this.#shown.size === 0;
  }

  /** The client as the rules of its login see it. */
  client(): Client {
    return { address: this.#parts.address, nowMs: this.#parts.clock.now(), shown: this.#shown };
  }

  /** `used`: the algorithms of the connection. Never throws. */
  async authenticate(context: AuthContext, used: readonly string[]): Promise<void> {
    const { logins, passwords, limits, address, profile, log, isLeaving, cut } = this.#parts;
    try {
      this.#requests++;
      let isGivenUp = false;
      context.once('abort', () => {
        isGivenUp = true;
      });
      this.#forgetUnless(context.username);
      const verify: Passwords['verify'] = (password, hash) => limits.verifyInTurn(address, () => passwords.verify(password, hash));
      const check = await checkCredential(context, { logins, verify, sha1: profile === 'legacy', client: () => this.client() });
      if (this.#requests > REQUESTS_MAX) cut('login-requests');
      // The address may have been banned meanwhile, by other connections or by guesses that this client sent all at once.
      else if (!isLeaving() && limits.isBanned(address)) this.#disconnect(context);
      // A dialogue that the client gave up for another request must not log it in, of which ssh2 says nothing; a wrong guess in it counts.
      else if (!isLeaving() && !(isGivenUp && check.is !== 'invalid')) this.#answer(context, check, used);
    } catch (error) {
      log.error({ event: 'sftp.login-error', err: error });
      cut('login-error');
    }
  }

  /** With another name a client starts anew (RFC 4252 §5): credentials of one login must never count for another. */
  #forgetUnless(name: string): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#key = null;
    this.#shown.clear();
    this.#methods.length = 0;
    this.#signatures.length = 0;
  }

  #answer(context: AuthContext, check: Check, used: readonly string[]): void {
    if (check.is === 'valid') {
      this.#note(context, check.credential);
      this.#accept(context, check.login, used);
    } else if (check.is === 'half') {
      this.#note(context, check.credential);
      this.#failure = 'half';
      context.reject(methodsLeft(this.#shown), true);
    } else if (check.is === 'key-known' && context.method === 'publickey') {
      nameKeyAsAsked(context);
      context.accept();
    } else {
      if (check.is === 'invalid') this.#count(context, check);
      if (this.#tries >= this.#parts.loginTries) this.#disconnect(context);
      else context.reject(methodsLeft(this.#shown));
    }
  }

  #note(context: AuthContext, credential: Credential): void {
    if (!this.#shown.has(credential)) this.#methods.push(context.method);
    this.#shown.add(credential);
    if (context.method !== 'publickey') return;
    this.#key = fingerprint(context.key.data);
    if (usesSha1(context)) this.#signatures.push(context.key.algo);
  }

  #count({ method, username }: AuthContext, { why, counts }: Extract<Check, { is: 'invalid' }>): void {
    const { limits, address, logins, log, software } = this.#parts;
    this.#failure = why ?? this.#failure;
    if (!counts) return;
    this.#tries++;
    log.warn({ event: 'sftp.login-failed', login: this.login, method, client: software });
    limits.punish(address, 'failed-login');
    if (why === 'expired') this.#showExpiry(logins.find(username));
  }

  #showExpiry(login: Login | undefined): void {
    const lastDay = login && dayOf(expiryMs(login.rules) - 1);
    if (lastDay) this.#parts.showBanner(`the login ${this.login} ended on ${lastDay}; ask the administrator of this server to extend it`);
  }

  #accept(context: AuthContext, login: Login, used: readonly string[]): void {
    const { limits, address, software, loggedIn, showBanner, log } = this.#parts;
    const algorithms = [...new Set(legacyNames([...used, ...this.#signatures]))];
    if (algorithms.length > 0) log.warn({ event: 'sftp.legacy', algorithms, login: login.login, client: software });
    limits.loggedIn(address);
    const session = limits.openSession(login.login, login.rules.sessionsMax);
    if (!session) {
      this.#failure = 'too-many-sessions';
      log.warn({ event: 'sftp.login-refused', login: login.login, reason: 'too many sessions of this login' });
      showBanner(`the login ${login.login} has as many sessions open as it may; close one, or wait until idle ones end`);
      this.#disconnect(context);
      return;
    }
    log.info({ event: 'sftp.login', login: login.login, method: this.#methods.join('+'), client: software });
    loggedIn(login, session);
    context.accept();
  }

  /** ssh2 processes the requests that it holds back as soon as this one is rejected; the connection must be marked as leaving by then. */
  #disconnect(context: AuthContext): void {
    this.#parts.disconnect(() => context.reject(methodsLeft(this.#shown)));
  }
}
