// The operation that copies the rows of both ledgers to the other engine, and compares them. Files stay where they are.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { copyLedgers as copy } from '#installation/copy-ledgers.ts';
import { prepareData } from '#installation/data-folder.ts';
import type { Config } from '#runtime/config/config.ts';
import { databaseUrl } from '#runtime/config/database.ts';
import { Count } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

/** Files in the data folder. */
const SQLITE = 'sqlite';

export const copyLedgers = operation(
  Type.Object({
    /** `postgres://ROLE@HOST:PORT/DATABASE`, reached by the other settings of database; or `sqlite`. */
    to: Type.String(),
  }),
  Type.Object({
    /** Where the rows are now, in words; and what database.url is to be. */
    place: Type.String(),
    databaseUrl: Type.Union([Type.String(), Type.Null()]),
    tables: Type.Array(
      Type.Object({ ledger: Type.String(), table: Type.String(), rows: Count, sha256: Type.String(), isEqual: Type.Boolean() }),
    ),
    /** What to do where a table differs. */
    remedy: Type.String(),
  }),
  async ({ config, progress }: ClosedInstallation, { to }) => {
    const url = urlOf(to);
    prepareData(config.data);
    const { tables, ...copied } = await copy(config, url, progress);
    return { ...copied, tables: [...tables], databaseUrl: to === SQLITE ? null : to };
  },
);

function urlOf(to: string): Config['database']['url'] {
  if (to === SQLITE) return null;
  const reading = databaseUrl.read(to);
  if ('problem' in reading) throw new AppError('usage', `--to ${reading.problem}, or ${SQLITE}.`);
  return reading.value;
}
