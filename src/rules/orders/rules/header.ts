// What a document says it is: its CustomizationID and its ProfileID.
import { codeList } from '#rules/engine/codes.ts';
import { coded, shown } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { normalized, stringOf } from '#rules/engine/select.ts';

/** The CustomizationID begins like this; a minor version or an extension may follow. */
export function customized(id: string, beginning: string): Context {
  return context('cbc:CustomizationID', [
    rule(
      id,
      (node) => normalized(stringOf(node)).startsWith(beginning),
      (node) => `The CustomizationID is '${shown(stringOf(node))}' but these rules are for ${beginning}: correct cbc:CustomizationID.`,
    ),
  ]);
}

/** The ProfileID is one of these processes. */
export function ofProcess(id: string, ...processes: readonly string[]): Context {
  return context('cbc:ProfileID', [coded(id, codeList('process of this document', processes.join(' ')))]);
}
