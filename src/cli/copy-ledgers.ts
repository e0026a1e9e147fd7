// `dropgate copy-ledgers`: moves the rows of both ledgers between SQLite and PostgreSQL, and compares. Files stay where they are.
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#domain/error.ts';
import { type Compared, compareDatabases, copyDatabase } from '#engines/copy.ts';
import { prepareData } from '#installation/data-folder.ts';
import { LEDGER_PLACES, LEDGERS_OF, type LedgerName } from '#installation/ledger-places.ts';
import type { Config } from '#runtime/config/config.ts';
import { databaseUrl } from '#runtime/config/database.ts';
import { lockFolder } from '#runtime/files/lock.ts';
import type { AddCommand } from './commands.ts';
import { type ConfigOptions, configOf } from './options.ts';

interface Options extends ConfigOptions {
  readonly to: string;
}

const SQLITE = 'sqlite';

export const addCopyLedgers: AddCommand = (commands) => {
  const { terminal } = commands;
  commands
    .configured('copy-ledgers')
    .requiredOption(
      '--to <place>',
      `postgres://ROLE@HOST:PORT/DATABASE, reached by the other settings of database; or ${SQLITE}: files in the data folder`,
    )
    .action(async (options: Options) => {
      const { config } = configOf(options);
      const target = { ...config, database: { ...config.database, url: urlOf(options.to) } };
      if (isDeepStrictEqual(target.database.url, config.database.url)) {
        throw new AppError('usage', `The ledgers are in ${nameOf(config)} already: --to names where they are to be.`);
      }
      prepareData(config.data);
      using _lock = lockFolder(config.data);
      let differences = 0;
      let rows = 0;
      for (const ledger of LEDGERS_OF[config.role]) {
        for (const compared of await copy(ledger, config, target)) {
          rows += compared.rows;
          if (!compared.isEqual) differences++;
          terminal.print(
            [ledger, compared.table, compared.rows, compared.sha256.slice(0, 16), compared.isEqual ? 'equal' : 'DIFFERENT'].join('\t'),
          );
        }
      }
      if (rows === 0) throw new AppError('missing', `There are no rows in ${nameOf(config)}: nothing was copied.`);
      if (differences > 0) {
        throw new AppError(
          'storage',
          `${differences} tables differ: ${remedy(target)}, see that nothing works on the ledgers, and copy again.`,
        );
      }
      terminal.print(
        `All ${rows} rows are in ${nameOf(target)}: set database.url to ${options.to === SQLITE ? 'null' : options.to}, and start the daemon.`,
      );
    });
};

/** Throws `exists` with what to do where the target holds rows. */
async function copy(ledger: LedgerName, from: Config, to: Config): Promise<Compared[]> {
  const { schema, placeIn } = LEDGER_PLACES[ledger];
  try {
    await copyDatabase(placeIn(from), placeIn(to), schema, nameOf(to));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'exists') throw error;
    const sentence = `${error.message} Where nobody needs them, as after a copy that was interrupted: ${remedy(to)}, and copy again.`;
    throw new AppError('exists', sentence, { cause: error });
  }
  return compareDatabases(placeIn(from), placeIn(to), schema);
}

function urlOf(to: string): Config['database']['url'] {
  if (to === SQLITE) return null;
  const reading = databaseUrl.read(to);
  if ('problem' in reading) throw new AppError('usage', `--to ${reading.problem}, or ${SQLITE}.`);
  return reading.value;
}

function nameOf({ data, database: { url } }: Config): string {
  return url === null ? `the data folder ${data}` : `the database ${url.database} at ${url.host}`;
}

function remedy({ database: { url } }: Config): string {
  return url === null
    ? 'move core.db and gateway.db away, with their -wal and -shm'
    : 'drop schema dropgate_core, dropgate_gateway cascade';
}
