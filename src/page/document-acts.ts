// What an operator may do with one document, by its state.
import type { AnswerOf } from '#operations/table.ts';
import type { Html } from './html.ts';
import { button } from './parts.ts';

type Item = Pick<AnswerOf<'item'>, 'item' | 'state' | 'network' | 'bytes' | 'attempts'>;

const CANCELLING: Readonly<Partial<Record<Item['state'], string>>> = { pending: 'cancel', held: 'cancel-tried' };

/** Sending it again, where that can be. */
function resending({ item, state, network }: Item): Html[] {
  if (state === 'held') return [button('release', item, 'Release')];
  const mayBe = state === 'refused' || state === 'cancelled' || (state === 'accepted' && (network === 'rejected' || network === 'failed'));
  return mayBe ? [button('resend', item, 'Send again')] : [];
}

export function actsOfItem(item: Item): Html[] {
  const { item: id, state, bytes } = item;
  const cancel = CANCELLING[state];
  return [
    ...resending(item),
    ...(cancel === undefined ? [] : [button(cancel, id, 'Cancel')]),
    ...(bytes === null ? [] : [button('download', id, 'Download')]),
  ];
}

export function actsOfReceipt(item: string, name: string): Html {
  return button('download-receipt', `${item}/${name}`, 'Download the receipt');
}

export function actsOfReceived(integrationId: string): Html[] {
  return [
    button('download-received', integrationId, 'Download'),
    button('redeliver', integrationId, 'Put into the outbox again'),
    button('mark-unread', integrationId, 'Mark unread'),
  ];
}
