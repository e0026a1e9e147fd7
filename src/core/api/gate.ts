// What every request passes first: who asks, and whether the budget still allows it. Bodies are read only after that.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HEADER } from '#contract/headers.ts';
import { authenticate } from '#core/authenticate.ts';
import type { Context } from '#core/context.ts';
import type { Budget, RateLimit } from '#core/rate-limit.ts';
import { AppError } from '#domain/error.ts';

/** Requests that belong to no account and cost nothing. */
const OPEN = new Set(['/health']);

/** Throws `unauthenticated`, `wrong-credentials`, `forbidden`, `rate-limited`. */
export function createGate(context: Context, limits: RateLimit) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (OPEN.has(request.url)) return;
    const accountRegNo = accountOf(request.params);
    const refusal = accountRegNo === undefined ? null : await refusalOf(context, request, accountRegNo);
    // A request without valid credentials is charged to its address, so that nobody spends another one's budget.
    const recognised = accountRegNo !== undefined && (refusal === null || refusal.code === 'forbidden');
    const budget = recognised ? await limits.account(accountRegNo) : await limits.address(request.ip);
    tell(reply, budget);
    if (budget.spent) throw limited(budget);
    if (refusal) throw refusal;
  };
}

function accountOf(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('accountRegNo' in params)) return undefined;
  return typeof params.accountRegNo === 'string' ? params.accountRegNo : undefined;
}

async function refusalOf(context: Context, request: FastifyRequest, accountRegNo: string): Promise<AppError | null> {
  try {
    await authenticate(context, request.headers.authorization, accountRegNo);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Specification, Limits: on every response. */
function tell(reply: FastifyReply, { limit, remaining, resetSeconds, policy }: Budget): void {
  reply.headers({
    [HEADER.rateLimit]: String(limit),
    [HEADER.rateRemaining]: String(remaining),
    [HEADER.rateReset]: String(resetSeconds),
    [HEADER.ratePolicy]: policy,
  });
}

function limited({ limit, resetSeconds }: Budget): AppError {
  const sentence = `The request budget of ${limit} requests is spent: wait ${resetSeconds} s.`;
  return new AppError('rate-limited', sentence, { facts: { limit, retryAfterSeconds: resetSeconds } });
}
