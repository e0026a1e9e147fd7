// `dropgate cancel`: takes a dropped file back before it was tried.
import { shortId } from '#domain/id.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { cancelItem } from '#gateway/operate/cancel.ts';
import { type AddCommand, type ConfigOptions, configured, tellDone } from './command.ts';
import { withOperator } from './operating.ts';

interface CancelOptions extends ConfigOptions {
  readonly tried?: boolean;
}

export const addCancel: AddCommand = (parent, terminal) => {
  configured(parent, 'cancel <item>', 'take a dropped file back: it is not sent, its receipt says so, and its original goes to refused')
    .option('--tried', 'also a held one that was tried, because somebody has looked what the service has')
    .action(async (id: string, options: CancelOptions) => {
      await withOperator(options, async (operator) => {
        const { item, fileName } = await cancelItem(operator, id, options.tried === true);
        tellDone(terminal, operator, `Item ${shortId(item)} (${nameText(fileName)}) was cancelled.`);
      });
    });
};
