// The table of clients and behaviours: shown at the end of the suite, and kept in docs/sftp-clients.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BEHAVIOURS } from './behaviours.ts';
import { type Client, isApplicable } from './client.ts';

const PAGE = join(import.meta.dirname, '../../docs/sftp-clients.md');
const [BEGIN, END] = ['<!-- begin clients -->', '<!-- end clients -->'];

export interface Table {
  /** `version`: of the client that played. */
  put(client: Client, version: string | undefined, behaviour: string, cell: string): void;
  text(): string;
  /** Puts it into the page, in place of what stood there. */
  record(): void;
}

export function openTable(clients: readonly Client[]): Table {
  const cells = new Map<string, string>();
  const versions = new Map<string, string>();
  const key = (client: Client, behaviour: string): string => `${client.name}\n${behaviour}`;

  function text(): string {
    const head = ['client', ...BEHAVIOURS.map(({ title }) => title)];
    const rows = clients.map((client) => [
      [client.name, versions.get(client.name)].filter((each) => each && each !== 'packets').join(' '),
      ...BEHAVIOURS.map(({ title, needs }) => (isApplicable(client, needs) ? (cells.get(key(client, title)) ?? 'not run') : 'n/a')),
    ]);
    const counts = BEHAVIOURS.map(({ title, needs }) => {
      const played = clients.filter((client) => isApplicable(client, needs)).map((client) => cells.get(key(client, title)));
      return `${played.filter((cell) => cell?.startsWith('✓')).length} of ${played.length}`;
    });
    const reasons = clients.flatMap(({ name, without }) => {
      const all = [...new Set(Object.values(without))];
      return all.length > 0 ? [`- ${name}: ${all.join('; ')}`] : [];
    });
    const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
    return [
      line(head),
      line(head.map(() => '---')),
      ...rows.map(line),
      line(['**all**', ...counts]),
      '',
      'n/a, not applicable, because:',
      '',
      ...reasons,
    ].join('\n');
  }

  return {
    put(client, version, behaviour, cell) {
      if (version) versions.set(client.name, version);
      cells.set(key(client, behaviour), cell);
    },
    text,
    record() {
      const page = readFileSync(PAGE, 'utf8');
      const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
      if (from < 0 || to < from) throw new Error(`${PAGE} has no place for the table: it needs the lines ${BEGIN} and ${END}.`);
      writeFileSync(PAGE, `${page.slice(0, from + BEGIN.length)}\n\n${text()}\n\n${page.slice(to)}`);
    },
  };
}
