// What is wrong with a body, in sentences that say what to write: by TypeBox, and by the validator of the other routes.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, it } from 'vitest';
import { NewAccount } from '#contract/accounts.ts';
import { EnrichInvoice } from '#contract/enrichment.ts';
import { type SchemaError, sentencesOf } from '#contract/sentences.ts';
import { AUTH_VARIANTS, ConfigureRequest } from '#contract/webhooks.ts';

const said = (schema: TSchema, value: unknown): string[] =>
  sentencesOf(schema, Compile(schema).Errors(value)).map(({ pointer, sentence }) => `${pointer}: ${sentence}`);

const URL = '(Where events are sent: an https address without user information)';
const TYPES = 'each one of new_document, document_delivery';
const WHY = '(Events to be told of; both when it is left out at first, unchanged when it is left out later)';

it.each([
  ['a field is missing', ConfigureRequest, {}, [`/url: url is missing: it must be a text of 2048 characters at the most ${URL}.`]],
  [
    'fields are of another type',
    ConfigureRequest,
    { url: 5, types: 'new_document' },
    [
      `/url: url must be a text of 2048 characters at the most ${URL}.`,
      `/types: types must be a list of 1 to 100 entries, ${TYPES} ${WHY}.`,
    ],
  ],
  ['a list is empty', ConfigureRequest, { url: 'x', types: [] }, [`/types: types must be a list of 1 to 100 entries, ${TYPES} ${WHY}.`]],
  [
    'values are unknown',
    ConfigureRequest,
    { url: 'x', types: ['new_document', 'paid', 3] },
    [
      '/types/1: types[1] must be one of new_document, document_delivery.',
      '/types/2: types[2] must be one of new_document, document_delivery.',
    ],
  ],
  ['the body is none', ConfigureRequest, [], [': the body must be an object with url, types.']],
  [
    'a field is deep inside',
    NewAccount,
    { accountRegNo: '1', name: 'A', appFeatures: { capture: { active: 'yes' } } },
    ['/appFeatures/capture/active: appFeatures.capture.active must be true or false.'],
  ],
  [
    'each of several ways is wrong',
    NewAccount,
    { accountRegNo: '', name: 'A', country: 'se' },
    [
      '/accountRegNo: accountRegNo must be a text of 1 to 64 characters (The account registration number).',
      '/country: country must be two capital letters or null (ISO 3166-1, two letters).',
    ],
  ],
  [
    'a field is not known',
    AUTH_VARIANTS.api_key,
    { type: 'api_key', value: 'k', secret: 'x' },
    ['/secret: secret is no field here: there are type, header, value.'],
  ],
  [
    'a text is too short',
    EnrichInvoice,
    { fileContent: '', enrichmentTypes: ['capture'] },
    ['/fileContent: fileContent must be a text of 1 or more characters (The file, in base64).'],
  ],
])('%s', (_, schema, value, expected) => {
  expect(said(schema, value)).toEqual(expected);
});

it('values are not repeated, and what is wrong in many places is told of the first', () => {
  expect(said(ConfigureRequest, { url: 'x', types: ['canary'] }).join('')).not.toContain('canary');
  const errors = Array.from(
    { length: 90 },
    (_, at): SchemaError => ({ keyword: 'enum', instancePath: `/types/${at}`, schemaPath: '#/properties/types/items', params: {} }),
  );
  expect(sentencesOf(ConfigureRequest, errors)).toHaveLength(20);
});

it('understands errors that name the keyword at the end of their path, and one property each', () => {
  const schema = {
    type: 'object',
    properties: { limit: { type: 'integer', minimum: 1, maximum: 1_000 }, when: { type: 'string', format: 'uuid' } },
  };
  const errors: SchemaError[] = [
    { keyword: 'type', instancePath: '/limit', schemaPath: '#/properties/limit/type', params: { type: 'integer' } },
    { keyword: 'required', instancePath: '', schemaPath: '#/required', params: { missingProperty: 'when' } },
  ];
  expect(sentencesOf(schema, errors).map(({ sentence }) => sentence)).toEqual([
    'limit must be a whole number from 1 to 1000.',
    'when is missing: it must be a UUID.',
  ]);
});

it('says something of schemas that are not there', () => {
  const error = { keyword: 'type', instancePath: '/a~1b', schemaPath: '#/nowhere', params: {} };
  expect(sentencesOf(undefined, [error])).toMatchObject([{ sentence: 'a/b must be of another form.' }]);
});
