// Values of PostgreSQL as SQLite gives them: numbers for all that counts or compares.
import pg, { type CustomTypesConfig } from 'pg';

const { BOOL, INT8, NUMERIC } = pg.types.builtins;

/** `numeric` is the sum of integers. */
const PARSERS = new Map<number, (text: string) => number>([
  [BOOL, (text) => (text === 't' ? 1 : 0)],
  [INT8, Number],
  [NUMERIC, Number],
]);

export const types: CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') => PARSERS.get(type) ?? pg.types.getTypeParser(type, format),
};
