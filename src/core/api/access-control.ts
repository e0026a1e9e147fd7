// The access control that every request passes before its body is read: it identifies the caller and charges the request to a budget.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HEADER } from '#contract/headers.ts';
import { type AuthenticationParts, authenticate, authenticateByKey, type Caller, checkApiIntegration } from '#core/access/authenticate.ts';
import type { Budget, RateLimit } from '#core/access/rate-limit.ts';
import { AppError } from '#domain/error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the credentials must be valid for; by default, the transactions of the account in the path. */
    access?: 'account' | 'partner' | 'key' | 'body' | 'health' | 'access-point';
  }
  interface FastifyRequest {
    /** The authenticated caller; null where no credentials are asked for. */
    caller: Caller | null;
  }
}

export interface AccessControl {
  /** The hook: throws `unauthenticated`, `wrong-credentials`, `forbidden`, `rate-limited`. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** The same for a route whose credentials come in the body. */
  readonly admitBy: (request: FastifyRequest, reply: FastifyReply, identify: () => Promise<Caller>) => Promise<Caller>;
  /** Writes the budget of the address into the response headers, and charges nothing. */
  readonly showAddress: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Charges a request without a caller to its address, and writes that budget into the response headers. */
  readonly chargeAddress: (request: FastifyRequest, reply: FastifyReply) => Promise<Budget>;
}

type Identify = (parts: AuthenticationParts, authorization: string | undefined, params: unknown) => Promise<Caller>;

/** How a caller is identified, by the route's `access`. */
const IDENTIFY: Readonly<Record<'account' | 'partner' | 'key', Identify>> = {
  account: (parts, authorization, params) => authenticate(parts, authorization, 'account', named(params, 'accountRegNo')),
  partner: (parts, authorization, params) => authenticate(parts, authorization, 'partner', named(params, 'partnerRegNo')),
  key: (parts, authorization, params) => authenticateByKey(parts, authorization, named(params, 'accountRegNo')),
};

export function createAccessControl(parts: AuthenticationParts, limits: RateLimit): AccessControl {
  async function admitBy(request: FastifyRequest, reply: FastifyReply, identify: () => Promise<Caller>): Promise<Caller> {
    const caller = await orRefusal(identify);
    // A request without valid credentials is charged to its address, so that no caller spends another account's budget.
    if (caller instanceof AppError) {
      charge(reply, await limits.address(request.ip));
      throw caller;
    }
    // A partner's token for a child is charged to the child, and to the partner (decisions A2).
    charge(reply, await limits.caller(caller));
    request.caller = caller;
    return caller;
  }

  async function showAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers(budgetHeaders(await limits.address(request.ip, 0)));
  }

  return {
    admitBy,
    showAddress,
    async admit(request, reply) {
      const { access = 'account', open } = request.routeOptions.config;
      if (access === 'body' || access === 'access-point') return;
      // Monitoring may ask as often as it likes.
      if (access === 'health') return showAddress(request, reply);
      if (open || request.is404) return charge(reply, await limits.address(request.ip));
      const identify = IDENTIFY[access];
      const caller = await admitBy(request, reply, () => identify(parts, request.headers.authorization, request.params));
      if (access === 'account') checkApiIntegration(caller);
    },
    async chargeAddress(request, reply) {
      const budget = await limits.address(request.ip);
      reply.headers(budgetHeaders(budget));
      return budget;
    },
  };
}

/** `rate-limited` when the budget is spent. */
export function budgetError({ limit, resetSeconds, spent }: Budget): AppError | null {
  if (!spent) return null;
  const sentence = `The request budget of ${limit} requests is spent: wait ${resetSeconds} s.`;
  return new AppError('rate-limited', sentence, { facts: { limit, retryAfterSeconds: resetSeconds } });
}

/** Specification, Limits: on every response. */
export function budgetHeaders({ limit, remaining, resetSeconds, policy }: Budget): Record<string, string> {
  return {
    [HEADER.rateLimit]: String(limit),
    [HEADER.rateRemaining]: String(remaining),
    [HEADER.rateReset]: String(resetSeconds),
    [HEADER.ratePolicy]: policy,
  };
}

/** Writes the budget into the response headers, and throws `rate-limited` when it is spent. */
function charge(reply: FastifyReply, budget: Budget): void {
  reply.headers(budgetHeaders(budget));
  const error = budgetError(budget);
  if (error) throw error;
}

async function orRefusal(identify: () => Promise<Caller>): Promise<Caller | AppError> {
  try {
    return await identify();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A registration number in the path; empty, which no account has, when the path has none. */
function named(params: unknown, name: string): string {
  const value = typeof params === 'object' && params !== null ? Object.entries(params).find(([key]) => key === name)?.[1] : undefined;
  return typeof value === 'string' ? value : '';
}
