// `dropgate cancel`: takes a dropped file back before it was tried.
import { shortId } from '#domain/id.ts';
import type { AddCommand } from './commands.ts';

export const addCancel: AddCommand = (commands) => {
  const input = (item: string, { tried = false }: { tried?: boolean }) => ({ item, tried });
  commands
    .asks(
      'cancel <item>',
      'cancel',
      input,
      commands.outcome(({ item, fileName }) => `Item ${shortId(item)} (${fileName}) was cancelled.`),
    )
    .option('--tried', 'also a held one that was tried, because somebody has looked what the service has');
};
