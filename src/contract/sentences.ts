// What a value must be, in a sentence, from the schema that it broke: whoever sent it reads where, and what to write there.
import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** As validators of JSON Schema tell it. */
export interface SchemaError {
  readonly keyword: string;
  /** A JSON pointer into the value. */
  readonly instancePath: string;
  /** A JSON pointer into the schema, with or without the keyword at its end. */
  readonly schemaPath: string;
  readonly params: object;
}

interface Told {
  readonly keyword: string;
  readonly pointer: string;
  readonly sentence: string;
}

const PLACES_MAX = 20;
const NAME_CHARACTERS_MAX = 200;

/** One sentence for each place at which a value broke its schema; values are not repeated, for they may be secrets. */
export function sentencesOf(schema: unknown, errors: readonly SchemaError[]): Told[] {
  const unions = errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .map(({ schemaPath }) => `${schemaPath.replace(/\/anyOf$/, '')}/anyOf/`);
  const told = new Map<string, Told>();
  for (const error of errors) {
    // What is wrong by each of several ways is told by the union of them.
    if (unions.some((union) => error.schemaPath.startsWith(union))) continue;
    for (const each of tell(schema, error)) if (!told.has(each.pointer)) told.set(each.pointer, each);
  }
  return [...told.values()].slice(0, PLACES_MAX);
}

type Tell = (schema: Shape, error: SchemaError) => Omit<Told, 'keyword'>[];

/** Keywords that are about a property rather than the value itself. */
const TELL: Readonly<Record<string, Tell>> = {
  required: ({ properties = {} }, { instancePath, params }) =>
    namesIn(params, 'requiredProperties', 'missingProperty').map((name) => {
      const pointer = `${instancePath}/${name}`;
      return { pointer, sentence: `${nameOf(pointer)} is missing: it must be ${wanted(properties[name])}.` };
    }),
  additionalProperties: ({ properties = {} }, { instancePath, params }) =>
    namesIn(params, 'additionalProperties', 'additionalProperty').map((name) => {
      const pointer = `${instancePath}/${name}`;
      return { pointer, sentence: `${nameOf(pointer)} is no field here: there are ${Object.keys(properties).join(', ')}.` };
    }),
  // Stands beside additionalProperties, which says more.
  boolean: () => [],
};

function tell(schema: unknown, error: SchemaError): Told[] {
  const { keyword, instancePath: pointer, schemaPath } = error;
  const broken = schemaAt(schema, schemaPath);
  const told = TELL[keyword]?.(broken, error) ?? [{ pointer, sentence: `${nameOf(pointer)} must be ${wanted(broken)}.` }];
  return told.map((each) => ({ ...each, keyword }));
}

const limit = Type.Optional(Type.Number());

/** What is looked at in a schema. */
const Shape = Type.Object({
  type: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  format: Type.Optional(Type.String()),
  pattern: Type.Optional(Type.String()),
  enum: Type.Optional(Type.Array(Type.Unknown())),
  const: Type.Optional(Type.Unknown()),
  anyOf: Type.Optional(Type.Array(Type.Unknown())),
  items: Type.Optional(Type.Unknown()),
  properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  minimum: limit,
  maximum: limit,
  minLength: limit,
  maxLength: limit,
  minItems: limit,
  maxItems: limit,
});
type Shape = Type.Static<typeof Shape>;
const shapeCheck = Compile(Shape);

function shapeOf(schema: unknown): Shape {
  return shapeCheck.Check(schema) ? schema : {};
}

type InWords = (shape: Shape) => string;

/** Patterns that can be said in words. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['^\\d{1,9}$', 'a whole number'],
  ['^[A-Z]{2}$', 'two capital letters'],
  ['^[A-Z]{3}$', 'three capital letters'],
]);

const BY_TYPE: Readonly<Record<string, InWords>> = {
  string: ({ minLength, maxLength, pattern, format, description }) => {
    if (format === 'uuid') return 'a UUID';
    const form = pattern === undefined ? undefined : FORMS.get(pattern);
    if (form !== undefined) return form;
    const size = range(minLength, maxLength, 'characters');
    const told = pattern !== undefined && description === undefined ? ` of the form ${pattern}` : '';
    return `a text${size && ` of ${size}`}${told}`;
  },
  array: ({ items, minItems, maxItems }) => `a list of ${range(minItems, maxItems, 'entries') || 'entries'}, each ${wanted(items)}`,
  integer: ({ minimum, maximum }) => `a whole number${spread(minimum, maximum)}`,
  number: ({ minimum, maximum }) => `a number${spread(minimum, maximum)}`,
  boolean: () => 'true or false',
  object: ({ properties = {} }) => ['an object', Object.keys(properties).join(', ')].filter(Boolean).join(' with '),
  null: () => 'null',
};

/** For example: a list of 1 to 100 entries, each one of new_document, document_delivery. */
function wanted(schema: unknown): string {
  const shape = shapeOf(schema);
  const { description } = shape;
  const words = wordsFor(shape);
  return description === undefined ? words : `${words} (${description.replace(/\.$/, '')})`;
}

function wordsFor(shape: Shape): string {
  if (shape.anyOf) return shape.anyOf.map(wanted).join(' or ');
  if (shape.enum) return `one of ${shape.enum.map(String).join(', ')}`;
  if (shape.const !== undefined) return String(shape.const);
  return BY_TYPE[shape.type ?? '']?.(shape) ?? 'of another form';
}

function range(min: number | undefined, max: number | undefined, what: string): string {
  if (min && max !== undefined) return `${min} to ${max} ${what}`;
  if (max !== undefined) return `${max} ${what} at the most`;
  return min ? `${min} or more ${what}` : '';
}

function spread(min: number | undefined, max: number | undefined): string {
  return `${min === undefined ? '' : ` from ${min}`}${max === undefined ? '' : ` to ${max}`}`;
}

/** What a pointer leads to in a schema; where a keyword stands at its end, the schema that has it. */
function schemaAt(schema: unknown, pointer: string): Shape {
  const names = pointer.split('/').slice(1).map(decoded);
  const along: unknown[] = [schema];
  for (const name of names) along.push(childOf(along.at(-1), name));
  return shapeOf(along.findLast((each) => typeof each === 'object' && each !== null && !Array.isArray(each)));
}

function childOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** As JavaScript writes it: `types[0]`, `appFeatures.capture`. */
function nameOf(pointer: string): string {
  const names = pointer.split('/').slice(1).map(decoded);
  const path = names.map((name, at) => (/^\d+$/.test(name) ? `[${name}]` : `${at === 0 ? '' : '.'}${name}`)).join('');
  return path.slice(0, NAME_CHARACTERS_MAX) || 'the body';
}

/** RFC 6901 §4; a validator may write it as in a URL. */
function decoded(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The properties that an error is about, which validators tell as a list or as one. */
function namesIn(params: object, ...keys: readonly string[]): string[] {
  return keys.flatMap((key) => childOf(params, key) ?? []).filter((name) => typeof name === 'string');
}
