// The rules of single countries, each in patterns of its own.
import type { Pattern } from '#rules/engine/rule.ts';
import { DENMARK } from './denmark.ts';
import { GERMANY } from './germany.ts';
import { GREECE } from './greece.ts';
import { ICELAND } from './iceland.ts';
import { ITALY } from './italy.ts';
import { NETHERLANDS } from './netherlands.ts';
import { NORWAY } from './norway.ts';
import { SWEDEN } from './sweden.ts';

export const NATIONAL: readonly Pattern[] = [NORWAY, DENMARK, ITALY, SWEDEN, ...GREECE, ICELAND, NETHERLANDS, GERMANY];
