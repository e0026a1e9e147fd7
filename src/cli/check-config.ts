// `dropgate check-config`: reads the configuration, tells every problem, prints what is in force.
import { OPEN, openHomes } from '#gateway/publish/make-homes.ts';
import type { AddCommand } from './commands.ts';
import { lostKey } from './ledgers.ts';
import { type ConfigOptions, configOf } from './options.ts';

export const addCheckConfig: AddCommand = (commands) => {
  const { terminal } = commands;
  commands
    .configured('check-config', 'read the configuration and print what is in force, with every default')
    .action((options: ConfigOptions) => {
      const { file, effective, config } = configOf(options, 'file');
      terminal.print(`# from ${file}\n${effective.trimEnd()}`);
      const open = openHomes(config.data);
      if (open.length > 0)
        terminal.complain(`Others may write in ${open.length} of the homes themselves (${open.slice(0, 5).join(', ')}): ${OPEN}.`);
      const lost = lostKey(config);
      // It may come with the unit (LoadCredential): then it is there only while that runs.
      if (lost !== undefined) terminal.complain(`${lost} Where systemd hands the key to the daemon, that is as it should be.`);
    });
};
