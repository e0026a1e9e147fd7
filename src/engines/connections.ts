// How many connections to a server a ledger has, as metrics.
import type { Metrics } from '#runtime/metrics.ts';
import type { Database } from './database.ts';

const ROWS = {
  dropgate_ledger_connections: { help: 'Connections to PostgreSQL that reads and writes of a ledger use.', label: 'ledger' },
  dropgate_ledger_connections_max: { help: 'As many of them as there may be.', label: 'ledger' },
} as const;

/** `name`: whose it is, a label. A ledger that is a file has none. */
export function readConnections<Tables>(metrics: Metrics, name: string, ledger: Pick<Database<Tables>, 'connections'>): void {
  metrics.read(ROWS, async () => {
    const { connections } = ledger;
    if (connections === null) return {};
    return {
      dropgate_ledger_connections: new Map([[name, connections.used]]),
      dropgate_ledger_connections_max: new Map([[name, connections.max]]),
    };
  });
}
