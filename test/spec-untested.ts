// Why a statement of the specification has no test: by its number, a sentence. Every statement has one at present.

export const UNTESTED: Readonly<Record<string, string>> = {};
