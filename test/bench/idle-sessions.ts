// A process that holds sessions open and asks for nothing: PORT LOGIN KEY COUNT. Says so to its parent when all are open.
import { readFileSync } from 'node:fs';
import { connect, openSftp } from '../support/sftp-clients.ts';

/** Handshakes at a time. */
const AT_ONCE = 8;

const [port, username = '', key = '', count] = process.argv.slice(2);
const privateKey = readFileSync(key);
let left = Number(count);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0)
      await openSftp(await connect({ port: Number(port), knownHosts: '' }, { username, privateKey, readyTimeout: 120_000 }));
  }),
);
process.send?.('open');
