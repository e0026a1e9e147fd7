// The algorithms that are offered (spec: profile `compat`), as names of the SSH registry.
import type { Algorithms } from 'ssh2';

/**
 * For every client of the last ten years. Not offered: group exchange (ssh2 has no server side for it), chacha20 (OpenSSH would prefer it,
 * and AES-GCM costs less), CBC, SHA-1, and compression, which ssh2 would do before the login.
 */
export const COMPAT: Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};
