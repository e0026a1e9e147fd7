// The login of one connection: its requests judged one by one, its tries counted, until it is in or sent away.
import type { AuthContext } from 'ssh2';
import { dayOf } from '#domain/day.ts';
import type { Login, Logins } from '#gateway/model/account.ts';
import { expiryMs } from '#gateway/model/login-rules.ts';
import { legacyNames, type ProfileName } from '#gateway/sftp/algorithms.ts';
import type { LoginFailure } from '#gateway/sftp/rejects.ts';
import { printable } from '#gateway/sftp/ssh2/client-kexinit.ts';
import type { Clock } from '#runtime/clock.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import type { Gate, Offence } from './connection-gate.ts';
import { type Claimant, methodsLeft, type Proof } from './login-rules-check.ts';
import type { Passwords } from './password.ts';
import { judge, nameKeyAsAsked, usesSha1, type Verdict } from './proofs.ts';

export interface EntranceParts {
  readonly logins: Logins;
  readonly passwords: Passwords;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly log: LogLines;
  readonly address: string;
  readonly profile: ProfileName;
  readonly loginTries: number;
  /** A place for one more session of the login; undefined when it has as many as it may. */
  readonly enter: (login: Login) => Disposable | undefined;
  /** It is in. */
  readonly entered: (login: Login, place: Disposable) => void;
  /** Goodbye has been said: whatever was sent before is not answered any more, least of all a login. */
  readonly isLeaving: () => boolean;
  /** Says goodbye after the answer that `answer` gives. */
  readonly turnAway: (answer: () => void) => void;
  /** Ends the connection here and now. */
  readonly end: (reason: string) => void;
  /** Shows a sentence to the user before the answer. */
  readonly tell: (sentence: string) => void;
}

/** Requests to log in, questions about keys included, before a client that only asks is sent away. */
const REQUESTS_MAX = 50;
const LOGIN_SHOWN_MAX = 64;

export class Entrance {
  readonly #parts: EntranceParts;
  readonly #software: string;
  readonly #proved = new Set<Proof>();
  /** By which it has proved it, and with which of the last century's signatures. */
  readonly #methods: string[] = [];
  readonly #signatures: string[] = [];
  #name = '';
  #claim = '';
  #failure: LoginFailure | undefined;
  #requests = 0;
  #tries = 0;

  constructor(parts: EntranceParts, software: string) {
    this.#parts = parts;
    this.#software = software;
  }

  /** The name that the client gives itself; '' before it has. */
  get claim(): string {
    return this.#claim;
  }

  /** Why its latest try was not enough, if it has made one. */
  get failure(): LoginFailure | undefined {
    return this.#failure;
  }

  /** Whether it has left without as much as a try. */
  get isIdle(): boolean {
    return this.#tries === 0 && this.#proved.size === 0;
  }

