// A certificate authority for tests, and a server certificate by it: for loopback addresses and a few names.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Authority {
  /** PEM: what a client must trust. */
  readonly ca: string;
  /** PEM of a server that is 127.0.0.1 to 127.0.0.3, ::1 and `*.receiver.test`. */
  readonly cert: string;
  readonly key: string;
}

const NAMES = 'IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3,IP:::1,DNS:receiver.test,DNS:*.receiver.test';

let made: Authority | null = null;

/** Made once in a process. */
export function authority(): Authority {
  made ??= make();
  return made;
}

function make(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-authority-'));
  const file = (name: string): string => join(folder, name);
  const run = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    const authorityFiles = ['-keyout', file('ca.key'), '-out', file('ca.pem')];
    run(
      'req',
      '-x509',
      ...key,
      ...authorityFiles,
      '-days',
      '2',
      '-subj',
      '/CN=Test authority',
      '-addext',
      'basicConstraints=critical,CA:TRUE',
    );
    run('req', ...key, '-keyout', file('server.key'), '-out', file('server.csr'), '-subj', '/CN=receiver.test');
    writeFileSync(file('names'), `subjectAltName=${NAMES}\n`);
    const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('names')];
    run('x509', '-req', '-in', file('server.csr'), ...signing, '-days', '2', '-out', file('server.pem'));
    const read = (name: string): string => readFileSync(file(name), 'utf8');
    return { ca: read('ca.pem'), cert: read('server.pem'), key: read('server.key') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
