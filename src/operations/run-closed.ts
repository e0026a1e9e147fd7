// How an operation is run that needs no open ledgers.
import type { TSchema } from 'typebox';
import { AppError } from '#domain/error.ts';
import { CLOSED_OPERATIONS, type ClosedName } from './closed-table.ts';
import type { ClosedInstallation } from './installation.ts';
import type { Operation } from './operation.ts';

/** Throws `locked` in a daemon for what must not be done beside one, `bad-request` for an input of another form, and what the work throws. */
export async function runClosed(on: ClosedInstallation, name: ClosedName, input: unknown): Promise<unknown> {
  const { runBy, load } = CLOSED_OPERATIONS[name];
  if (on.running && runBy === 'asker alone')
    throw new AppError('locked', `${name} is for a time when no daemon runs: stop this one first.`);
  const loaded: Operation<TSchema, TSchema, ClosedInstallation> = await load();
  return loaded.run(on, input);
}
