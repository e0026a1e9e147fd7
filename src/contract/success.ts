// The envelope of a success around its data, and how a client reads a body of a given form.
import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { parsedJson } from '#domain/json.ts';

export function success<Data extends TSchema>(data: Data) {
  return Type.Object({ status: Type.Literal('success'), data });
}

/** Reads bodies of this form; undefined when a body is none. */
export function parserOf<Form extends TSchema>(form: Form): (body: Uint8Array) => Static<Form> | undefined {
  const checker = Compile(form);
  return (body) => {
    const parsed = parsedJson(body);
    return checker.Check(parsed) ? parsed : undefined;
  };
}
