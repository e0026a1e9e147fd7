// `dropgate export`: prints accounts, partners and logins as a file that `dropgate apply` reads.
import { stringify } from 'yaml';
import type { AddCommand } from './commands.ts';

export const addExport: AddCommand = (commands) => {
  commands.asks(
    'export',
    'export',
    () => ({}),
    (declaration) => {
      const text = stringify(declaration, { lineWidth: 0 });
      commands.terminal.print(`# Holds password hashes: keep it as you keep the ledgers.\n${text.trimEnd()}`);
    },
  );
};
