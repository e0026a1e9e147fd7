// The tokens by which a partner acts for its children: asked for when they are needed, one request at a time for each child, and kept
// until shortly before they end. Timers measure their time, which a clock that is put forward or back does not move.
import { parseErrorEnvelope } from '#contract/errors.ts';
import { MEDIA_TYPE } from '#contract/headers.ts';
import { parseToken, type TokenRequest, tokenPath } from '#contract/tokens.ts';
import { AppError } from '#domain/error.ts';
import { PAUSE_ACCOUNT_MS, PAUSE_FAMILY_MS } from '#domain/retry.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type Budget, limitsOf } from './budget.ts';
import type { Answer, Transport } from './transport.ts';
import { askWithin } from './within-budget.ts';

/** A token is not used any more so long before its end: the request must arrive while it is valid. */
const BEFORE_END_MS = 60_000;
/** Children whose tokens, or refusals, are kept. */
const CHILDREN_MAX = 20_000;

/** A partner and its API key. */
export interface PartnerKey {
  readonly partnerRegNo: string;
  readonly key: string;
}

export interface TokenParts {
  readonly transport: Transport;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly log: Log;
}

export interface TokenCache extends Disposable {
  /** A token for the child. Throws as Authority.header does. */
  token(childRegNo: string, partner: PartnerKey): Promise<string>;
  /** What the service answered to a token: one that it refuses is not used again. */
  answered(childRegNo: string, token: string, status: number): void;
  /** Whether another token may help: not when none is given, nor when the last one, fresh as it was, was refused like the one before. */
  isRenewable(childRegNo: string, partner: PartnerKey): boolean;
  /** Accounts have changed: what was refused may be asked for again. */
  forgive(): void;
}

/** What is remembered of a child, or of a partner's own key, for a while. */
interface Memory extends Disposable {
  /** With which key it was asked for. */
  readonly key: string;
  readonly token: string | null;
  /** Why there is none. */
  readonly refusal: Refusal | null;
}

interface Refusal {
  readonly code: 'forbidden' | 'wrong-credentials';
  readonly sentence: string;
  readonly untilMs: number;
  readonly forMs: number;
}

