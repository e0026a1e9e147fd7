// How well our answers agree with the official ones: per family, verdicts, exact lists of what fired, structure.
import type { Answer, Case } from './cases.ts';

export interface Tally {
  passed: number;
  total: number;
}

export interface Miss {
  readonly id: string;
  readonly what: string;
}

export interface Score {
  /** By row: 'unit en16931 fatal', 'docs order exact warning', 'structure'. */
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly misses: readonly Miss[];
}

type Severity = 'fatal' | 'warning';

export function score(pairs: Iterable<readonly [Case, Answer]>): Score {
  const tallies = new Map<string, Tally>();
  const misses: Miss[] = [];
  const count = (row: string, id: string, wrong: string): void => {
    const tally = tallies.get(row) ?? { passed: 0, total: 0 };
    tally.total++;
    if (wrong === '') tally.passed++;
    else misses.push({ id, what: `${row}: ${wrong}` });
    tallies.set(row, tally);
  };
  for (const [one, answer] of pairs) {
    if (typeof one.row.rule === 'string') scoreUnit(one, answer, one.row.rule, count);
    else scoreDocument(one, answer, count);
  }
  return { tallies, misses };
}

type Count = (row: string, id: string, wrong: string) => void;

/** A fragment: only its one rule counts. */
function scoreUnit({ id, ruleSets, row }: Case, { fired }: Answer, rule: string, count: Count): void {
  const wanted = row.expect === 'fail';
  const found = fired.some((one) => one.id === rule);
  count(`unit ${ruleSets.join('+')} ${row.severity}`, id, found === wanted ? '' : `${rule} ${wanted ? 'did not fire' : 'fired'}`);
}

function scoreDocument({ id, family, row }: Case, answer: Answer, count: Count): void {
  const fatal = idsOf(answer.fired, 'fatal');
  count(`docs ${family} verdict`, id, fatal.size > 0 === (row.expect === 'fail') ? '' : `expected ${row.expect}`);
  for (const severity of ['fatal', 'warning'] as const) {
    const wanted = idsOf(officialOf(row.fired), severity);
    const found = idsOf(answer.fired, severity);
    const missing = [...wanted].filter((each) => !found.has(each));
    const extra = [...found].filter((each) => !wanted.has(each));
    const wrong = missing.length + extra.length === 0 ? '' : `missing [${missing}] extra [${extra}]`;
    count(`docs ${family} exact ${severity}`, id, wrong);
  }
  const structure = answer.structure === row.xsdValid ? '' : `the schema says ${row.xsdValid}`;
  count(`structure ${row.xsd}`, id, structure);
}

function idsOf(fired: readonly { readonly id: string; readonly severity: string }[], severity: Severity): Set<string> {
  return new Set(fired.filter((one) => (one.severity === 'warning') === (severity === 'warning')).map(({ id }) => id));
}

/** `fired` of an index row: `{id, flag}`. */
function officialOf(fired: unknown): { id: string; severity: string }[] {
  if (!Array.isArray(fired)) return [];
  return fired.map((one: unknown) => {
    if (typeof one !== 'object' || one === null || !('id' in one)) throw new Error('a fired rule without an id');
    return { id: String(one.id), severity: 'flag' in one ? String(one.flag) : 'fatal' };
  });
}
