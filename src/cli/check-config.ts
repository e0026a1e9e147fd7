// `dropgate check-config`: reads the configuration, tells every problem, prints what is in force.
import { type AddCommand, type ConfigOptions, configOf, configured } from './command.ts';

export const addCheckConfig: AddCommand = (parent, terminal) => {
  configured(parent, 'check-config', 'read the configuration and print what is in force, with every default').action(
    (options: ConfigOptions) => {
      const { file, effective } = configOf(options);
      terminal.print(`# ${file === null ? 'no file: every setting has its default' : `from ${file}`}\n${effective.trimEnd()}`);
    },
  );
};
