// The annotated configuration file: every setting with its sentence and default, written from the table.
import { stringify } from 'yaml';
import { SETTINGS, type Table } from './settings.ts';

const FLOW = { collectionStyle: 'flow' } as const;

const HEAD = `# The settings of Dropgate. Each line shows the default: every line can be removed, and an unknown one is refused.
# Durations: 500ms, 30s, 15m, 24h, 7d. Sizes: 500KB and 20MB count in thousands, 20MiB in 1,024s.
# Lines that end in (reload) change while the daemon runs, by SIGHUP or 'systemctl reload dropgate'; all others at the next start.
# 'dropgate check-config' reads this file, tells every problem, and prints what is in force.
`;

/** The text of config/dropgate.yaml. `changed` replaces defaults of settings at the top. */
export function annotatedConfig(changed: Readonly<Record<string, string>> = {}): string {
  return `${HEAD}\n${annotated(SETTINGS, '', changed)}`;
}

function annotated(table: Table, indent: string, changed: Readonly<Record<string, string>>): string {
  const blocks = Object.entries(table).map(([key, row]) => {
    const note = 'rows' in row || row.change === 'at start' ? '' : ' (reload)';
    const comment = `${indent}# ${row.sentence}${note}\n${indent}${key}:`;
    return 'rows' in row
      ? `${comment}\n${annotated(row.rows, `${indent}  `, {})}`
      : `${comment} ${stringify(changed[key] ?? row.default, FLOW)}`;
  });
  return blocks.join(indent === '' ? '\n' : '');
}
