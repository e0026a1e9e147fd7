// Uploads of the pipeline bench over SSH: a few connections with several channels each, as one machine with many jobs has them.
import type { Client, SFTPWrapper } from 'ssh2';
import type { TestDaemon } from '../support/daemon.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { LOGIN } from './parties.ts';
import { now, type Upload } from './pipeline-load.ts';

const CONNECTIONS = 8;

export interface SshLanes extends Disposable {
  readonly lanes: readonly Upload[];
}

export async function openSshLanes({ port, knownHosts }: TestDaemon, atOnce: number, login = LOGIN): Promise<SshLanes> {
  const clients: Client[] = [];
  const lanes: Upload[] = [];
  for (let lane = 0; lane < atOnce; lane++) {
    const known = clients[lane % CONNECTIONS];
    const client = known ?? (await connect({ port, knownHosts, login }, { algorithms: { cipher: ['aes128-gcm@openssh.com'] } }));
    if (!known) clients.push(client);
    const channel = await openSftp(client);
    lanes.push((name, bytes) => upload(channel, `/inbox/${name}`, bytes));
  }
  return {
    lanes,
    [Symbol.dispose]() {
      for (const client of clients) client.end();
    },
  };
}

async function upload(channel: SFTPWrapper, path: string, bytes: Buffer): Promise<number> {
  const handle = await called<Buffer>((done) => channel.open(path, 'w', done));
  await called((done) => channel.write(handle, bytes, 0, bytes.length, 0, done));
  const before = now();
  await called((done) => channel.close(handle, done));
  return now() - before;
}
