// New statuses of documents on their way become receipts.
import type { StatusObject } from '#contract/envelopes.ts';
import { inGroups } from '#domain/groups.ts';
import { NETWORK_STAGES, type NetworkStage } from '#domain/receipt.ts';
import { type Delivery, putDeliveryStatus } from '#gateway/ledger/deliveries.ts';
import { readItems } from '#gateway/ledger/items.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import type { Item } from '#gateway/model/item.ts';
import type { Measures } from '#gateway/model/measures.ts';
import { type Cause, NETWORK_OUTCOMES } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { type Failed, tryEach } from '#gateway/service/list-work.ts';
import type { Clock } from '#runtime/clock.ts';

/** Receipts of one feed that are staged at once: more would have those of documents that are handed over just now wait for the disk. */
const STAGED_AT_ONCE = 8;
/** Receipts that one commit takes. */
const COMMITTED_TOGETHER = 32;

/** There is no way on from these. */
export const LAST: ReadonlySet<NetworkStage> = new Set(['delivered', 'rejected', 'failed']);

export interface NewsParts {
  readonly ledger: Ledger;
  readonly finisher: Pick<Finisher, 'announce'>;
  readonly measures?: Pick<Measures, 'reported'>;
  readonly clock: Clock;
}

/** A stage that has no receipt yet. */
interface News {
  readonly delivery: Delivery;
  readonly stage: NetworkStage;
  readonly cause: Cause;
}

export function newsOf(delivery: Delivery, reported: StatusObject | undefined): News | null {
  const stage = NETWORK_STAGES.find((each) => each === reported?.metadata.status);
  if (stage === undefined || stage === delivery.status) return null;
  const { reason = null, answer = null } = reported?.metadata ?? {};
  return { delivery, stage, cause: { reason, answer } };
}

/** Stages the receipt. What it resolves with commits it: who sees it may have the document followed again. */
async function prepare(
  { ledger, finisher, measures, clock }: NewsParts,
  item: Item | undefined,
  { delivery, stage, cause }: News,
): Promise<() => Promise<void>> {
  const note = (rows: Rows): Promise<void> => putDeliveryStatus(rows, delivery.item, stage, !LAST.has(stage));
  const commit = item?.head
    ? await finisher.announce(item, NETWORK_OUTCOMES[stage](item.head, delivery.integrationId, cause), note)
    : () => ledger.write([], note);
  return async () => {
    await commit();
    measures?.reported(stage, clock.now() - delivery.acceptedAt);
  };
}

/** One that fails stops none of the others. */
export async function publishAll(parts: NewsParts, news: readonly News[]): Promise<void> {
  const failures: Failed<unknown>[] = [];
  for (const group of inGroups(news, COMMITTED_TOGETHER)) {
    const staged: (() => Promise<void>)[] = [];
    const items = await readItems(
      parts.ledger.read,
      group.map(({ delivery }) => delivery.item),
    );
    const prepared = await tryEach(group, STAGED_AT_ONCE, async (each) =>
      staged.push(await prepare(parts, items.get(each.delivery.item), each)),
    );
    const committed = await tryEach(staged, COMMITTED_TOGETHER, (commit) => commit());
    failures.push(...prepared.failed, ...committed.failed);
  }
  if (failures[0]) throw failures[0].error;
}
