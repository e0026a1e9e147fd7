// The kind of the setting that says where Redis is.
import type { PlainKind } from './kinds.ts';

export interface QueueUrl {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /** Null is the default user. */
  readonly user: string | null;
  /** Its number. */
  readonly database: number;
  readonly isEncrypted: boolean;
}

const PORT = 6_379;
const EXPECTED = 'must be redis://HOST:PORT/NUMBER or rediss://HOST:PORT/NUMBER, the second by TLS';

/** `redis://USER@HOST:PORT/NUMBER`. */
export const queueUrl: PlainKind<QueueUrl> = {
  read(raw) {
    const url = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined;
    const number = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '')?.[1];
    if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || number === undefined) return { problem: EXPECTED };
    if (url.password) return { problem: 'must not hold the password: name where it is kept in queue.password' };
    if (url.search || url.hash) return { problem: 'must not hold a ? or #: see queue.password and ca' };
    try {
      const [host = '', user = ''] = [url.hostname.replace(/^\[|\]$/g, ''), url.username].map(decodeURIComponent);
      const port = url.port === '' ? PORT : Number(url.port);
      return {
        value: Object.freeze({ host, port, user: user || null, database: Number(number), isEncrypted: url.protocol === 'rediss:' }),
      };
    } catch {
      return { problem: EXPECTED };
    }
  },
};
