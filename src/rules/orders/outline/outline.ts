// The outline of a transaction: what may stand in its document, and the rules with official ids that follow from that alone.
import type { CodeList } from '#rules/engine/codes.ts';
import { coded, codedExactly, fixed, noSchemaLocation, notInModel, required, requiredAttribute } from '#rules/engine/kinds.ts';
import { type Context, context, type Pattern, type Rule } from '#rules/engine/rule.ts';

/** An element of a document. */
export interface Part {
  readonly tag: string;
  readonly required: boolean;
  /** The list that its value is of, or the one value that it may have. */
  readonly value?: CodeList | string;
  readonly attributes: readonly Attribute[];
  readonly parts: readonly Part[];
}

export interface Attribute {
  readonly name: string;
  readonly required: boolean;
  readonly codes?: CodeList;
}

/** Profiles use all of what these can have, so that nothing in them can be too much. */
const WHOLE = new Set([
  'cac:AddressLine',
  'cac:Dimension',
  'cac:ItemComparison',
  'cac:LineResponse',
  'cac:PartyIdentification',
  'cac:PartyName',
]);

/**
 * The rules of an outline. `PEPPOL-T01-B03802` is the second rule of the 38th thing of transaction T01: elements and attributes are
 * counted from the document element in the order of the outline, known ones without rules too. What no context names is caught by
 * the `*` after the parts of its parent.
 */
export function outlined(transaction: string, root: Part): Pattern {
  const contexts: Context[] = [];
  let counted = 0;
  const visit = (part: Part, above: string): void => {
    const path = `${above}/${part.tag}`;
    const id = idsOf(transaction, ++counted);
    counted += part.attributes.length;
    contexts.push(context(path, rulesOf(part, above === '', id)));
    for (const below of part.parts) visit(below, path);
    if (part.parts.length > 0 && !WHOLE.has(part.tag)) contexts.push(context(`${path}/*`, [notInModel(id())]));
  };
  visit(root, '');
  return contexts;
}

/** The ids of the rules of the nth thing, one after the other. */
function idsOf(transaction: string, nth: number): () => string {
  let rules = 0;
  return () => `PEPPOL-${transaction}-B${digits(nth, 3)}${digits(++rules, 2)}`;
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, '0');
}

function rulesOf({ parts, value, attributes }: Part, isRoot: boolean, id: () => string): Rule[] {
  return [
    ...parts.filter((below) => below.required).map(({ tag }) => required(id(), tag)),
    ...(value === undefined ? [] : [typeof value === 'string' ? fixed(id(), value) : coded(id(), value)]),
    ...attributes.flatMap((attribute) => rulesOfAttribute(attribute, id)),
    ...(isRoot ? [noSchemaLocation(id())] : []),
  ];
}

function rulesOfAttribute(attribute: Attribute, id: () => string): Rule[] {
  return [
    ...(attribute.required ? [requiredAttribute(id(), attribute.name)] : []),
    ...(attribute.codes ? [codedExactly(id(), attribute.codes, `@${attribute.name}`)] : []),
  ];
}
