// The log: pino, one line per fact, `event` names it; secrets are cut out wherever they stand.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

const SECRETS = ['password', 'apiKey', 'authorization', 'privateKey', 'secret', 'token', 'passwordHash'];

/** `info`: custody changed; `warn`: will be retried; `error`: somebody must look. Writes JSON lines to stdout unless told otherwise. */
export function openLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
    },
    destination ?? pino.destination({ fd: 1, sync: false }),
  );
}
