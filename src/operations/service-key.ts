// Where API keys of accounts and partners come from: the core here makes them, or a remote service has, and they are given.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { Count } from './forms.ts';
import type { Ledgers } from './installation.ts';

/** What another API key is asked for with. */
export const ROTATION = {
  /** What a remote service gave. */
  apiKey: Type.Optional(Type.String()),
  /** How long the earlier one stays valid; a remote service has its own rule. */
  graceMs: Count,
} as const;

/** Throws `usage` where a key is given and the core here makes them, and the other way round; `how`: what to do then. */
export function mustBeOfService({ core }: Ledgers, apiKey: string | undefined, how: string): void {
  if (core === null && apiKey === undefined) throw new AppError('usage', `This gateway submits to a remote service: ${how}.`);
  if (core !== null && apiKey !== undefined)
    throw new AppError(
      'usage',
      'The core here makes API keys itself: one of a remote service needs role gateway and service.url in the configuration.',
    );
}
