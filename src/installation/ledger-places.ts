// Where the ledgers of an installation are, for commands that copy them whole.
import { corePlace } from '#core/ledger/open.ts';
import { coreSchema } from '#core/ledger/schema.ts';
import { type DatabasePlace, inspectDatabase } from '#engines/open.ts';
import type { Schema } from '#engines/schema.ts';
import { gatewayPlace } from '#gateway/ledger/open.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';
import type { Config } from '#runtime/config/config.ts';
import { coreLedgerPath } from './data-folder.ts';
import { databaseServer } from './database-server.ts';

export type LedgerName = 'core' | 'gateway';

/** By role. */
export const LEDGERS_OF = { all: ['core', 'gateway'], core: ['core'], gateway: ['gateway'] } as const satisfies Record<
  Config['role'],
  readonly LedgerName[]
>;

interface LedgerPlaces {
  readonly schema: Schema;
  readonly placeIn: (config: Pick<Config, 'data' | 'database'>) => DatabasePlace;
}

export const LEDGER_PLACES: Readonly<Record<LedgerName, LedgerPlaces>> = {
  core: { schema: coreSchema, placeIn: (config) => corePlace(coreLedgerPath(config.data), databaseServer(config)) },
  gateway: { schema: gatewaySchema, placeIn: (config) => gatewayPlace(config.data, databaseServer(config)) },
};

/** Whether it has been made. Throws what keeps it from being opened. */
export function isMade(ledger: LedgerName, config: Pick<Config, 'data' | 'database'>): Promise<boolean> {
  const { schema, placeIn } = LEDGER_PLACES[ledger];
  return inspectDatabase(placeIn(config), schema);
}
