// Every rule set, loaded before the tests that ask some of them without a document.
import { PROFILES } from '#domain/profiles.ts';
import { loadRuleSets } from '#rules/rule-sets.ts';

export const RULE_SETS = await loadRuleSets(PROFILES.flatMap(({ ruleSets }) => ruleSets));
