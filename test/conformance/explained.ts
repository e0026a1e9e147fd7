// Where our answers differ from the official ones, and why that is so.

/** By case. */
export const EXPLAINED_CASES: Readonly<Record<string, string>> = {};

/** Rows of the official tables that our rule sets do not carry, by 'set id'. */
export const EXPLAINED_ROWS: Readonly<Record<string, string>> = {};
