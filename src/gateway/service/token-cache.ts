// The tokens by which a partner acts for its children: asked for when they are needed, one request at a time for each child, and kept
// until shortly before they end. Timers measure their time, which a clock that is put forward or back does not move.
import { parseErrorEnvelope } from '#contract/errors.ts';
import { MEDIA_TYPE } from '#contract/headers.ts';
import { parseToken, type TokenRequest, tokenPath } from '#contract/tokens.ts';
import { AppError } from '#domain/error.ts';
import { PAUSE_ACCOUNT_MS, PAUSE_FAMILY_MS } from '#domain/retry.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Budget } from './budget.ts';
import type { Answer, Transport } from './transport.ts';

/** A token is not used any more so long before its end: the request must arrive while it is valid. */
const BEFORE_END_MS = 60_000;
/** Children whose tokens, or refusals, are kept. */
const CHILDREN_MAX = 20_000;

/** A partner and its API key. */
interface PartnerKey {
  readonly partnerRegNo: string;
  readonly key: string;
}

interface TokenParts {
  readonly transport: Transport;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is remembered of a child, or of a partner's own key, for a while. */
interface Memory {
  /** With which key it was asked for. */
  readonly key: string;
  readonly token: string | null;
  /** Why there is none. */
  readonly refusal: Refusal | null;
  /** Ends it. */
  readonly timer: Disposable;
}

interface Refusal {
  readonly code: 'forbidden' | 'wrong-credentials';
  readonly sentence: string;
  readonly untilMs: number;
  readonly forMs: number;
}

export class TokenCache implements Disposable {
  readonly #parts: TokenParts;
  /** By child, and by partner for what is remembered of its own key: the one that was asked for longest ago first. */
  readonly #memories = new Map<string, Memory>();
  readonly #asking = new Map<string, Promise<string>>();
  /** Tokens of a child that were refused one after the other. */
  readonly #refused = new Map<string, number>();
  /** Refusals that were logged: one alarm each, until it is over. */
  readonly #alarmed = new Set<string>();

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** A token for the child. Throws as Authority.header does. */
  async token(childRegNo: string, partner: PartnerKey): Promise<string> {
    const memory = this.#recallAny(childRegNo, partner);
    if (memory?.refusal) throw this.#errorOf(memory.refusal);
    if (memory?.token != null) return memory.token;
    const under = this.#asking.get(childRegNo) ?? this.#fetch(childRegNo, partner).finally(() => this.#asking.delete(childRegNo));
    this.#asking.set(childRegNo, under);
    return under;
  }

  /** What the service answered to a token: one that it refuses is not used again. */
  answered(childRegNo: string, token: string, status: number): void {
    if (this.#memories.get(childRegNo)?.token !== token) return;
    if (status !== 401) {
      this.#refused.delete(childRegNo);
      return;
    }
    this.#forget(childRegNo);
    this.#refused.set(childRegNo, (this.#refused.get(childRegNo) ?? 0) + 1);
  }

  /** Whether another token may help: not when none is given, nor when the last one, fresh as it was, was refused like the one before. */
  isRenewable(childRegNo: string, partner: PartnerKey): boolean {
    return !this.#recallAny(childRegNo, partner)?.refusal && (this.#refused.get(childRegNo) ?? 0) <= 1;
  }

  /** Accounts have changed: what was refused may be asked for again. */
  forgive(): void {
    for (const [name, { refusal }] of this.#memories) if (refusal) this.#forget(name);
  }

  [Symbol.dispose](): void {
    for (const name of [...this.#memories.keys()]) this.#forget(name);
  }

  async #fetch(childRegNo: string, partner: PartnerKey): Promise<string> {
    const answer = await this.#ask(partner, { actingAs: 'parent', forChildRegNo: childRegNo });
    const given = answer.status === 200 ? parseToken(answer.body) : undefined;
    if (!given) throw isRefusal(answer) ? await this.#whyNot(childRegNo, partner) : noToken(answer);
    const { token, lifetimeMs } = given;
    this.#remember(childRegNo, { key: partner.key, token, refusal: null }, Math.max(lifetimeMs - BEFORE_END_MS, lifetimeMs / 2));
    this.#restored(childRegNo, partner);
    return token;
  }

  /** A service says the same to a key that is not valid and to one that may not act for this child; a token for the partner itself tells which. */
  async #whyNot(childRegNo: string, partner: PartnerKey): Promise<AppError> {
    const { partnerRegNo } = partner;
    const own = await this.#ask(partner, { actingAs: 'self' });
    if (own.status === 200) {
      return this.#refuse(
        childRegNo,
        partner,
        'forbidden',
        `partner ${partnerRegNo} may not act for account ${childRegNo}`,
        PAUSE_FAMILY_MS,
      );
    }
    if (!isRefusal(own)) return noToken(own);
    return this.#refuse(
      payerOf(partner),
      partner,
      'wrong-credentials',
      `the API key of partner ${partnerRegNo} is not valid`,
      PAUSE_ACCOUNT_MS,
    );
  }

