// UBL in JSON.
import { AppError } from '#domain/error.ts';
import type { Reader } from './read.ts';
import type { ReadHandlers } from './tree.ts';

export function createJsonReader(_handlers: ReadHandlers): Reader {
  return {
    write() {
      throw new AppError('not-implemented', 'UBL JSON is not read yet.');
    },
    end() {},
  };
}
