// `dropgate doctor`: what check-config looks at, of an installation that is to run, and how to mend what is not well.
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand } from './commands.ts';
import { DIFFERS } from './exit-status.ts';

export const addDoctor: AddCommand = (commands) => {
  const table = commands.table<AnswerOf<'doctor'>[number]>('findings', {
    state: ({ state }) => ({ state }),
    finding: ({ sentence }) => sentence,
    'to mend it': ({ remedy }) => remedy,
  });
  commands.asks('doctor', 'doctor', () => ({}), table, {
    needs: 'file or ledgers',
    status: (findings) => (findings.some(({ state }) => state === 'problem') ? DIFFERS : 0),
  });
};
