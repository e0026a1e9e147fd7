// Whether a live answer is one that the API description tells of: its status, its headers, and in JSON its body.
import Schema from 'typebox/schema';
import { expect } from 'vitest';
import type { Answer } from './core.ts';

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

export interface Description {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Response>>>>;
}

/** Headers that only some of the answers carry. */
const SOMETIMES = new Set(['integrationid']);

/** Fails when the answer is not described; what stands at a path that is described nowhere must be 404. */
export function expectDescribed(description: Description, method: string, path: string, answer: Answer): void {
  const template = templateOf(description, path.split('?', 1)[0] ?? '');
  const operation = template === undefined ? undefined : description.paths[template]?.[method.toLowerCase()];
  if (!operation) return void expect(answer.status, `${method} ${path} is not described`).toBe(404);
  const told = operation.responses[answer.status];
  expect(told, `${method} ${template} is described with ${answer.status}`).toBeDefined();
  const response = (told?.$ref === undefined ? told : description.components.responses?.[told.$ref.split('/').at(-1) ?? '']) ?? {};
  for (const header of Object.keys(response.headers ?? {})) {
    if (!SOMETIMES.has(header)) expect(answer.headers.get(header), `${method} ${template} ${answer.status}: ${header}`).not.toBeNull();
  }
  const mediaType = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  if (answer.bytes.length === 0) return;
  const schema = response.content?.[mediaType]?.schema;
  expect(schema, `${method} ${template} ${answer.status} is described as ${mediaType}`).toBeDefined();
  if (mediaType !== 'application/json' || !schema) return;
  const [valid, errors] = Schema.Compile({ components: description.components, allOf: [schema] }).Errors(answer.json);
  expect(valid, `${method} ${template} ${answer.status}: ${JSON.stringify(errors)} in ${answer.text.slice(0, 500)}`).toBe(true);
}

/** The described path that fits best: one with the fewest parameters. Hyphens and case of families do not matter. */
export function templateOf({ paths }: Description, path: string): string | undefined {
  const segments = path.split('/').map(plain);
  const fits = Object.keys(paths).filter((template) => {
    const expected = template.split('/');
    return expected.length === segments.length && expected.every((each, at) => each.startsWith('{') || plain(each) === segments[at]);
  });
  return fits.toSorted((a, b) => a.split('{').length - b.split('{').length)[0];
}

function plain(segment: string): string {
  return segment.replaceAll('-', '').toLowerCase();
}
