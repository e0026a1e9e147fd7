// Key pairs for tests; ssh2 spoils about one Ed25519 pair in 500, which is made again.
import ssh2 from 'ssh2';

export function ed25519Pair(): { readonly private: string; readonly public: string } {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}
