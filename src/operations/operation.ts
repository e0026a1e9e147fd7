// One operation: the forms of its input and its answer, and its work. Every face (command line, socket of the daemon) runs it by this.
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '#domain/error.ts';
import type { Installation } from './installation.ts';

export interface Operation<Input extends TSchema = TSchema, Answer extends TSchema = TSchema> {
  readonly input: Input;
  readonly answer: Answer;
  /** Throws `bad-request` for an input that is not of the form. */
  run(on: Installation, input: unknown): Promise<Static<Answer>>;
}

/** Moments are ISO 8601 in UTC; a list answers with an array, anything else with an object. */
export function operation<Input extends TSchema, Answer extends TSchema>(
  input: Input,
  answer: Answer,
  work: (on: Installation, input: Static<Input>) => Promise<Static<Answer>>,
): Operation<Input, Answer> {
  const form = Compile(input);
  return {
    input,
    answer,
    async run(on, given) {
      if (form.Check(given)) return work(on, given);
      const [wrong] = form.Errors(given);
      throw new AppError('bad-request', `The input${wrong?.instancePath ?? ''} ${wrong?.message ?? 'has another form'}.`);
    },
  };
}
