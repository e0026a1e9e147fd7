// A certificate authority for tests, and a server certificate by it: for loopback addresses and a few names.
import { certified } from './certificates.ts';

export interface Authority {
  /** PEM: what a client must trust. */
  readonly ca: string;
  /** PEM of a server that is 127.0.0.1 to 127.0.0.3, ::1 and `*.receiver.test`. */
  readonly cert: string;
  readonly key: string;
}

const NAMES = { ip: ['127.0.0.1', '127.0.0.2', '127.0.0.3', '::1'], dns: ['receiver.test', '*.receiver.test'] };

let made: Authority | null = null;

/** Made once in a process. */
export function authority(): Authority {
  made ??= make();
  return made;
}

function make(): Authority {
  const by = certified({ name: 'Test authority', kind: 'ec', isAuthority: true });
  const { certificate, key } = certified({ name: 'receiver.test', kind: 'ec', by, names: NAMES });
  return { ca: by.certificate, cert: certificate, key };
}
