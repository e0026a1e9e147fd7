// The parts that outlines are written with.

import { CURRENCIES } from '#rules/codes/currencies.ts';
import { EAS, ICD } from '#rules/codes/identifier-schemes.ts';
import { ITEM_CLASSIFICATIONS } from '#rules/codes/item-classifications.ts';
import { UNITS } from '#rules/codes/units.ts';
import type { CodeList } from '#rules/engine/codes.ts';
import type { Attribute, Part } from './outline.ts';

/** Names end with `!` when the thing must be there: `cbc:ID!`. A text lists elements of which nothing else is known. */
export type Entry = string | Part | readonly Part[];

export function group(name: string, entries: readonly Entry[]): Part {
  return { ...named(name), parts: entries.flatMap(partsOf) };
}

/** An element whose value is of a list. */
export function code(name: string, value: CodeList): Part {
  return { ...named(name), value };
}

/** An element that has one value only. */
export function constant(name: string, value: string): Part {
  return { ...named(name), value };
}

export function attributed(name: string, ...attributes: readonly Attribute[]): Part {
  return { ...named(name), attributes };
}

export function attribute(name: string, codes?: CodeList): Attribute {
  const bare = { name: name.replace(/!$/, ''), required: name.endsWith('!') };
  return codes ? { ...bare, codes } : bare;
}

/** The same part where it must be there. */
export function mandatory(part: Part): Part {
  return { ...part, required: true };
}

function named(name: string): Part {
  return { tag: name.replace(/!$/, ''), required: name.endsWith('!'), attributes: [], parts: [] };
}

function partsOf(entry: Entry): readonly Part[] {
  return typeof entry === 'string' ? entry.split(' ').map(named) : [entry].flat();
}

const each = (names: string, part: (name: string) => Part): readonly Part[] => names.split(' ').map(part);

export const amount = (names: string): readonly Part[] => each(names, (name) => attributed(name, attribute('currencyID!', CURRENCIES)));
export const quantity = (names: string): readonly Part[] => each(names, (name) => attributed(name, attribute('unitCode!', UNITS)));
/** A number in a public register. */
export const identifier = (name: string): Part => attributed(name, attribute('schemeID', ICD));
export const endpoint = (name: string): Part => attributed(name, attribute('schemeID!', EAS));
export const classification = (name: string): Part =>
  attributed(name, attribute('listID!', ITEM_CLASSIFICATIONS), attribute('listVersionID'), attribute('name'));

/** Each names a document, a contract or an item by its number only. */
export const reference = (names: string): readonly Part[] => each(names, (name) => group(name, ['cbc:ID!']));
