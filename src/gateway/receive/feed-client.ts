// The requests of a sweep: pages of a list, one document's bytes, marks. Each spends the account's budget first.
import { createHash, type Hash } from 'node:crypto';
import { parseStatuses } from '#contract/envelopes.ts';
import { HEADER } from '#contract/headers.ts';
import { ListScan } from '#contract/list-scan.ts';
import type { TransactionQuery } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Budget, Purpose } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import { smallerPage } from '#gateway/service/page-sizes.ts';
import { ANSWER_BYTES_MAX, type Answer, keepUpTo, type Pour } from '#gateway/service/transport.ts';

export interface Listed {
  readonly integrationId: string;
  /** Of the document as the list shows it. */
  readonly listSha256: string;
  /** How long it is there: about as long as the document itself. */
  readonly bytes: number;
}

interface ReadStatus {
  readonly integrationId: string;
  readonly isRead: boolean;
}

export interface Page {
  readonly items: readonly Listed[];
  /** The page size that the service took. */
  readonly limit: number;
}

/** All throw `internal` (no usable answer; facts.unanswered: none of the service), `rate-limited` (facts.waitMs; nothing was sent, or the service said 429). */
export interface FeedClient {
  page(feed: Feed, query: TransactionQuery, limit: number): Promise<Page>;
  /** The bytes of one document. Throws `missing` when the service has none of that identity, and `too-large` when it is longer than `bytesMax`, as much as we read if not given. */
  fetch(feed: Feed, integrationId: string, bytesMax?: number): Promise<Buffer>;
  /** Marks one document read. Only for families whose read endpoint takes the filter. */
  mark(feed: Feed, integrationId: string): Promise<void>;
  /** Takes the mark of one document back, where a person asked for it. Only for families as above. */
  unmark(feed: Feed, integrationId: string): Promise<void>;
  /** Takes unread documents, which are marked by that; empty at the end. */
  drain(feed: Feed, limit: number): Promise<readonly Listed[]>;
  /** A page of the statuses of documents, at least of those that are unread; undefined when the service tells none. Marks nothing. */
  statuses(feed: Feed, offset: number, limit: number): Promise<readonly ReadStatus[] | undefined>;
}

/** `heard` is called whenever the service has given a page of a list. */
export function openFeedClient(client: CoreClient, budget: Budget, heard: () => void = () => undefined): FeedClient {
  const ask = ({ accountRegNo }: Feed, request: () => Promise<Answer>, purpose: Purpose = 'poll'): Promise<Answer> =>
    budget.ask(accountRegNo, purpose, request);

  /** Asks with smaller limits for as long as the answer is 400, which takes nothing. */
  async function inSteps(limit: number, request: (limit: number) => Promise<Answer>): Promise<{ answer: Answer; limit: number }> {
    const answer = await request(limit);
    const smaller = smallerPage(limit);
    return answer.status === 400 && smaller !== undefined ? inSteps(smaller, request) : { answer, limit };
  }

  return {
    async page(feed, query, most) {
      const list = readList(feed);
      const family = familyNamed(feed.family);
      const { answer, limit } = await inSteps(most, (each) => {
        const asked = { ...query, includeRead: true, limit: each };
        return ask(feed, () => client.list(feed.accountRegNo, family, 'incoming', asked, 'json', list.pour));
      });
      const items = list.end(answer);
      heard();
      return { items, limit };
    },
    async fetch(feed, integrationId, bytesMax = ANSWER_BYTES_MAX) {
      const query = { integrationId, includeRead: true };
      const document = keepUpTo(bytesMax);
      const family = familyNamed(feed.family);
      const answer = await ask(feed, () => client.list(feed.accountRegNo, family, 'incoming', query, 'xml', document.take));
      if (answer.status === 200 && answer.headers.get(HEADER.integrationId) === integrationId) return document.body();
      if (answer.status === 204) throw new AppError('missing', `the service has no document ${integrationId}`);
      throw unusable(feed, answer);
    },
    async mark(feed, integrationId) {
      const query = { integrationId, limit: 1 };
      const answer = await ask(feed, () => client.mark(feed.accountRegNo, familyNamed(feed.family), query), 'mark');
      if (answer.status !== 200 && answer.status !== 204) throw unusable(feed, answer);
    },
    async unmark(feed, integrationId) {
      const query = { integrationId, limit: 1, markUnread: true };
      const answer = await ask(feed, () => client.mark(feed.accountRegNo, familyNamed(feed.family), query));
      if (answer.status !== 200 && answer.status !== 204) throw unusable(feed, answer);
    },
    async drain(feed, most) {
      const list = readList(feed);
      const family = familyNamed(feed.family);
      const { answer } = await inSteps(most, (limit) =>
        ask(feed, () => client.read(feed.accountRegNo, family, { limit }, list.pour), 'mark'),
      );
      return list.end(answer);
    },
    async statuses(feed, offset, most) {
      const family = familyNamed(feed.family);
      const { answer } = await inSteps(most, (limit) =>
        ask(feed, () => client.statuses(feed.accountRegNo, family, 'incoming', { limit, offset })),
      );
      if (answer.status === 204) return [];
      const statuses = answer.status === 200 ? parseStatuses(answer.body) : undefined;
      return statuses?.map(({ uuid, readAt }) => ({ integrationId: uuid, isRead: readAt !== null }));
    },
  };
}

/** Takes a list as it arrives; what it keeps of a document are its digest and its length. */
function readList(feed: Feed): { pour: Pour; end(answer: Answer): Listed[] } {
  const items: Listed[] = [];
  /** Made by the first piece: most lists are empty, and there is one for each feed of each account. */
  let hash: Hash | null = null;
  let bytes = 0;
  const scan = new ListScan(feed.family, {
    document(piece) {
      hash ??= createHash('sha256');
      hash.update(piece);
      bytes += piece.length;
    },
    message(integrationId) {
      const listSha256 = (hash ?? createHash('sha256')).digest('hex');
      // A document without a usable id keeps its place in the list, and fetching passes it over.
      items.push({ integrationId: integrationId ?? `${NAMELESS}${listSha256}`, listSha256, bytes });
      hash = null;
      bytes = 0;
    },
  });
  return {
    pour: (piece) => scan.write(piece),
    end(answer) {
      if (answer.status === 204) return [];
      if (answer.status !== 200 || !scan.end()) throw unusable(feed, answer);
      return items;
    },
  };
}

/** No identity begins with a space. */
const NAMELESS = ' ';

/** The service listed it without an identity. */
export function isNameless({ integrationId }: Pick<Listed, 'integrationId'>): boolean {
  return integrationId.startsWith(NAMELESS);
}

/** What a proxy says for a service that is away. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

function unusable({ family }: Feed, { status }: Answer): AppError {
  const sentence = `the service answered ${status} when it was asked for ${family} documents`;
  return new AppError('internal', sentence, { facts: { unanswered: AWAY.has(status) } });
}
