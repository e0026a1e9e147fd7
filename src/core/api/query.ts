// The parameters of the transaction endpoints: their schemas, and the filter that they make.

import Type from 'typebox';
import { HEADER, IDEMPOTENCY_KEY, MINIMAL } from '#contract/headers.ts';
import { type Endpoint, LIMIT_DEFAULT, LIMIT_MAX } from '#contract/routes.ts';
import type { Filter } from '#core/ledger/pages.ts';
import type { Direction } from '#domain/account.ts';
import { dayOf } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import type { Family } from '#domain/family.ts';

const DAY_MS = 24 * 60 * 60_000;
const OFFSET_MAX = 1_000_000_000;

const filterText = (description: string) => Type.String({ default: '', maxLength: 500, description });
const day = (description: string) => filterText(`${description}, \`YYYY-MM-DD\` (UTC); the whole day is included.`);

export const AccountParams = Type.Object({ accountRegNo: Type.String({ description: 'The account registration number.' }) });

/** Common query parameters; an empty filter is no filter. */
export const PageQuery = Type.Object({
  limit: Type.Integer({
    default: LIMIT_DEFAULT,
    minimum: 1,
    maximum: LIMIT_MAX,
    description: 'Messages in the JSON array; XML is always one.',
  }),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: OFFSET_MAX, description: 'Start index for paging, from the newest.' }),
  includeRead: Type.Boolean({ default: false, description: 'Also return messages that were read; plain lists always do.' }),
  integrationId: filterText('Only the message with this identifier.'),
  documentId: filterText("Only documents with this id of their own, for example an invoice's number."),
  from: day('Created on or after this day'),
  to: day('Created on or before this day'),
  updatedAtFrom: day('Last updated on or after this day'),
  updatedAtTo: day('Last updated on or before this day; today when only updatedAtFrom is given'),
  markUnread: Type.Boolean({
    default: false,
    description:
      'On the read endpoints of invoices and credit notes: return read messages and mark them unread. Needs integrationId, documentId, from or updatedAtFrom.',
  }),
});
export type PageQuery = Type.Static<typeof PageQuery>;

export const CreateQuery = Type.Object({
  overwrite: Type.Boolean({ default: false, description: 'Replace the message that has the same document id and receiver.' }),
});

export const CreateHeaders = Type.Object({
  [HEADER.idempotencyKey]: Type.Optional(
    Type.String({ pattern: IDEMPOTENCY_KEY.source, description: 'Makes a repeated request safe for 24 hours; belongs to the account.' }),
  ),
});

export const ReadHeaders = Type.Object({
  [HEADER.prefer]: Type.Optional(
    Type.String({
      description: `\`${MINIMAL}\` (RFC 7240), together with integrationId: the message is marked, and the answer is 204 without the document.`,
    }),
  ),
});

export interface Target {
  readonly accountRegNo: string;
  readonly family: Family;
  readonly direction: Direction;
  readonly endpoint: Endpoint;
}

/** The filter that a query stands for. Throws `bad-request` for a date that is none, and for markUnread where it does not belong. */
export function filterOf(target: Target, query: PageQuery, nowMs: number): Filter {
  if (query.markUnread) checkMarkUnread(target, query);
  const updatedFrom = startOfDay('updatedAtFrom', query.updatedAtFrom);
  const updatedTo = startOfDay('updatedAtTo', query.updatedAtTo) ?? (updatedFrom === null ? null : nowMs - (nowMs % DAY_MS));
  return {
    accountRegNo: target.accountRegNo,
    direction: target.direction,
    family: target.family.name,
    marks: marksOf(target.endpoint, query),
    limit: query.limit,
    offset: query.offset,
    integrationId: query.integrationId || null,
    documentId: query.documentId || null,
    createdFrom: startOfDay('from', query.from),
    createdBefore: endOfDay(startOfDay('to', query.to)),
    updatedFrom,
    updatedBefore: endOfDay(updatedTo),
  };
}

/** Plain lists return read and unread alike; read and status endpoints only unread ones, unless `includeRead` is set. */
function marksOf(endpoint: Endpoint, { includeRead, markUnread }: PageQuery): Filter['marks'] {
  if (markUnread) return 'read';
  return endpoint === 'list' || includeRead ? 'any' : 'unread';
}

/** Specification, States: markUnread is scoped by at least one of these; `to` and `updatedAtTo` alone do not scope (decisions A3). */
function checkMarkUnread({ family, endpoint }: Target, query: PageQuery): void {
  if (endpoint !== 'read' || !family.readFilters) {
    throw new AppError('bad-request', 'markUnread is offered on the read endpoints of invoices and credit notes only.');
  }
  if ([query.integrationId, query.documentId, query.from, query.updatedAtFrom].every((filter) => filter === '')) {
    throw new AppError('bad-request', 'markUnread needs a scope: add integrationId, documentId, from or updatedAtFrom.');
  }
}

/** Days are UTC (decisions A2). Of a date with a time the day counts. */
function startOfDay(name: string, text: string): number | null {
  if (text === '') return null;
  const day = /^(\d{4}-\d{2}-\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.exec(text)?.[1] ?? '';
  const start = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(start) || dayOf(start) !== day) {
    throw new AppError('bad-request', `${name} is no date: write YYYY-MM-DD.`);
  }
  return start;
}

function endOfDay(start: number | null): number | null {
  return start === null ? null : start + DAY_MS;
}
