// What an operator may do with one document, by its state.
import type { AnswerOf } from '#operations/table.ts';
import type { Html } from './html.ts';
import { button } from './parts.ts';

type Item = Pick<AnswerOf<'item'>, 'item' | 'state' | 'network' | 'bytes' | 'attempts'>;

/** The label of sending it again; undefined where that cannot be. */
function resendLabel({ state, network }: Item): string | undefined {
  if (state === 'held') return 'Release';
  const mayBe = state === 'refused' || state === 'cancelled' || (state === 'accepted' && (network === 'rejected' || network === 'failed'));
  return mayBe ? 'Send again' : undefined;
}

export function actsOfItem(item: Item): Html[] {
  const { item: id, state, bytes } = item;
  const resend = resendLabel(item);
  return [
    ...(resend ? [button('resend', id, resend)] : []),
    ...(state === 'pending' || state === 'held' ? [button('cancel', id, 'Cancel')] : []),
    ...(bytes === null ? [] : [button('download', id, 'Download')]),
  ];
}

export function actsOfReceived(integrationId: string): Html[] {
  return [button('redeliver', integrationId, 'Put into the outbox again'), button('mark-unread', integrationId, 'Mark unread')];
}
