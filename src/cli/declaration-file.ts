// A declaration as a file: read with a sentence and a line for each thing that is wrong in it, and printed.
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument, stringify } from 'yaml';
import { AppError } from '#domain/error.ts';
import { type Declaration, declarationChecker } from './declaration.ts';

/** Throws `missing` for a file that cannot be read, `unreadable` for one that is no YAML, and `invalid` with every place that is wrong. */
export function readDeclaration(file: string): Declaration {
  const lines = new LineCounter();
  const document = parseDocument(textOf(file), { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) {
    const [sentence] = broken.message.split(/ at line |\n/);
    throw new AppError('unreadable', `${file}:${lines.linePos(broken.pos[0]).line} is no YAML: ${sentence}.`, { cause: broken });
  }
  const value: unknown = document.toJS() ?? {};
  if (declarationChecker.Check(value)) return value;

  const lineOf = (path: readonly string[]): string => {
    const node: unknown = document.getIn(path, true);
    const isPlaced = typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
    const start: unknown = isPlaced && Array.isArray(node.range) ? node.range[0] : undefined;
    return typeof start === 'number' ? `${file}:${lines.linePos(start).line}` : file;
  };
  const problems = declarationChecker.Errors(value).filter(({ message, keyword }) => message !== 'schema is false' && keyword !== 'anyOf');
  const told = problems.map(({ instancePath, message, params }) => {
    const path = instancePath.split('/').slice(1);
    const where = instancePath || 'the file';
    if (!('additionalProperties' in params)) return `\n  ${lineOf(path)}: ${where} ${message}`;
    const [unknown = ''] = params.additionalProperties;
    return `\n  ${lineOf([...path, unknown])}: ${where} holds what is not known: ${params.additionalProperties}`;
  });
  throw new AppError('invalid', `${file} cannot be applied:${told.join('')}`);
}

export function printDeclaration(declaration: Declaration): string {
  return stringify(declaration, { lineWidth: 0 });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError('missing', `${file} cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}.`, {
      cause: error,
    });
  }
}
