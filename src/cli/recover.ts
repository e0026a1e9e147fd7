// `dropgate recover`: brings the gateway's ledger and its spool together, while no daemon runs. A start does the same.
import { recoverSpool } from '#gateway/spool/recover.ts';
import { lockFolder } from '#runtime/lock.ts';
import { type AddCommand, type ConfigOptions, configOf, configured } from './command.ts';
import { prepareData } from './ledgers.ts';
import { withOperator } from './operating.ts';

interface RecoverOptions extends ConfigOptions {
  readonly restored?: boolean;
}

export const addRecover: AddCommand = (parent, terminal) => {
  configured(parent, 'recover', "bring the gateway's ledger and its spool together, while no daemon runs")
    .option('--restored', 'the data folder comes from a backup: nothing open is sent before it was looked for at the service')
    .action(async (options: RecoverOptions) => {
      const { data } = configOf(options).config;
      prepareData(data);
      using _lock = lockFolder(data);
      const { restored, adopted, returned, ended, held, cancelled } = await withOperator(options, async (operator) => {
        // Nobody answers here: the rings are for the daemon, which sweeps when it starts.
        const done = await recoverSpool({ ...operator, owner: 'recover', restored: options.restored === true });
        await operator.publisher.recover();
        return done;
      });
      if (restored) terminal.print('Ledger and spool come from a backup: what is open is looked for at the service before it is sent.');
      terminal.print(`${adopted} files of the spool were adopted, ${returned} finished ones put back into their homes.`);
      terminal.print(`Of rows without a file ${ended} had ended, ${held} are held, and ${cancelled} were cancelled.`);
    });
};
