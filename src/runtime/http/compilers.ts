// What Fastify compiles of the schemas of routes: once for each schema, however many routes and servers of this process have it.
import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';

const ajv = AjvCompiler();
const fastJsonStringify = SerializerSelector();

/** A compiler that compiles what is the same as JSON only once. */
export function compilingOnce<Route extends { readonly schema: unknown }, Compiled>(
  compile: (route: Route) => Compiled,
): (route: Route) => Compiled {
  const compiled = new Map<string, Compiled>();
  return (route) => {
    const text = JSON.stringify(route.schema);
    const known = compiled.get(text) ?? compile(route);
    compiled.set(text, known);
    return known;
  };
}

/** Of parameters, which are made what their schemas say. */
export const validatorOf: FastifySchemaCompiler<unknown> = compilingOnce((route) => ajv({}, { customOptions: {} })(route));

/** Of answers. */
export const serializerOf: FastifySerializerCompiler<unknown> = compilingOnce(({ httpStatus = '', ...route }) =>
  fastJsonStringify({}, {})({ ...route, httpStatus }),
);
