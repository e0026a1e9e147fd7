// Why a statement of the specification has no test.

export const UNTESTED: Readonly<Record<string, string>> = {};
