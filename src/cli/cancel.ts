// `dropgate cancel`: takes a dropped file back before it was tried.
import { shortId } from '#domain/id.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { cancelItem } from '#gateway/operate/cancel.ts';
import type { AddCommand } from './commands.ts';
import { withOperator } from './operating.ts';

export const addCancel: AddCommand = (commands) => {
  const does = 'take a dropped file back: it is not sent, its receipt says so, and its original goes to refused';
  commands
    .change('cancel <item>', does, async (on, id: string, { tried = false }: { tried?: boolean }) => {
      const { item, fileName } = await withOperator(on, (operator) => cancelItem(operator, id, tried));
      return `Item ${shortId(item)} (${nameText(fileName)}) was cancelled.`;
    })
    .option('--tried', 'also a held one that was tried, because somebody has looked what the service has');
};
