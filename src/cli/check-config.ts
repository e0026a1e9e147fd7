// `dropgate check-config`: reads the configuration, tries what `serve` will, tells every problem, prints what is in force.
import { runChecks } from '#installation/checks/checks.ts';
import type { AddCommand } from './commands.ts';
import { EXIT_STATUS } from './exit-status.ts';
import { type ConfigOptions, configOf } from './options.ts';

export const addCheckConfig: AddCommand = (commands) => {
  const { terminal } = commands;
  commands.configured('check-config').action(async (options: ConfigOptions) => {
    const { file, effective, config } = configOf(options, 'file');
    terminal.print(`# from ${file}\n${effective.trimEnd()}`);
    const findings = await runChecks(config);
    for (const { state, sentence, remedy } of findings)
      if (state !== 'well') terminal.complain(`${state}: ${sentence} ${remedy}`.trimEnd());
    if (findings.some(({ state }) => state === 'problem')) commands.end(EXIT_STATUS.usage);
    else terminal.print('# OK');
  });
};
