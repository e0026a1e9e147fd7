// The element model: which elements a document or aggregate holds, in which order and how often. Compiled from the rows at first use.
import { CAC, CBC, EXT, tagOf } from '#ubl/tree.ts';
import { type Basic, basicNamed } from './data-types.ts';
import { AGGREGATES_21, DOCUMENTS_21, ROLES_21 } from './ubl21.ts';
import { AGGREGATES_23, CHANGES_23, ROLES_23 } from './ubl23.ts';

export type UblVersion = '2.1' | '2.3';

export interface Child {
  /** Local name; stands once among the children of one type. */
  readonly name: string;
  /** As in the tree, `cbc:ID`. */
  readonly tag: string;
  readonly namespace: string;
  readonly type: Type;
  readonly required: boolean;
  /** It may occur more than once. */
  readonly many: boolean;
  /** Its place among the children of its type, from 0. */
  readonly position: number;
}

export interface Aggregate {
  readonly kind: 'aggregate';
  readonly name: string;
  readonly children: readonly Child[];
  readonly byTag: ReadonlyMap<string, Child>;
  readonly byName: ReadonlyMap<string, Child>;
}

/** The content of an extension: one element of any namespace but UBL's own for extensions. */
interface Foreign {
  readonly kind: 'foreign';
}

export type Type = Aggregate | Basic | Foreign;

export interface Model {
  readonly version: UblVersion;
  /** By root element. */
  readonly documents: ReadonlyMap<string, Aggregate>;
  /** The tags of all elements that stand somewhere in the model. */
  readonly tags: ReadonlySet<string>;
}

const FOREIGN: Foreign = { kind: 'foreign' };

/** UBL-CommonExtensionComponents: the same in all releases. A name with a colon says its namespace. */
const EXTENSIONS = `
UBLExtensions: ext:UBLExtension+
UBLExtension: ID? Name? ext:ExtensionAgencyID? ext:ExtensionAgencyName? ext:ExtensionVersionID? ext:ExtensionAgencyURI?
    ext:ExtensionURI? ext:ExtensionReasonCode? ext:ExtensionReason? ext:ExtensionContent
`;

const compiled = new Map<UblVersion, Model>();

export function modelOf(version: UblVersion): Model {
  const known = compiled.get(version);
  if (known) return known;
  const model = compile(version);
  compiled.set(version, model);
  return model;
}

function compile(version: UblVersion): Model {
  const later = version === '2.3';
  const documents = new Map(rowsOf(DOCUMENTS_21));
  const aggregates = new Map([...rowsOf(EXTENSIONS), ...rowsOf(AGGREGATES_21), ...(later ? rowsOf(AGGREGATES_23) : [])]);
  for (const [name, changes] of later ? rowsOf(CHANGES_23) : []) {
    const rows = documents.has(name) ? documents : aggregates;
    rows.set(name, changed(rows.get(name) ?? '', changes));
  }
  const roles = new Map([...rolesOf(ROLES_21), ...(later ? rolesOf(ROLES_23) : [])]);
  const types = new Map([...aggregates.keys()].map((name) => [name, new AggregateType(name)]));
  const tags = new Set<string>();

  function fill(type: AggregateType, row: string, extensible: boolean): void {
    const words = wordsOf(`${extensible ? 'ext:UBLExtensions? ' : ''}${row}`);
    let namespace = CBC;
    for (const word of words) {
      if (word === '|') namespace = CAC;
      else type.add(childOf(word, namespace, type.children.length, types, roles));
    }
    for (const { tag } of type.children) tags.add(tag);
  }

  for (const [name, type] of types) fill(type, aggregates.get(name) ?? '', later && !name.startsWith('UBLExtension'));
  const roots = new Map([...documents.keys()].map((name) => [name, new AggregateType(name)]));
  for (const [name, type] of roots) fill(type, documents.get(name) ?? '', true);
  return { version, documents: roots, tags };
}

class AggregateType implements Aggregate {
  readonly kind = 'aggregate';
  readonly name: string;
  readonly children: Child[] = [];
  readonly byTag = new Map<string, Child>();
  readonly byName = new Map<string, Child>();

  constructor(name: string) {
    this.name = name;
  }

  add(child: Child): void {
    this.children.push(child);
    this.byTag.set(child.tag, child);
    this.byName.set(child.name, child);
  }
}

function childOf(
  word: string,
  standing: string,
  position: number,
  types: ReadonlyMap<string, Aggregate>,
  roles: ReadonlyMap<string, string>,
): Child {
  const [, prefix, name = '', times] = /^(ext:)?(\w+)([?*+]?)$/.exec(word) ?? [];
  const namespace = prefix ? EXT : standing;
  const type = namespace === CBC ? basicNamed(name) : (types.get(roles.get(name) ?? name) ?? extensionType(name));
  return {
    name,
    tag: tagOf(namespace, name),
    namespace,
    type,
    required: times === '' || times === '+',
    many: times === '*' || times === '+',
    position,
  };
}

function extensionType(name: string): Type {
  return name === 'ExtensionContent' ? FOREIGN : basicNamed(name);
}

/** `Name: …` rows, those that begin with a space belonging to the row before. */
function rowsOf(text: string): [name: string, row: string][] {
  const lines = text.trim().replaceAll('\n ', ' ').split('\n');
  return lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1)];
  });
}

function wordsOf(row: string): string[] {
  return row.split(' ').filter((word) => word !== '');
}

/** The row with what a later release changes in it: `ID? Name> Note*` is an ID that may be left out, and notes behind the name. */
function changed(row: string, changes: string): string {
  const words = wordsOf(row);
  const placeOf = (name: string): number => words.findIndex((word) => word.replace(/[?*+]$/, '') === name);
  let at = -1;
  for (const word of wordsOf(changes)) {
    if (word.endsWith('>')) at = placeOf(word.slice(0, -1));
    else if (at < 0) words[placeOf(word.replace(/[?*+]$/, ''))] = word;
    else words.splice(++at, 0, word);
  }
  return words.join(' ');
}

/** Element to type. */
function rolesOf(text: string): [element: string, type: string][] {
  return rowsOf(text).flatMap(([type, row]) => row.split(' ').map((element): [string, string] => [element, type]));
}