  async #ask(partner: PartnerKey, request: TokenRequest): Promise<Answer> {
    const { transport, budget } = this.#parts;
    const payer = payerOf(partner);
    const headers = { authorization: `ApiKey ${partner.key}`, accept: MEDIA_TYPE.json, 'content-type': MEDIA_TYPE.json };
    const body = Buffer.from(JSON.stringify(request));
    return budget.ask(payer, 'submit', async () => {
      try {
        const answer = await transport.send({ method: 'POST', path: tokenPath(partner.partnerRegNo), headers, body });
        budget.learn(payer, answer);
        return answer;
      } catch (error) {
        budget.learn(payer, null);
        throw error;
      }
    });
  }

  #refuse(name: string, { key, partnerRegNo }: PartnerKey, code: Refusal['code'], sentence: string, forMs: number): AppError {
    const { clock, log } = this.#parts;
    const refusal = { code, sentence, untilMs: clock.now() + forMs, forMs };
    this.#remember(name, { key, token: null, refusal }, forMs);
    const event = code === 'forbidden' ? 'partner.unlinked' : 'partner.refused';
    if (!this.#alarmed.has(name)) log.error({ event, partnerRegNo, ...(code === 'forbidden' && { accountRegNo: name }), reason: sentence });
    this.#alarmed.add(name);
    return this.#errorOf(refusal);
  }

  /** What was refused is given again. */
  #restored(childRegNo: string, partner: PartnerKey): void {
    const { log } = this.#parts;
    const { partnerRegNo } = partner;
    if (this.#alarmed.delete(payerOf(partner))) log.info({ event: 'partner.restored', partnerRegNo });
    if (this.#alarmed.delete(childRegNo)) log.info({ event: 'partner.restored', partnerRegNo, accountRegNo: childRegNo });
  }

  /** A clock that was put back makes no request wait longer than the refusal lasts. */
  #errorOf({ code, sentence, untilMs, forMs }: Refusal): AppError {
    const waitMs = Math.min(Math.max(untilMs - this.#parts.clock.now(), 1_000), forMs);
    return new AppError(code, sentence, { facts: { waitMs } });
  }

  #remember(name: string, memory: Omit<Memory, 'timer'>, forMs: number): void {
    this.#forget(name);
    const timer = this.#parts.clock.after(forMs, () => this.#memories.delete(name));
    this.#memories.set(name, { ...memory, timer });
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > CHILDREN_MAX && oldest !== undefined) this.#forget(oldest);
  }

  #forget(name: string): void {
    this.#memories.get(name)?.timer[Symbol.dispose]();
    this.#memories.delete(name);
  }

  #recallAny(childRegNo: string, partner: PartnerKey): Memory | undefined {
    return this.#recall(childRegNo, partner) ?? this.#recall(payerOf(partner), partner);
  }

  /** What is remembered, as long as it was asked for with the key of today. */
  #recall(name: string, { key }: PartnerKey): Memory | undefined {
    const memory = this.#memories.get(name);
    return memory?.key === key ? memory : undefined;
  }
}

/** What pays for the requests of a partner: no name that an account may have. */
function payerOf({ partnerRegNo }: PartnerKey): string {
  return `partner ${partnerRegNo}`;
}

/** The service itself said no, and will say so again. */
function isRefusal({ status, body }: Answer): boolean {
  return REFUSALS.has(status) && parseErrorEnvelope(status, body) !== undefined;
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404, 422]);

function noToken({ status }: Answer): AppError {
  return new AppError('internal', `the service answered ${status} when it was asked for a token`);
}
