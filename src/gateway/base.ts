// What front and work have in common: the ledger, who is served, and the way to the service.
import { parseSender } from '#contract/addresses.ts';
import { AppError } from '#domain/error.ts';
import { itemIds } from '#domain/id.ts';
import { openBell, openQueue } from '#engines/open.ts';
import { timedBy } from '#engines/timed.ts';
import { LedgerAccounts } from '#gateway/accounts/accounts.ts';
import { openArchive } from '#gateway/archive/archive.ts';
import { beginIncarnation } from '#gateway/disk/incarnation.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { PartyBook } from '#gateway/ledger/parties.ts';
import { readSealed } from '#gateway/ledger/sealed.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { ItemEnded } from '#gateway/model/item-ended.ts';
import { amongNodes, type Joined, type JoinParts, join, type NodeSettings } from '#gateway/nodes/join.ts';
import { Neighbours } from '#gateway/nodes/neighbours.ts';
import { openMeasures } from '#gateway/operate/metrics.ts';
import { outboxRules } from '#gateway/publish/outbox.ts';
import { openServiceAccess } from '#gateway/service/access.ts';
import { BellCoverage } from '#gateway/service/bell-coverage.ts';
import { OptionalQuestion } from '#gateway/service/optional-question.ts';
import { openReceivers } from '#gateway/service/receivers.ts';
import { Hand, placeOf } from '#gateway/spool/hands.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import type { Lifecycle } from '#runtime/lifecycle.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { openSeal, refuseForeign } from '#runtime/seal.ts';
import type { GatewayOptions } from './options.ts';

export type Base = Awaited<ReturnType<typeof openBase>>;

export async function openBase({ data, service, settings, clock, random, log, metrics, ...options }: GatewayOptions, life: Lifecycle) {
  const incarnation = life.use(await beginIncarnation(data, random)).id;
  const timed = metrics && timedBy(metrics, 'gateway');
  const ledger = life.own(await openGatewayLedger(data, options.databaseServer, { timed, process: incarnation, log }), (opened) =>
    opened.close(),
  );
  const seal = await openSeal(options.sealPath ?? sealPath(data), random);
  refuseForeign(seal, await readSealed(ledger.read));
  const accounts = life.use(await LedgerAccounts.open({ ledger, seal, clock, log }));
  const joined = options.node && (await joinNodes({ ...options, data, ledger, incarnation, clock, random, log }, options.node, life));
  const inHand = joined ? new HomesInHand(joined.homes, () => joined.lease.check()) : new HomesInHand();
  const neighbours = joined && (await openNeighbours({ ...options, incarnation, clock, log }, life));
  const handParts = { data, incarnation, ledger, inHand, log };
  const hand = life.use(joined ? Hand.ofNode(handParts) : await Hand.open(handParts, accounts.homes()));
  // Before its row goes.
  life.use(joined?.lease);
  const requestTimeoutMs = settings.requestTimeout;
  const bellCoverage = options.queueServer ? new BellCoverage(clock) : null;
  const access = life.own(openServiceAccess({ service, requestTimeoutMs, accounts, inHand, bellCoverage, clock, log }), (opened) =>
    opened.close(),
  );
  const throttle = life.use(new LogThrottle(log, clock));
  const lines = throttle.lines(log, ({ login }) => ({ session: null, by: { login: String(login) } }));
  const parties = life.use(new PartyBook({ ledger, clock, log }));
  const queue = openQueue(clock, log);
  const files = { data, incarnation, folders: new FolderSync(), newId: itemIds(clock.now, random) };
  const { client, budget } = access;
  const rules = outboxRules(accounts, settings);
  return {
    parts: {
      ...files,
      ledger,
      queue,
      parties,
      clock,
      random,
      log,
      lines,
      client,
      budget,
      bellCoverage,
      receivers: openReceivers({ client, budget, clock }),
      senders: new OptionalQuestion({ client, budget, clock }, 'sender', parseSender),
      accounts,
      archive: openArchive({ data, rules, inHand, clock }),
      inHand,
      ringOwner: neighbours?.ringOwner.bind(neighbours),
      hasOtherNodes: Boolean(joined),
      ...(options.node && amongNodes({ settings: options.node, data, ledger, incarnation, log })),
      ended: new ItemEnded(),
      ...(metrics && { measures: openMeasures(metrics) }),
    },
    administration: { ledger, data, seal, clock, check: inHand.check },
    hand,
    joined,
    neighbours,
    access,
    throttle,
    rules,
  };
}

/** Undefined where there is no Redis through which they could be rung. */
async function openNeighbours(
  { queueServer, incarnation, clock, log }: Pick<GatewayOptions, 'queueServer' | 'clock' | 'log'> & Pick<JoinParts, 'incarnation'>,
  life: Lifecycle,
): Promise<Neighbours | undefined> {
  if (!queueServer) return undefined;
  const bell = life.own(await openBell(queueServer, clock, log), (opened) => opened.close());
  return new Neighbours(bell, incarnation);
}

/** Connections for the lease, each way: some may be stuck. */
const OWN_CONNECTIONS = 4;

async function joinNodes(
  parts: Pick<GatewayOptions, 'data' | 'databaseServer' | 'clock' | 'random' | 'log'> & Pick<JoinParts, 'ledger' | 'incarnation'>,
  settings: NodeSettings,
  life: Lifecycle,
): Promise<Joined> {
  const { data, databaseServer, incarnation } = parts;
  if (!databaseServer) throw new AppError('usage', 'Nodes share a ledger in PostgreSQL (database.url).');
  const server = { ...databaseServer, connectionsMax: OWN_CONNECTIONS };
  const own = life.own(await openGatewayLedger(data, server, { process: incarnation }), (opened) => opened.close());
  return join({ ...parts, settings, own, place: placeOf(data), ticks: () => performance.now() });
}
