// The requests of a sweep: pages of a list, one document's bytes, marks. Each spends the account's budget first.
import { createHash } from 'node:crypto';
import { type ListedMessage, parseList } from '#contract/envelopes.ts';
import { HEADER } from '#contract/headers.ts';
import type { TransactionQuery } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import type { Budget } from './budget.ts';
import type { Answer, CoreClient } from './core-client.ts';
import type { Feed } from './ledger/documents.ts';

/** Page sizes that are tried when the service refuses one, or its answer is too long. */
const PAGE_LIMITS = [100, 50, 20, 3, 1];

export interface Listed {
  readonly integrationId: string;
  /** Of the document as the list shows it. */
  readonly listSha256: string;
}

export interface Page {
  readonly items: readonly Listed[];
  /** The page size that the service took. */
  readonly limit: number;
}

/** All throw `internal` (no usable answer), `rate-limited` (facts.waitMs; nothing was sent, or the service said 429). */
export interface FeedClient {
  page(feed: Feed, query: TransactionQuery, limit: number): Promise<Page>;
  /** The bytes of one document. */
  fetch(feed: Feed, integrationId: string): Promise<Buffer>;
  /** Marks one document read. Only for families whose read endpoint takes the filter. */
  mark(feed: Feed, integrationId: string): Promise<void>;
  /** Takes unread documents, which are marked by that; empty at the end. */
  drain(feed: Feed, limit: number): Promise<readonly Listed[]>;
}

const RETRY_AFTER_DEFAULT_SECONDS = 60;

export function openFeedClient(client: CoreClient, budget: Budget): FeedClient {
  async function ask({ accountRegNo }: Feed, request: () => Promise<Answer>): Promise<Answer> {
    const waitMs = await budget.spend(accountRegNo, 'poll');
    if (waitMs > 0) throw new AppError('rate-limited', 'the request budget is spent', { facts: { waitMs } });
    const answer = await request();
    if (answer.status !== 429) return answer;
    const retryMs = Number(answer.headers.get(HEADER.retryAfter) ?? RETRY_AFTER_DEFAULT_SECONDS) * 1_000;
    budget.exhausted(accountRegNo, retryMs);
    throw new AppError('rate-limited', 'the service said 429', { facts: { waitMs: retryMs } });
  }

  async function page(feed: Feed, query: TransactionQuery, limit: number): Promise<Page> {
    const family = familyNamed(feed.family);
    const smaller = PAGE_LIMITS.find((each) => each < limit);
    const list = () => client.list(feed.accountRegNo, family, 'incoming', { ...query, includeRead: true, limit }, 'json');
    try {
      const answer = await ask(feed, list);
      if (answer.status === 400 && smaller !== undefined) return await page(feed, query, smaller);
      return { items: listOf(feed, answer), limit };
    } catch (error) {
      if (error instanceof AppError && error.code === 'too-large' && smaller !== undefined) return page(feed, query, smaller);
      throw error;
    }
  }

  return {
    page,
    async fetch(feed, integrationId) {
      const answer = await ask(feed, () =>
        client.list(feed.accountRegNo, familyNamed(feed.family), 'incoming', { integrationId, includeRead: true }, 'xml'),
      );
      if (answer.status === 200 && answer.headers.get(HEADER.integrationId) === integrationId) return answer.body;
      throw unusable(feed, answer);
    },
    async mark(feed, integrationId) {
      const answer = await ask(feed, () => client.read(feed.accountRegNo, familyNamed(feed.family), { integrationId, limit: 1 }, 'xml'));
      if (answer.status !== 200 && answer.status !== 204) throw unusable(feed, answer);
    },
    async drain(feed, limit) {
      return listOf(feed, await ask(feed, () => client.read(feed.accountRegNo, familyNamed(feed.family), { limit }, 'json')));
    },
  };
}

function listOf(feed: Feed, answer: Answer): Listed[] {
  if (answer.status === 204) return [];
  const items = answer.status === 200 ? parseList(familyNamed(feed.family), answer.body) : undefined;
  if (!items) throw unusable(feed, answer);
  return items.map((item) => ({ integrationId: item.integrationId, listSha256: digestOf(item) }));
}

function digestOf({ document }: ListedMessage): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('hex');
}

function unusable({ family }: Feed, { status }: Answer): AppError {
  return new AppError('internal', `the service answered ${status} when it was asked for ${family} documents`);
}
