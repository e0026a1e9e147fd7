// One operation: the forms of its input and its answer, and its work. Every face (command line, socket of the daemon) runs it by this.
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { AppError } from '#domain/error.ts';
import type { Installation } from './installation.ts';

/** `On`: what it works on. */
export interface Operation<Input extends TSchema = TSchema, Answer extends TSchema = TSchema, On = Installation> {
  readonly input: Input;
  readonly answer: Answer;
  /** Throws `bad-request` for an input that is not of the form. */
  run(on: On, input: unknown): Promise<Static<Answer>>;
}

/** Moments are ISO 8601 in UTC; a list answers with an array, anything else with an object. */
export function operation<Input extends TSchema, Answer extends TSchema, On = Installation>(
  input: Input,
  answer: Answer,
  work: (on: On, input: Static<Input>) => Promise<Static<Answer>>,
): Operation<Input, Answer, On> {
  const form = lazily(() => Compile(input));
  return {
    input,
    answer,
    async run(on, given) {
      if (form().Check(given)) return work(on, given);
      throw new AppError('bad-request', sentenceOf(form().Errors(given)));
    },
  };
}

/** Of what a person may have typed: too little, or too much. All else a program has made. */
const LIMITS: Readonly<Record<string, (limit: string) => string>> = {
  minLength: (limit) => (limit === '1' ? 'is empty' : `has fewer than ${limit} characters`),
  maxLength: (limit) => `has more than ${limit} characters`,
  minimum: (limit) => `is less than ${limit}`,
  maximum: (limit) => `is more than ${limit}`,
};

function sentenceOf([wrong]: readonly TLocalizedValidationError[]): string {
  if (!wrong) return 'The input has another form.';
  const { keyword, instancePath, params, message } = wrong;
  const [, name] = /^\/(\w+)$/.exec(instancePath) ?? [];
  const broken = 'limit' in params ? LIMITS[keyword]?.(String(params.limit)) : undefined;
  return `The ${name ?? `input${instancePath}`} ${broken ?? message}.`;
}

/** Made when it is first needed: of the operations of a file a command has one run. */
function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
