// The paths of the transaction API and the names of its query parameters.
import type { Direction } from '#domain/account.ts';
import type { Family } from '#domain/family.ts';
import { normalised } from '#domain/family.ts';

/** `list` is also where documents are created. */
export type Endpoint = 'list' | 'read' | 'status';

export interface TransactionQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly includeRead?: boolean;
  readonly integrationId?: string;
  readonly documentId?: string;
  /** Days, `YYYY-MM-DD`, both ends included. */
  readonly from?: string;
  readonly to?: string;
  readonly updatedAtFrom?: string;
  readonly updatedAtTo?: string;
  /** Read endpoints of invoices and credit notes. */
  readonly markUnread?: boolean;
  /** Create. */
  readonly overwrite?: boolean;
}

/** Default of `limit` (specification, Limits). */
export const LIMIT_DEFAULT = 3;
/** A larger `limit` is refused, never cut (decisions A2). */
export const LIMIT_MAX = 1_000;

/** Families that exist on the network but not in the specification: 501 (decisions A1). */
export const NOT_OFFERED: ReadonlySet<string> = new Set(['orderagreements', 'messagelevelresponses', 'messagelevelstatus']);

/** `/transaction/{accountRegNo}/{family}/{direction}` and what stands behind it. */
export function transactionPath(
  accountRegNo: string,
  family: Family,
  direction: Direction,
  endpoint: Endpoint,
  query: TransactionQuery = {},
): string {
  const last = endpoint === 'list' ? '' : `/${endpoint === 'read' ? family.read : 'status'}`;
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return `/transaction/${encodeURIComponent(accountRegNo)}/${family.segment}/${direction}${last}${search}`;
}

/** The endpoint that the last segment names; undefined when the family has none of that name. Hyphens and case do not matter. */
export function endpointOf(family: Family, last: string): Endpoint | undefined {
  const name = normalised(last);
  if (name === 'status') return 'status';
  return name === normalised(family.read) ? 'read' : undefined;
}

/** The segment names a family that others exchange, but not this service. */
export function isNotOffered(segment: string): boolean {
  return NOT_OFFERED.has(normalised(segment));
}
