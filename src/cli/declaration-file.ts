// A declaration as a file: read with a sentence and a line for each thing that is wrong in it.
import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';
import { type Declaration, declarationChecker } from '#operations/declaration.ts';
import { parseYaml } from '#runtime/config/yaml.ts';

/** Throws `missing` for a file that cannot be read, `unreadable` for one that is no YAML, and `invalid` with every place that is wrong. */
export function readDeclaration(file: string): Declaration {
  const { value, problems: broken, lineOf } = parseYaml(textOf(file));
  const placeAt = (line: number | null): string => (line === null ? file : `${file}:${line}`);
  const [first] = broken;
  if (first) throw new AppError('unreadable', `${placeAt(first.line)} is no YAML: ${first.sentence.split(/ at line |\n/)[0]}.`);
  const declaration = value ?? {};
  if (parsedJson(JSON.stringify(declaration)) === undefined) {
    throw new AppError('unreadable', `${file} holds a text with U+0000 or half of a surrogate pair: write it without.`);
  }
  if (declarationChecker.Check(declaration)) return declaration;

  const problems = declarationChecker
    .Errors(declaration)
    .filter(({ message, keyword }) => message !== 'schema is false' && keyword !== 'anyOf');
  const told = problems.map(({ instancePath, message, params }) => {
    const path = instancePath.split('/').slice(1);
    const where = instancePath || 'the file';
    if (!('additionalProperties' in params)) return `\n  ${placeAt(lineOf(path))}: ${where} ${message}`;
    const [unknown = ''] = params.additionalProperties;
    return `\n  ${placeAt(lineOf([...path, unknown]))}: ${where} holds what is not known: ${params.additionalProperties}`;
  });
  throw new AppError('invalid', `${file} cannot be applied:${told.join('')}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError('missing', `${file} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