  /** What the rules of its login are held against. */
  claimant(): Claimant {
    return { address: this.#parts.address, nowMs: this.#parts.clock.now(), proved: this.#proved };
  }

  /** `used`: the algorithms that were agreed on. Never throws. */
  async authenticate(context: AuthContext, used: readonly string[]): Promise<void> {
    const { logins, passwords, gate, address, profile, log, isLeaving, end } = this.#parts;
    try {
      this.#requests++;
      let isGivenUp = false;
      context.once('abort', () => {
        isGivenUp = true;
      });
      this.#forgetUnless(context.username);
      this.#claim = printable(context.username.slice(0, LOGIN_SHOWN_MAX));
      const verify: Passwords['verify'] = (password, hash) => gate.inTurn(address, () => passwords.verify(password, hash), false);
      const verdict = await judge(context, { logins, verify, sha1: profile === 'legacy', claimant: () => this.claimant() });
      if (this.#requests > REQUESTS_MAX) end('login-requests');
      // Others from its address may have guessed meanwhile; or it has itself, and sent its guesses all at once.
      else if (!isLeaving() && gate.isBarred(address)) this.#turnAway(context);
      // A dialogue that was given up for another request lets nobody in, and ssh2 would not say so; a wrong guess in it counts.
      else if (!isLeaving() && !(isGivenUp && verdict.is !== 'out')) this.#decide(context, verdict, used);
    } catch (error) {
      log.error({ event: 'sftp.login-error', err: error });
      end('login-error');
    }
  }

  /** RFC 4252 §5: whoever changes the name begins anew. What one login has proved must never count for another. */
  #forgetUnless(name: string): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#proved.clear();
    this.#methods.length = 0;
    this.#signatures.length = 0;
  }

  #decide(context: AuthContext, verdict: Verdict, used: readonly string[]): void {
    if (verdict.is === 'in') {
      this.#note(context, verdict.proof);
      this.#letIn(context, verdict.login, used);
    } else if (verdict.is === 'half') {
      this.#note(context, verdict.proof);
      this.#failure = 'half';
      context.reject(methodsLeft(this.#proved), true);
    } else if (verdict.is === 'key-known' && context.method === 'publickey') {
      nameKeyAsAsked(context);
      context.accept();
    } else {
      if (verdict.is === 'out') this.#refuse(context, verdict);
      if (this.#tries >= this.#parts.loginTries) this.#turnAway(context);
      else context.reject(methodsLeft(this.#proved));
    }
  }

  #note(context: AuthContext, proof: Proof): void {
    if (!this.#proved.has(proof)) this.#methods.push(context.method);
    this.#proved.add(proof);
    if (context.method === 'publickey' && usesSha1(context)) this.#signatures.push(context.key.algo);
  }

  #refuse({ method, username }: AuthContext, { why, counts }: Extract<Verdict, { is: 'out' }>): void {
    this.#failure = why ?? this.#failure;
    if (!counts) return;
    this.#tries++;
    this.#parts.log.warn({ event: 'sftp.login-failed', login: this.#claim, method, client: this.#software });
    this.#punish('failed-login');
    if (why === 'expired') this.#tellExpired(this.#parts.logins.find(username));
  }

  #tellExpired(login: Login | undefined): void {
    const lastDay = login && dayOf(expiryMs(login.rules) - 1);
    if (lastDay) this.#parts.tell(`the login ${this.#claim} ended on ${lastDay}; ask the administrator of this server to extend it`);
  }

  #letIn(context: AuthContext, login: Login, used: readonly string[]): void {
    const { gate, address, enter, entered, tell, log } = this.#parts;
    this.#noteLegacy(login, [...used, ...this.#signatures]);
    gate.welcome(address);
    const place = enter(login);
    if (!place) {
      this.#failure = 'too-many-sessions';
      log.warn({ event: 'sftp.login-refused', login: login.login, reason: 'too many sessions of this login' });
      tell(`the login ${login.login} has as many sessions open as it may; close one, or wait until idle ones end`);
      this.#turnAway(context);
      return;
    }
    log.info({ event: 'sftp.login', login: login.login, method: this.#methods.join('+'), client: this.#software });
    entered(login, place);
    context.accept();
  }

  /** Whoever still needs the algorithms of the last century shall be known by name. */
  #noteLegacy({ login }: Login, used: readonly string[]): void {
    const algorithms = [...new Set(legacyNames(used))];
    if (algorithms.length > 0) this.#parts.log.warn({ event: 'sftp.legacy', algorithms, login, client: this.#software });
  }

  #punish(offence: Offence): void {
    const { gate, address, log } = this.#parts;
    if (gate.punish(address, offence)) log.warn({ event: 'sftp.barred', client: this.#software });
  }

  /** Requests that ssh2 holds back come up as soon as this one is rejected; they must find the door closed already. */
  #turnAway(context: AuthContext): void {
    this.#parts.turnAway(() => context.reject(methodsLeft(this.#proved)));
  }
}
