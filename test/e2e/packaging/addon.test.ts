// ssh2's crypto add-on as it was built here: its ciphers may be collected at any moment.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needed } from '../../support/needed.ts';
import { run } from '../../support/sftp-clients.ts';

const ADDON = join(import.meta.dirname, '../../../node_modules/ssh2/lib/protocol/crypto/build/Release/sshcrypto.node');

/** Ciphers become garbage while a socket reads: then the garbage is collected outside of any JavaScript. */
const PROGRAM = `
  const { AESGCMDecipher } = require(process.argv[1]);
  const { connect, createServer } = require('node:net');
  const server = createServer((socket) => {
    socket.on('data', () => { for (let n = 0; n < 20; n++) new AESGCMDecipher('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)); });
    socket.on('end', () => { console.log('alive'); process.exit(); });
  }).listen(0, () => {
    const client = connect(server.address().port);
    const piece = Buffer.alloc(2 ** 20);
    let left = 200;
    const write = () => { while (left-- > 0) if (!client.write(piece)) return client.once('drain', write); client.end(); };
    write();
  });`;

const isBuilt = needed("ssh2's crypto add-on", existsSync(ADDON), 'apt install g++ make python3, and npm ci again');

it.skipIf(!isBuilt)('does not end the process when the garbage is collected', async () => {
  const { out, err, status } = await run(process.execPath, ['-e', PROGRAM, ADDON]);
  expect({ out, err, status }).toEqual({ out: 'alive\n', err: '', status: 0 });
});
