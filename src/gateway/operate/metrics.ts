// The gateway's metrics: what is counted while it works, and what is read from its ledger and its memory when somebody asks. No label has a value
// that a client chooses, or more values than a screen holds.
import type { Stage } from '#domain/receipt.ts';
import { readConnections } from '#engines/connections.ts';
import { type Census, takeCensus } from '#gateway/ledger/census.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { ITEM_STATES } from '#gateway/model/item.ts';
import type { Measures } from '#gateway/model/measures.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { SftpServer } from '#gateway/sftp/server.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Metrics } from '#runtime/metrics.ts';

/** Rules that are told apart. A remote service may find by any, so the first ones have a name here, and all others together. */
const RULES_MAX = 500;
const RULE = /^[A-Za-z][\w.:-]{0,63}$/;

/** A rate of what has not come yet is none, not nothing. */
const ENDS: readonly Stage[] = ['accepted', 'duplicate', 'refused', 'held', 'cancelled'];

/** What counts while the gateway works. */
export function openMeasures(metrics: Metrics): Measures {
  const taken = metrics.counter('dropgate_items_taken_total', 'Files taken into custody.');
  const ended = metrics.counter('dropgate_items_ended_total', 'Items that have ended.', 'stage');
  const submit = metrics.histogram('dropgate_submit_seconds', 'From the OK for an upload until the item has ended.', 'stage');
  const refusals = metrics.counter('dropgate_refusals_total', 'Refused items, by each rule that refused them.', 'rule');
  const receipts = metrics.counter('dropgate_receipts_total', 'Receipts handed to homes.', 'stage');
  const delivery = metrics.histogram(
    'dropgate_delivery_seconds',
    'From the acceptance by the service until the network reported a status.',
    'stage',
  );
  const receive = metrics.histogram(
    'dropgate_receive_seconds',
    'From the moment when the service took a document for an account until it lies in the outbox.',
  );
  const refused = metrics.counter('dropgate_logins_refused_total', 'Connections that ended without a login.', 'reason');
  const banned = metrics.counter('dropgate_bans_total', 'Addresses that were banned for a time.');
  for (const stage of ENDS) ended.inc({ stage }, 0);
  const rules = new Set<string>();
  const nameOf = (rule: string): string => {
    if (RULE.test(rule) && rules.size < RULES_MAX) rules.add(rule);
    return rules.has(rule) ? rule : 'other';
  };
  return {
    taken: () => taken.inc(),
    ended({ stage, findings = [] }, afterMs) {
      ended.inc({ stage });
      submit.observe({ stage }, Math.max(afterMs, 0) / 1_000);
      if (stage !== 'refused') return;
      const broken = new Set(findings.filter(({ severity }) => severity === 'fatal').map(({ rule }) => nameOf(rule)));
      for (const rule of broken) refusals.inc({ rule });
    },
    receipt: (stage) => receipts.inc({ stage }),
    reported: (stage, afterMs) => delivery.observe({ stage }, Math.max(afterMs, 0) / 1_000),
    published: (afterMs) => receive.observe(Math.max(afterMs, 0) / 1_000),
    loginRefused: (reason) => refused.inc({ reason }),
    banned: () => banned.inc(),
  };
}

const CENSUS = {
  dropgate_items: { help: 'Items in the ledger, by state. Together they are dropgate_items_dropped.', label: 'state' },
  dropgate_items_dropped: 'All items in the ledger, counted by themselves: less or more than those of all states is a fault.',
  dropgate_item_oldest_seconds: { help: 'Age of the oldest item that is pending or held.', label: 'state' },
  dropgate_files_owed: 'Receipts, originals and documents that are owed to homes.',
  dropgate_deliveries_open: 'Documents that the service has, and of which the network may report more.',
  dropgate_documents_stuck: 'Received documents that could not be put into an outbox so far.',
  dropgate_circuits_open: 'Accounts, and families of accounts, that wait because the service refused more than one document.',
} as const;

const MEMORY = {
  dropgate_connections: 'SFTP connections that are open, before their login or after it.',
  dropgate_sessions: 'SFTP connections that are logged in.',
  dropgate_budget_left_ratio: 'What the account that may ask the service least may still ask, as a share of its window.',
  dropgate_budget_spent_accounts: 'Accounts that may ask the service nothing before their next window.',
} as const;

interface ReadParts {
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly sftp: Pick<SftpServer, 'counts'>;
  readonly clock: Clock;
}

/** What is read when somebody asks. */
export function readByMetrics(metrics: Metrics, { ledger, budget, sftp, clock }: ReadParts): void {
  readConnections(metrics, 'gateway', ledger);
  metrics.read(CENSUS, async () => readingsOf(await takeCensus(ledger, clock.now()), clock.now()));
  metrics.read(MEMORY, async () => {
    const { connections, sessions } = sftp.counts();
    const shares = budget.shares();
    return {
      dropgate_connections: connections,
      dropgate_sessions: sessions,
      dropgate_budget_left_ratio: shares.reduce((least, each) => Math.min(least, each), 1),
      dropgate_budget_spent_accounts: shares.filter((share) => share === 0).length,
    };
  });
}

function readingsOf({ dropped, items, oldest, owed, followed, stuck, paused }: Census, nowMs: number) {
  const ages = [...oldest].map(([state, atMs]) => [state, Math.max(nowMs - atMs, 0) / 1_000] as const);
  return {
    // A state without items is none too few.
    dropgate_items: new Map([...ITEM_STATES.map((state) => [state, 0] as const), ...items]),
    dropgate_items_dropped: dropped,
    dropgate_item_oldest_seconds: new Map([['pending', 0], ['held', 0], ...ages]),
    dropgate_files_owed: owed,
    dropgate_deliveries_open: followed,
    dropgate_documents_stuck: stuck,
    dropgate_circuits_open: paused,
  };
}
