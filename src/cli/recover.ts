// `dropgate recover`: brings the gateway's ledger and its spool together, while no daemon runs. A start does the same.
import { counted } from '#domain/amounts.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { refuseOthers } from '#gateway/spool/hands.ts';
import { recoverSpool } from '#gateway/spool/recover.ts';
import { prepareData } from '#installation/data-folder.ts';
import { masterKeyPath } from '#installation/master-key.ts';
import { audited } from '#operations/audited.ts';
import type { Installation } from '#operations/installation.ts';
import { withInstallation } from '#operations/ledgers.ts';
import { makeDoWithoutKey } from '#operations/new-key.ts';
import { withOperator } from '#operations/operator.ts';
import { setTrailAside } from '#runtime/audit/trail.ts';
import { systemClock } from '#runtime/clock.ts';
import { lockFolder } from '#runtime/files/lock.ts';
import type { AddCommand } from './commands.ts';
import { type ConfigOptions, configOf } from './options.ts';

interface RecoverOptions extends ConfigOptions {
  readonly restored?: boolean;
  readonly newKey?: boolean;
}

export const addRecover: AddCommand = (commands) => {
  const { terminal } = commands;
  commands
    .configured('recover')
    .option('--restored', 'the data folder comes from a backup: nothing open is sent before it was looked for at the service')
    .option('--new-key', 'the key file is lost: make do with another one, and list what must be set anew')
    .action(async (options: RecoverOptions) => {
      const { config } = configOf(options);
      const { data } = config;
      prepareData(data);
      using _lock = lockFolder(data);
      if (options.newKey) {
        const lost = await makeDoWithoutKey(config);
        setTrailAside(data, systemClock.now());
        terminal.print(
          `The ledgers in ${data} use the key file ${masterKeyPath(config)}. ${lost.length > 0 ? 'To be set anew:' : 'Nothing must be set anew.'}`,
        );
        for (const each of lost) terminal.print(each);
        return;
      }
      const recover = (on: Installation) =>
        withOperator(on, async (operator) => {
          // Nobody answers here: the rings are for the daemon, which sweeps when it starts.
          await refuseOthers(operator);
          const done = await recoverSpool({ ...operator, restored: options.restored === true }, ALL_HOMES);
          await operator.publisher.recover(ALL_HOMES);
          return done;
        });
      const { restored, recovered } = await withInstallation(config, terminal.progress, (on) =>
        audited(on, 'recover', { restored: options.restored === true }, () => recover(on)),
      );
      if (restored) terminal.print('Ledger and spool come from a backup: what is open is looked for at the service before it is sent.');
      const { adopted, returned, ended, held, cancelled } = recovered;
      terminal.print(
        `${counted(adopted, 'file of the spool was', 'files of the spool were')} adopted, ${counted(returned, 'finished one')} put back into their homes.`,
      );
      terminal.print(`Rows without a file: ${ended} had ended, ${held} held, ${cancelled} cancelled.`);
    });
};
