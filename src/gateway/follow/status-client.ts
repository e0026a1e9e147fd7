// The requests about statuses of sent documents. Each spends the account's budget first.
import { parseStatuses, type StatusObject } from '#contract/envelopes.ts';
import type { TransactionQuery } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';

/** Page sizes that are tried when the service refuses one. */
const PAGE_LIMITS = [50, 20, 3];
const PAGE_LIMIT_FIRST = 100;

export interface StatusClient {
  /** A page of statuses, empty at the end. Throws `internal` (no usable answer), `rate-limited` (facts.waitMs). */
  ask(feed: Feed, query: TransactionQuery): Promise<StatusObject[]>;
}

export function openStatusClient(client: Pick<CoreClient, 'statuses'>, budget: Budget): StatusClient {
  /** The largest page that the service takes, as far as is known. */
  let limit = PAGE_LIMIT_FIRST;

  async function ask(feed: Feed, query: TransactionQuery): Promise<StatusObject[]> {
    const { accountRegNo, family } = feed;
    let asked = limit;
    const answer = await budget.ask(accountRegNo, 'poll', () => {
      // Others may have learnt a smaller one while this waited for its turn.
      asked = limit;
      return client.statuses(accountRegNo, familyNamed(family), 'outgoing', { limit: asked, ...query, includeRead: true });
    });
    if (answer.status === 204) return [];
    const smaller = PAGE_LIMITS.find((each) => each < asked);
    if (answer.status === 400 && query.limit === undefined && smaller !== undefined) {
      limit = Math.min(limit, smaller);
      return ask(feed, query);
    }
    const statuses = answer.status === 200 ? parseStatuses(answer.body) : undefined;
    if (statuses) return statuses;
    // Some services tell statuses of some families only.
    if (answer.status === 404 || answer.status === 501) return [];
    throw new AppError('internal', `the service answered ${answer.status} when it was asked for statuses of ${family}`);
  }

  return { ask };
}
