// `dropgate check-config`: reads the configuration, tries what `serve` will, tells every problem, prints what is in force.
import type { AddCommand } from './commands.ts';
import { EXIT_STATUS } from './exit-status.ts';
import type { ConfigOptions } from './options.ts';

export const addCheckConfig: AddCommand = (commands) => {
  const { terminal } = commands;
  commands.asks(
    'check-config',
    'check-config',
    ({ config: file }: ConfigOptions) => ({ ...(file !== undefined && { file }) }),
    ({ file, effective, findings }) => {
      if (effective !== '') terminal.print(`# from ${file}\n${effective.trimEnd()}`);
      for (const { state, sentence, remedy } of findings)
        if (state !== 'well') terminal.complain(`${state}: ${sentence} ${remedy}`.trimEnd());
      if (findings.every(({ state }) => state !== 'problem')) terminal.print('# OK');
    },
    {
      needs: 'file, right or wrong',
      status: ({ findings }) => (findings.some(({ state }) => state === 'problem') ? EXIT_STATUS.usage : 0),
    },
  );
};
