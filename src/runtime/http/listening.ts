// Why a listener could not begin, in a sentence that names the setting.
import { AppError, messageOf } from '#domain/error.ts';
import { systemCode } from '#runtime/files/system-code.ts';

/** A port in use may be free in a moment (`locked`: worth another try); an address that is not ours never will be (`usage`). */
export function cannotListen(setting: string, where: string, error: unknown): AppError {
  const busy = systemCode(error) === 'EADDRINUSE';
  const sentence = busy
    ? `Another program listens on ${where} already: stop it, or change ${setting}.`
    : `Cannot listen on ${where} (${messageOf(error)}): change ${setting}.`;
  return new AppError(busy ? 'locked' : 'usage', sentence, { cause: error });
}
