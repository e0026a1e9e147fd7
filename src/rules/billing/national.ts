// The rules of single countries, each in patterns of its own.
import type { Pattern } from '#rules/rule.ts';

export const NATIONAL: readonly Pattern[] = [];
