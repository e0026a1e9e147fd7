// The query of the transaction endpoints: its schema, and what of it selects messages.
import Type from 'typebox';
import { type Endpoint, LIMIT_DEFAULT, LIMIT_MAX } from '#contract/routes.ts';
import type { Filter } from '#core/ledger/pages.ts';
import type { Direction } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import type { Family } from '#domain/family.ts';

const DAY_MS = 24 * 60 * 60_000;
const OFFSET_MAX = 1_000_000_000;

const filterText = Type.String({ default: '', maxLength: 500 });

/** Common query parameters; an empty filter is no filter. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ default: LIMIT_DEFAULT, minimum: 1, maximum: LIMIT_MAX }),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: OFFSET_MAX }),
  includeRead: Type.Boolean({ default: false }),
  integrationId: filterText,
  documentId: filterText,
  from: filterText,
  to: filterText,
  updatedAtFrom: filterText,
  updatedAtTo: filterText,
  markUnread: Type.Boolean({ default: false }),
});
export type PageQuery = Type.Static<typeof PageQuery>;

export const CreateQuery = Type.Object({ overwrite: Type.Boolean({ default: false }) });

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

/** Plain lists return read and unread alike; read and status endpoints only unread ones, unless told otherwise. */
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
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) {
    throw new AppError('bad-request', `${name} is no date: write YYYY-MM-DD.`);
  }
  return start;
}

function endOfDay(start: number | null): number | null {
  return start === null ? null : start + DAY_MS;
}
