// The tables of clients and behaviours: shown at the end of the suite, and kept in docs/sftp-clients.md, which must say what is seen.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { BEHAVIOURS } from './behaviours.ts';
import { type Client, isApplicable } from './client.ts';
import type { Behaviour } from './play.ts';

const PAGE = join(import.meta.dirname, '../../docs/sftp-clients.md');
const NOT_APPLICABLE = 'n/a';

export interface Tables {
  /** `version`: of the client that played. */
  put(client: Client, version: string | undefined, behaviour: Behaviour, cells: readonly string[]): void;
  /** Throws where the page says something else of it. */
  mustStand(client: Client, behaviour: Behaviour): void;
  text(): string;
  /** Puts them into the page, in place of what stood there. */
  record(): void;
}

/** One of the tables: its place in the page, and the columns of a behaviour. */
interface Place {
  readonly name: string;
  readonly behaviours: readonly Behaviour[];
  readonly columns: (behaviour: Behaviour) => readonly string[];
  /** Whether it has a row for a client that plays none of it, and counts at the end. */
  readonly isWhole: boolean;
}

const PLACES: readonly Place[] = [
  { name: 'clients', behaviours: BEHAVIOURS.filter(({ columns }) => !columns), columns: ({ title }) => [title], isWhole: true },
  { name: 'refusals', behaviours: BEHAVIOURS.filter(({ columns }) => columns), columns: ({ columns = [] }) => columns, isWhole: false },
];

export function openTables(clients: readonly Client[]): Tables {
  const seen = new Map<string, readonly string[]>();
  const versions = new Map<string, string>();
  const key = (client: Client, { title }: Behaviour): string => `${client.name}\n${title}`;
  const titleOf = ({ name }: Client): string => [name, versions.get(name)].filter((each) => each && each !== 'packets').join(' ');

  function cellsOf({ columns }: Place, client: Client, behaviour: Behaviour): readonly string[] {
    const cells = isApplicable(client, behaviour.needs) ? (seen.get(key(client, behaviour)) ?? ['not run']) : [NOT_APPLICABLE];
    return columns(behaviour).map((_, at) => cells[at] ?? cells[0] ?? '');
  }

  function tableAt(place: Place): string {
    const { behaviours, columns, isWhole } = place;
    const head = ['client', ...behaviours.flatMap(columns)];
    const rows = clients
      .filter((client) => isWhole || behaviours.some(({ needs }) => isApplicable(client, needs)))
      .map((client) => [titleOf(client), ...behaviours.flatMap((behaviour) => cellsOf(place, client, behaviour))]);
    const counts = behaviours.map((behaviour) => {
      const played = clients
        .filter((client) => isApplicable(client, behaviour.needs))
        .map((client) => seen.get(key(client, behaviour))?.[0]);
      return `${played.filter((cell) => cell?.startsWith('✓')).length} of ${played.length}`;
    });
    const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
    const table = [line(head), line(head.map(() => '---')), ...rows.map(line)];
    return [...table, ...(isWhole ? [line(['**all**', ...counts]), '', ...reasons(clients)] : [])].join('\n');
  }

  return {
    put(client, version, behaviour, cells) {
      if (version) versions.set(client.name, version);
      seen.set(key(client, behaviour), cells);
    },
    mustStand(client, behaviour) {
      const place = PLACES.find(({ behaviours }) => behaviours.includes(behaviour));
      if (!place) return;
      const [head = [], ...rows] = rowsOf(place);
      const row = rows.find(([title = '']) => title === titleOf(client));
      // Another version may use other words; what it does is the same.
      if (!row && behaviour.columns) return;
      const told = row ?? rows.find(([title = '']) => title.replace(/ \S+$/, '') === client.name);
      const stands = place.columns(behaviour).map((column) => told?.[head.indexOf(column)]);
      expect(stands, `${PAGE} tells something else than was seen; DROPGATE_RECORD=1 writes it anew`).toEqual(
        cellsOf(place, client, behaviour),
      );
    },
    text: () => PLACES.map(tableAt).join('\n\n'),
    record() {
      for (const place of PLACES) {
        const { page, from, to } = find(place);
        writeFileSync(PAGE, `${page.slice(0, from)}\n\n${tableAt(place)}\n\n${page.slice(to)}`);
      }
    },
  };
}

function reasons(clients: readonly Client[]): string[] {
  const given = clients.flatMap(({ name, without }) => {
    const all = [...new Set(Object.values(without))];
    return all.length > 0 ? [`- ${name}: ${all.join('; ')}`] : [];
  });
  return [`${NOT_APPLICABLE}, not applicable, because:`, '', ...given];
}

/** The page, and where in it a table stands. */
function find({ name }: Place): { page: string; from: number; to: number } {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (!page.includes(begin) || to < from) throw new Error(`${PAGE} has no place for the table: it needs the lines ${begin} and ${end}.`);
  return { page, from, to };
}

/** The table as it stands in the page. */
function rowsOf(place: Place): string[][] {
  const { page, from, to } = find(place);
  const lines = page.slice(from, to).split('\n');
  return lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | '));
}
