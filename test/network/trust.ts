// The public-key infrastructure of a network of the tests: authorities in place of Peppol's, and an access point's certificate by them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certified, certified } from '../support/certificates.ts';
import { smpSigner } from '../support/smp.ts';

/** Of every key store: phoss-ap has its own trust stores' compiled in. */
export const STORE_PASSWORD = 'peppol';
const ACCESS_POINTS = 'peppol access point test ca - g3 (peppol root test ca - g3)';
const PUBLISHERS = 'peppol service metadata publisher test ca - g3 (peppol root test ca - g3)';
const ROOT = 'peppol root test ca - g3';

export interface Trust {
  /** For the beginning of the class path: the trust stores by the names under which phoss-ap has Peppol's. */
  readonly overlay: string;
  /** The key store of the access point with this seat, and its certificate in base64. */
  accessPoint(seat: string): { readonly keyStore: string; readonly certificate: string };
}

export function makeTrust(folder: string, keytool: string): Trust {
  const authority = certified({ name: 'Access point authority', kind: 'rsa', isAuthority: true });
  const overlay = join(folder, 'overlay');
  const stores = join(overlay, 'truststore/2025');
  mkdirSync(stores, { recursive: true });
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const [points, publishers] = [file('authority.pem', authority.certificate), file('smp-authority.pem', smpSigner().authority)];
  for (const store of ['ap-test-truststore.p12', 'smp-test-truststore.p12']) {
    for (const [alias, from] of [
      [ROOT, points],
      [ACCESS_POINTS, points],
      [PUBLISHERS, publishers],
    ] as const) {
      const into = ['-keystore', join(stores, store), '-storetype', 'PKCS12', '-storepass', STORE_PASSWORD];
      execFileSync(keytool, ['-importcert', '-noprompt', '-alias', alias, '-file', from, ...into], { stdio: 'pipe' });
    }
  }
  return {
    overlay,
    accessPoint(seat) {
      const own = certified({ name: seat, kind: 'rsa', by: authority });
      return { keyStore: keyStoreOf(folder, seat, own), certificate: own.certificate.replace(/-----[A-Z ]+-----|\s/g, '') };
    },
  };
}

function keyStoreOf(folder: string, seat: string, own: Certified): string {
  const [pem, store] = [join(folder, `${seat}.pem`), join(folder, `${seat}.p12`)];
  writeFileSync(pem, `${own.key}${own.certificate}`, { mode: 0o600 });
  const out = ['-out', store, '-name', seat, '-passout', `pass:${STORE_PASSWORD}`];
  execFileSync('openssl', ['pkcs12', '-export', '-in', pem, ...out], { stdio: 'pipe' });
  return store;
}
