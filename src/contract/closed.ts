// An object of a schema that holds what it names, and nothing else.
import Type from 'typebox';

export function closed<Properties extends Type.TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}
