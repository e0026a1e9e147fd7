// The core's rows that hold a sealed secret: private halves of signing keys, and what webhooks prove themselves with.
import type { Sealed, SecretPlace } from '#runtime/seal.ts';
import type { Rows } from './schema.ts';
import { updateWebhook } from './webhooks.ts';

export interface SealedSecret extends Sealed {
  readonly kind: 'key that signs tokens' | 'authentication of webhook' | 'signing secret of webhook';
}

/** What a secret is, and its row: the seal binds it to both. */
export function secretPlace(kind: SealedSecret['kind'], id: string): SecretPlace {
  return { kind, id };
}

export async function readSealed(rows: Rows): Promise<SealedSecret[]> {
  const keys = await rows.selectFrom('signing_keys').select(['kid', 'sealed']).execute();
  const webhooks = await rows.selectFrom('webhooks').select(['id', 'auth_sealed', 'signing_sealed']).orderBy('created_at').execute();
  return [
    ...keys.map(({ kid: id, sealed }) => ({ kind: 'key that signs tokens' as const, id, sealed })),
    ...webhooks.flatMap(({ id, auth_sealed: sealed }) =>
      sealed === null ? [] : [{ kind: 'authentication of webhook' as const, id, sealed }],
    ),
    ...webhooks.flatMap(({ id, signing_sealed: sealed }) =>
      sealed === null ? [] : [{ kind: 'signing secret of webhook' as const, id, sealed }],
    ),
  ];
}

/** Changes to rows whose secret is lost: a subscription is disabled, since deliveries must not go out without authentication. */
const LOST = {
  'key that signs tokens': (rows: Rows, kid: string) =>
    rows.updateTable('signing_keys').set({ sealed: new Uint8Array() }).where('kid', '=', kid).execute(),
  'authentication of webhook': (rows: Rows, id: string) =>
    updateWebhook(rows, id, { auth_type: null, auth_sealed: null, enabled: 0, disabled_reason: 'key-lost' }),
  'signing secret of webhook': (rows: Rows, id: string) => updateWebhook(rows, id, { signing_sealed: null }),
} as const;

export async function loseSealed(rows: Rows, { kind, id }: SealedSecret): Promise<void> {
  await LOST[kind](rows, id);
}
