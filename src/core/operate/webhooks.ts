// What an operator may do about webhooks: list them, replay dead letters, and have deliveries signed.

import { countEvents, deleteDead, type EventCounts, reviveDead } from '#core/ledger/dead-letters.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { secretPlace } from '#core/ledger/sealed.ts';
import {
  type NamedWebhook,
  selectNamedWebhooks,
  selectWebhooks,
  typesOf,
  updateWebhook,
  type WebhookRow,
  webhookWithId,
} from '#core/ledger/webhooks.ts';
import { AppError } from '#domain/error.ts';
import type { EventType } from '#domain/event.ts';
import { type NamePage, pageOf } from '#domain/name-page.ts';
import { newSigningSecret } from '#runtime/outbound/signature.ts';
import type { Seal } from '#runtime/seal.ts';
import type { CoreAdministration } from './administration.ts';

export interface WebhookState extends EventCounts {
  readonly id: string;
  readonly scope: string;
  /** '' for an account's own. */
  readonly partnerRegNo: string;
  readonly accountRegNo: string;
  /** Where it leads; the path may hold a secret. */
  readonly host: string;
  readonly types: readonly EventType[];
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  readonly failingSince: number | null;
  readonly signed: boolean;
}

/** All, or those of these that are there. */
export async function listWebhooks({ ledger }: Pick<CoreAdministration, 'ledger'>, ids?: readonly string[]): Promise<WebhookState[]> {
  const counts = new Map((await countEvents(ledger.read, ids)).map(({ webhookId, ...each }) => [webhookId, each]));
  return (await selectWebhooks(ledger.read, ids)).map((row) => stateOf(row, counts.get(row.id) ?? { waiting: 0, dead: 0 }));
}

/** By their ids, holders and hosts; of an address no more, for its path may hold a secret that nobody shall find letter by letter. */
export async function webhookIds({ ledger }: Pick<CoreAdministration, 'ledger'>, page: NamePage): Promise<string[]> {
  const named = await selectNamedWebhooks(ledger.read, page.text === '' ? page : undefined);
  const found = pageOf(named, page, idOf, (row) => [row.id, row.partner_reg_no, row.account_reg_no, hostOf(row)]);
  return found.map(idOf);
}

const idOf = ({ id }: NamedWebhook): string => id;
const hostOf = ({ url }: NamedWebhook): string => new URL(url).host;

/** Replays dead letters by their event ids, or all of a subscription. Returns how many. Throws `missing`, `invalid`. */
export async function replayDeadLetters(
  on: CoreAdministration,
  chosen: { eventIds: readonly string[] } | { webhookId: string },
): Promise<number> {
  return on.ledger.write([], async (rows) => {
    if ('webhookId' in chosen) {
      await enabled(rows, chosen.webhookId);
      return (await reviveDead(rows, chosen, on.clock.now())).length;
    }
    const revived = await reviveDead(rows, chosen, on.clock.now());
    const missing = chosen.eventIds.find((id) => !revived.some(({ eventId }) => eventId === id));
    if (missing !== undefined) throw new AppError('missing', `There is no dead letter ${missing}; nothing was sent again.`);
    for (const webhookId of new Set(revived.map((each) => each.webhookId))) await enabled(rows, webhookId);
    return revived.length;
  });
}

/** Has the deliveries of a subscription signed from now on, with a new secret, shown once; or no longer. Throws `missing`. */
export async function signWebhook(on: CoreAdministration, seal: Seal, webhookId: string, signed: boolean): Promise<string | null> {
  const secret = signed ? newSigningSecret(on.random) : null;
  await on.ledger.write([], async (rows) => {
    await known(rows, webhookId);
    await updateWebhook(rows, webhookId, {
      signing_sealed: secret === null ? null : seal.seal(secret, secretPlace('signing secret of webhook', webhookId)),
    });
  });
  return secret;
}

/** Forgets dead letters older than `keptMs`. */
export async function forgetDeadLetters({ ledger, clock }: Pick<CoreAdministration, 'ledger' | 'clock'>, keptMs: number): Promise<void> {
  await ledger.write([], (rows) => deleteDead(rows, clock.now() - keptMs));
}

async function enabled(rows: Rows, webhookId: string): Promise<void> {
  if ((await known(rows, webhookId)).enabled === 1) return;
  throw new AppError(
    'invalid',
    `The subscription ${webhookId} is disabled: 'dropgate webhook enable ${webhookId}' enables it, and so does a PUT of its holder on webhook/configure.`,
  );
}

async function known(rows: Rows, webhookId: string): Promise<WebhookRow> {
  const webhook = await webhookWithId(rows, webhookId);
  if (!webhook) throw new AppError('missing', `There is no webhook subscription ${webhookId}.`);
  return webhook;
}

function stateOf(row: WebhookRow, { waiting, dead }: EventCounts): WebhookState {
  return {
    id: row.id,
    scope: row.scope,
    partnerRegNo: row.partner_reg_no,
    accountRegNo: row.account_reg_no,
    host: hostOf(row),
    types: typesOf(row.types),
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    signed: row.signing_sealed !== null,
    waiting,
    dead,
  };
}
