// `dropgate copy-ledgers`: moves the rows of both ledgers between SQLite and PostgreSQL, and compares.
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';
import { EXIT_STATUS } from './exit-status.ts';

const SHA256_CHARACTERS = 16;

export const addCopyLedgers: AddCommand = (commands) => {
  const { terminal } = commands;
  const table = commands.table<AnswerOf<'copy-ledgers'>['tables'][number]>('tables', {
    ledger: ({ ledger }) => ledger,
    table: (compared) => compared.table,
    rows: ({ rows }) => rows,
    sha256: ({ sha256 }) => sha256.slice(0, SHA256_CHARACTERS),
    compared: ({ isEqual }) => (isEqual ? 'equal' : 'DIFFERENT'),
  });
  const differing = ({ tables }: AnswerOf<'copy-ledgers'>): number => tables.filter(({ isEqual }) => !isEqual).length;
  commands
    .asks(
      'copy-ledgers',
      'copy-ledgers',
      ({ to }: { readonly to: string }) => ({ to }),
      (copied, config) => {
        const { place, databaseUrl, tables, remedy } = copied;
        table(tables, config);
        const rows = tables.reduce((sum, each) => sum + each.rows, 0);
        if (differing(copied) > 0) terminal.complain(`${differing(copied)} tables differ: ${remedy}.`);
        else terminal.print(`All ${rows} rows are in ${place}: set database.url to ${databaseUrl}, and start the daemon.`);
      },
      { status: (copied) => (differing(copied) > 0 ? EXIT_STATUS.storage : 0) },
    )
    .requiredOption(
      '--to <place>',
      'postgres://ROLE@HOST:PORT/DATABASE, reached by the other settings of database; or sqlite: files in the data folder',
    );
};