export function openTokenCache({ transport, budget, clock, log }: TokenParts): TokenCache {
  /** By child, and by partner for what is remembered of its own key: the one that was asked for longest ago first. */
  const memories = new Map<string, Memory>();
  const asking = new Map<string, Promise<string>>();
  /** Tokens of a child that were refused one after the other. */
  const refused = new Map<string, number>();
  /** Refusals that were logged: one alarm each, until it is over. */
  const alarmed = new Set<string>();

  function remember(name: string, memory: Omit<Memory, typeof Symbol.dispose>, forMs: number): void {
    forget(name);
    const timer = clock.after(forMs, () => memories.delete(name));
    memories.set(name, { ...memory, [Symbol.dispose]: () => timer[Symbol.dispose]() });
    for (const oldest of memories.keys()) {
      if (memories.size <= CHILDREN_MAX) break;
      forget(oldest);
    }
  }

  function forget(name: string): void {
    memories.get(name)?.[Symbol.dispose]();
    memories.delete(name);
  }

  /** What is remembered, as long as it was asked for with the key of today. */
  function recall(name: string, { key }: PartnerKey): Memory | undefined {
    const memory = memories.get(name);
    return memory?.key === key ? memory : undefined;
  }

  const recallAny = (childRegNo: string, partner: PartnerKey): Memory | undefined =>
    recall(childRegNo, partner) ?? recall(payerOf(partner), partner);

  function refuse(name: string, { key, partnerRegNo }: PartnerKey, code: Refusal['code'], sentence: string, forMs: number): AppError {
    const refusal = { code, sentence, untilMs: clock.now() + forMs, forMs };
    remember(name, { key, token: null, refusal }, forMs);
    const event = code === 'forbidden' ? 'partner.unlinked' : 'partner.refused';
    if (!alarmed.has(name)) log.error({ event, partnerRegNo, ...(code === 'forbidden' && { accountRegNo: name }), reason: sentence });
    alarmed.add(name);
    return errorOf(refusal);
  }

  /** A clock that was put back makes no request wait longer than the refusal lasts. */
  function errorOf({ code, sentence, untilMs, forMs }: Refusal): AppError {
    const waitMs = Math.min(Math.max(untilMs - clock.now(), 1_000), forMs);
    return new AppError(code, sentence, { facts: { waitMs } });
  }

  /** What was refused is given again. */
  function restored(childRegNo: string, partner: PartnerKey): void {
    const { partnerRegNo } = partner;
    if (alarmed.delete(payerOf(partner))) log.info({ event: 'partner.restored', partnerRegNo });
    if (alarmed.delete(childRegNo)) log.info({ event: 'partner.restored', partnerRegNo, accountRegNo: childRegNo });
  }

  async function ask(partner: PartnerKey, request: TokenRequest): Promise<Answer> {
    const payer = payerOf(partner);
    const headers = { authorization: `ApiKey ${partner.key}`, accept: MEDIA_TYPE.json, 'content-type': MEDIA_TYPE.json };
    const body = Buffer.from(JSON.stringify(request));
    return askWithin(budget, payer, 'submit', async () => {
      try {
        const answer = await transport.send({ method: 'POST', path: tokenPath(partner.partnerRegNo), headers, body });
        budget.learn(payer, limitsOf(answer.headers));
        return answer;
      } catch (error) {
        budget.learn(payer, null);
        throw error;
      }
    });
  }

  async function fetchToken(childRegNo: string, partner: PartnerKey): Promise<string> {
    const answer = await ask(partner, { actingAs: 'parent', forChildRegNo: childRegNo });
    const given = answer.status === 200 ? parseToken(answer.body) : undefined;
    if (!given) throw isRefusal(answer) ? await whyNot(childRegNo, partner) : noToken(answer);
    const { token, lifetimeMs } = given;
    remember(childRegNo, { key: partner.key, token, refusal: null }, Math.max(lifetimeMs - BEFORE_END_MS, lifetimeMs / 2));
    restored(childRegNo, partner);
    return token;
  }

  /** A service says the same to a key that is not valid and to one that may not act for this child; a token for the partner itself tells which. */
  async function whyNot(childRegNo: string, partner: PartnerKey): Promise<AppError> {
    const { partnerRegNo } = partner;
    const own = await ask(partner, { actingAs: 'self' });
    if (own.status === 200) {
      return refuse(childRegNo, partner, 'forbidden', `partner ${partnerRegNo} may not act for account ${childRegNo}`, PAUSE_FAMILY_MS);
    }
    if (!isRefusal(own)) return noToken(own);
    return refuse(payerOf(partner), partner, 'wrong-credentials', `the API key of partner ${partnerRegNo} is not valid`, PAUSE_ACCOUNT_MS);
  }

  return {
    async token(childRegNo, partner) {
      const memory = recallAny(childRegNo, partner);
      if (memory?.refusal) throw errorOf(memory.refusal);
      if (memory?.token != null) return memory.token;
      const under = asking.get(childRegNo) ?? fetchToken(childRegNo, partner).finally(() => asking.delete(childRegNo));
      asking.set(childRegNo, under);
      return under;
    },
    answered(childRegNo, token, status) {
      if (memories.get(childRegNo)?.token !== token) return;
      if (status !== 401) {
        refused.delete(childRegNo);
        return;
      }
      forget(childRegNo);
      refused.set(childRegNo, (refused.get(childRegNo) ?? 0) + 1);
    },
    isRenewable: (childRegNo, partner) => !recallAny(childRegNo, partner)?.refusal && (refused.get(childRegNo) ?? 0) <= 1,
    forgive() {
      for (const [name, { refusal }] of memories) if (refusal) forget(name);
    },
    [Symbol.dispose]() {
      for (const name of [...memories.keys()]) forget(name);
    },
  };
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
