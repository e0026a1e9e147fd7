// How an operation is run that needs no open ledgers.
import type { TSchema } from 'typebox';
import { AppError } from '#domain/error.ts';
import { systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { isThere } from '#runtime/files/rights.ts';
import type { Seal } from '#runtime/seal.ts';
import { CLOSED_OPERATIONS, type ClosedName } from './closed-table.ts';
import type { ClosedInstallation } from './installation.ts';
import type { Operation } from './operation.ts';

/**
 * Runs an operation, and writes down one that a person orders. Throws `locked` in a daemon for what must not be done beside one, `bad-request` for an
 * input of another form, and what its work throws.
 */
export async function runClosed(on: ClosedInstallation, name: ClosedName, input: unknown): Promise<unknown> {
  const { kind, runBy, load } = CLOSED_OPERATIONS[name];
  if (on.running && runBy === 'asker alone')
    throw new AppError('locked', `${name} is for a time when no daemon runs: stop this one first.`);
  const loaded: Operation<TSchema, TSchema, ClosedInstallation> = await load();
  if (kind === 'looks') return loaded.run(on, input);
  const { writtenDown } = await import('./written-down.ts');
  const act = { who: on.caller, what: name.replaceAll('.', ' '), given: input };
  return writtenDown({ data: on.config.data, seal: () => existingSeal(on.config) }, act, () => loaded.run(on, input));
}

/** Null where there is no key file, or nothing in the data folder: no key is made for the sake of a line, and a restore must find the folder empty again. */
async function existingSeal(config: Config): Promise<Seal | null> {
  const [{ contentsOf }, { masterKeyPath }, { openSeal }] = await Promise.all([
    import('#installation/data-folder.ts'),
    import('#installation/master-key.ts'),
    import('#runtime/seal.ts'),
  ]);
  const path = masterKeyPath(config);
  return isThere(path) && contentsOf(config.data).length > 0 ? openSeal(path, systemRandom) : null;
}
