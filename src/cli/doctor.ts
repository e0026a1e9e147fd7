// `dropgate doctor`: what check-config looks at, of an installation that is to run, and how to mend what is not well.
import { isRunning, runChecks } from '#installation/checks/checks.ts';
import { type Finding, problem, well } from '#installation/checks/finding.ts';
import type { AddCommand } from './commands.ts';
import { configOf, type JsonOptions } from './options.ts';

/** For scripts. */
const NOT_WELL = 1;

export const addDoctor: AddCommand = (commands) => {
  commands
    .configured('doctor')
    .option('--json', 'print one JSON object per line')
    .action(async (options: JsonOptions) => {
      const { config } = configOf(options, 'file or ledgers');
      const checked = await runChecks(config);
      const daemon = isRunning(config.data)
        ? well(`A daemon runs on ${config.data}.`)
        : problem(`No daemon runs on ${config.data}.`, 'Start it: systemctl start dropgate, or dropgate serve.');
      const findings = [daemon, ...checked];
      if (options.json) for (const finding of findings) commands.printJson(finding);
      else
        commands.table<Finding>('findings', {
          STATE: ({ state }) => ({ state }),
          FINDING: ({ sentence }) => sentence,
          'TO MEND IT': ({ remedy }) => remedy,
        })(findings, config);
      if (findings.some(({ state }) => state === 'problem')) commands.end(NOT_WELL);
    });
};
