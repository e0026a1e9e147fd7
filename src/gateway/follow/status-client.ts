// The requests about statuses of sent documents. Each spends the account's budget first.
import { parseStatuses, type StatusObject } from '#contract/envelopes.ts';
import type { TransactionQuery } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import { PAGE_MAX, smallerPage } from '#gateway/service/page-sizes.ts';

export class StatusClient {
  readonly #client: Pick<CoreClient, 'statuses'>;
  readonly #budget: Budget;
  /** The largest page that the service takes, as far as is known. */
  #limit = PAGE_MAX;

  constructor(client: Pick<CoreClient, 'statuses'>, budget: Budget) {
    this.#client = client;
    this.#budget = budget;
  }

  /** A page of statuses, empty at the end. Throws `internal` (no usable answer), `rate-limited` (facts.waitMs). */
  async ask(feed: Feed, query: TransactionQuery): Promise<StatusObject[]> {
    const { accountRegNo, family } = feed;
    let asked = this.#limit;
    const answer = await this.#budget.ask(accountRegNo, 'poll', () => {
      // Others may have learnt a smaller one while this waited for its turn.
      asked = this.#limit;
      return this.#client.statuses(accountRegNo, familyNamed(family), 'outgoing', { limit: asked, ...query, includeRead: true });
    });
    if (answer.status === 204) return [];
    const smaller = smallerPage(asked);
    if (answer.status === 400 && query.limit === undefined && smaller !== undefined) {
      this.#limit = Math.min(this.#limit, smaller);
      return this.ask(feed, query);
    }
    const statuses = answer.status === 200 ? parseStatuses(answer.body) : undefined;
    if (statuses) return statuses;
    // Some services tell statuses of some families only.
    if (answer.status === 404 || answer.status === 501) return [];
    throw new AppError('internal', `the service answered ${answer.status} when it was asked for statuses of ${family}`);
  }
}
