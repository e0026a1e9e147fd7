// The kind of settings that say with what a listener serves TLS: a certificate, and the key that belongs to it.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { messageOf } from '#domain/error.ts';
import { isRecord } from '#domain/json.ts';
import { content, type Kind, type Reading } from './kinds.ts';

export interface Tls {
  /** PEM: the certificate and those that it was issued by. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export const tls: Kind<Tls> = {
  read(raw, sources) {
    if (!isRecord(raw) || Object.keys(raw).sort().join() !== 'cert,key') return { problem: 'must be {cert: PATH, key: PATH}, or null' };
    const cert = content.read(raw.cert, sources);
    if ('problem' in cert) return { problem: `(cert) ${cert.problem}` };
    const key = content.read(raw.key, sources);
    if ('problem' in key) return { problem: `(key) ${key.problem}` };
    return usable({ cert: cert.value, key: key.value }, { cert: placeOf(raw.cert), key: placeOf(raw.key) });
  },
};

/** What a listener would find only when it starts. `places` name the two in sentences, which never hold the key itself. */
function usable(pair: Tls, places: Tls): Reading<Tls> {
  const certificate = parsed(() => new X509Certificate(pair.cert));
  if (!certificate) return { problem: `(cert) must be a certificate in PEM, which ${places.cert} is not` };
  const privateKey = parsed(() => createPrivateKey(pair.key));
  if (!privateKey) return { problem: `(key) must be a private key in PEM without a passphrase, which ${places.key} is not` };
  if (!certificate.checkPrivateKey(privateKey)) {
    return { problem: `(key) must be the key of the certificate: ${places.key} does not belong to ${places.cert}` };
  }
  try {
    createSecureContext(pair);
  } catch (error) {
    return { problem: `cannot serve with ${places.cert} and ${places.key}: ${messageOf(error)}` };
  }
  return { value: pair };
}

function parsed<Value>(parse: () => Value): Value | null {
  try {
    return parse();
  } catch {
    return null;
  }
}

/** A path, or `the environment variable NAME`. */
function placeOf(raw: unknown): string {
  const { file, env } = isRecord(raw) ? raw : { file: raw };
  return env === undefined ? String(file) : `the environment variable ${env}`;
}
