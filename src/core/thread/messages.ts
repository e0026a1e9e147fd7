// The messages between the core's thread and the thread that started it, beside requests.
import type { ErrorCode } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import type { ReadHead } from '#ubl/head.ts';

export type CoreReport =
  | { readonly kind: 'started'; readonly url: string }
  | { readonly kind: 'changed'; readonly accountRegNo: string; readonly family: FamilyName }
  | { readonly kind: 'turned-away'; readonly accountRegNo: string }
  | { readonly kind: 'incoming'; readonly accountRegNo: string; readonly family: FamilyName; readonly integrationId: string }
  /** It could not start. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };

export interface CoreTasks {
  readHead: { readonly asked: Uint8Array; readonly found: ReadHead };
}

const KINDS: ReadonlySet<unknown> = new Set<CoreReport['kind']>(['started', 'incoming', 'changed', 'turned-away', 'refused']);

/** Both ends are this program: the kind says it all. */
export function areCoreReports(message: unknown): message is readonly CoreReport[] {
  return Array.isArray(message) && message.every(isCoreReport);
}

function isCoreReport(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && KINDS.has(message.kind);
}
