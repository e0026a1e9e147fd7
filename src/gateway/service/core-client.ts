// The gateway's side of the service's HTTP API: one request, one answer, nothing retried and nothing believed here.
import { type AddressRole, addressPath } from '#contract/addresses.ts';
import { HEADER, MEDIA_TYPE, MINIMAL, type Notation } from '#contract/headers.ts';
import { type TransactionQuery, transactionPath } from '#contract/routes.ts';
import { turnedAwayPath } from '#contract/turned-away.ts';
import { webhookPath } from '#contract/webhooks.ts';
import type { Direction } from '#domain/account.ts';
import type { Family } from '#domain/family.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Authority } from './authority.ts';
import type { Budget } from './budget.ts';
import { type Answer, type Method, NOWHERE, type Pour, type Transport } from './transport.ts';

interface CreateRequest {
  readonly family: Family;
  readonly body: Uint8Array;
  readonly notation: Notation;
  readonly key: string;
  readonly overwrite: boolean;
}

/**
 * Every call resolves with whatever the service answered. It throws `internal` (facts.unanswered) when no whole answer came (timeout, reset,
 * refused connection): what became of the request is not known then. `too-large`: the answer is longer than we read. What the authority throws
 * (authority.ts) was thrown before anything was sent.
 */
export interface CoreClient {
  create(accountRegNo: string, request: CreateRequest): Promise<Answer>;
  list(
    accountRegNo: string,
    family: Family,
    direction: Direction,
    query: TransactionQuery,
    notation: Notation,
    pour?: Pour,
  ): Promise<Answer>;
  /** Statuses, always JSON. */
  statuses(accountRegNo: string, family: Family, direction: Direction, query: TransactionQuery): Promise<Answer>;
  /** The read endpoint: returns unread documents, in JSON, and marks them. */
  read(accountRegNo: string, family: Family, query: TransactionQuery, pour: Pour): Promise<Answer>;
  /** The read endpoint for the sake of the marks alone: a service that can leaves the documents out of its answer. */
  mark(accountRegNo: string, family: Family, query: TransactionQuery): Promise<Answer>;
  /** What was turned away, after what is known already; an endpoint beside the specification. */
  turnedAway(accountRegNo: string, after: number): Promise<Answer>;
  /** Whether a receiver can receive, or the account may send from the address; an endpoint beside the specification. */
  address(accountRegNo: string, role: AddressRole, participant: string): Promise<Answer>;
  /** The webhook endpoints of the account; `rest` is what stands behind `/webhook/`, `body` becomes JSON. */
  webhook(accountRegNo: string, method: Method, rest: string, body?: object): Promise<Answer>;
}

interface CoreClientParts {
  readonly transport: Transport;
  readonly budget: Budget;
  readonly authority: Authority;
  readonly inHand: Pick<HomesInHand, 'check'>;
}

export function openCoreClient({ transport, budget, authority, inHand }: CoreClientParts): CoreClient {
  async function request(
    accountRegNo: string,
    method: Method,
    path: string,
    headers: Record<string, string>,
    body?: Uint8Array,
    pour?: Pour,
  ): Promise<Answer> {
    try {
      const authorization = await authority.header(accountRegNo);
      // A token may have taken long.
      if (method !== 'GET') inHand.check();
      const answer = await transport.send({ method, path, headers: { authorization, ...headers }, body, pour });
      authority.answered(accountRegNo, authorization, answer.status);
      budget.learn(accountRegNo, answer);
      return answer;
    } catch (error) {
      budget.learn(accountRegNo, null);
      throw error;
    }
  }

  const get = (accountRegNo: string, path: string, notation: Notation, pour?: Pour, headers?: Record<string, string>): Promise<Answer> =>
    request(accountRegNo, 'GET', path, { accept: MEDIA_TYPE[notation], ...headers }, undefined, pour);

  return {
    create: (accountRegNo, { family, body, notation, key, overwrite }) =>
      request(
        accountRegNo,
        'POST',
        transactionPath(accountRegNo, family, 'outgoing', 'list', overwrite ? { overwrite: true } : {}),
        { 'content-type': MEDIA_TYPE[notation], accept: MEDIA_TYPE.json, [HEADER.idempotencyKey]: key },
        body,
      ),
    list: (accountRegNo, family, direction, query, notation, pour) =>
      get(accountRegNo, transactionPath(accountRegNo, family, direction, 'list', query), notation, pour),
    statuses: (accountRegNo, family, direction, query) =>
      get(accountRegNo, transactionPath(accountRegNo, family, direction, 'status', query), 'json'),
    read: (accountRegNo, family, query, pour) =>
      get(accountRegNo, transactionPath(accountRegNo, family, 'incoming', 'read', query), 'json', pour),
    mark: (accountRegNo, family, query) =>
      get(accountRegNo, transactionPath(accountRegNo, family, 'incoming', 'read', query), 'xml', NOWHERE, { [HEADER.prefer]: MINIMAL }),
    turnedAway: (accountRegNo, after) => get(accountRegNo, turnedAwayPath(accountRegNo, after), 'json'),
    address: (accountRegNo, role, participant) => get(accountRegNo, addressPath(accountRegNo, role, participant), 'json'),
    webhook: (accountRegNo, method, rest, body) =>
      request(
        accountRegNo,
        method,
        webhookPath(accountRegNo, rest),
        { accept: MEDIA_TYPE.json, ...(body && { 'content-type': MEDIA_TYPE.json }) },
        body && Buffer.from(JSON.stringify(body)),
      ),
  };
}
