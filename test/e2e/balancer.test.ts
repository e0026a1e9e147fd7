// HAProxy before two gateways, as docs/cluster.md has it: it looks whether they name themselves, for the kernel shakes hands for a process that is stopped, too.
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { hasBalancer, startBalancer } from '../support/balancer.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

/** Where other tests have the processors a gateway may need longer than a moment to name itself, and nobody is to be cut for that. */
const PATIENT_LOOK_MS = 2_000;

async function start(): Promise<TestDaemon> {
  const accounts = ['told', 'untold'].map((name) => ({ accountRegNo: name, participants: [], login: name }));
  const daemon = await startDaemon({ accounts, config: { sftp: { listen: '127.0.0.1:0', proxies: ['127.0.0.1'] } } });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

/** False where it is closed before anybody has named himself. */
function isGreeted(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo({ host: '127.0.0.1', port });
    onTestFinished(() => void socket.destroy());
    socket.once('data', (bytes) => resolve(bytes.toString('latin1').startsWith('SSH-2.0-')));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

it.runIf(hasBalancer)('a balancer brings nobody to a gateway that is stopped, and cuts who is there', async () => {
  const [one, two] = [await start(), await start()];
  const balancer = await startBalancer([one.port, two.port], []);
  onTestFinished(() => balancer[Symbol.asyncDispose]());
  /** In turn they come to both. */
  const round = (): Promise<boolean[]> => Promise.all([isGreeted(balancer.sftpPort), isGreeted(balancer.sftpPort)]);
  expect(await round()).toEqual([true, true]);
  one.signal('SIGSTOP');
  await until('all to come to the other one', async () => (await round()).every(Boolean));
});

it.runIf(hasBalancer)('a balancer that was told before lets transfers end at a gateway that is stopped as planned', async () => {
  const daemons = [await start(), await start()];
  const ports = daemons.map(({ port }) => port);
  const balancer = await startBalancer(ports, [], PATIENT_LOOK_MS);
  onTestFinished(() => balancer[Symbol.asyncDispose]());
  await balancer.tell('set server sftp/s1 state drain');
  const told = await beginUpload(balancer.sftpPort, 'told');
  await balancer.tell('set server sftp/s1 state ready; disable health sftp/s0; set server sftp/s0 state drain');
  const untold = await beginUpload(balancer.sftpPort, 'untold');
  const ended = Promise.all(daemons.map((daemon) => daemon.stop()));
  await untold.isCut;
  await told.end();
  expect(await ended).toEqual([0, 0]);
});

async function beginUpload(port: number, login: string) {
  const client = await connect({ port, knownHosts: '', login });
  client.on('error', () => undefined);
  const isCut = once(client, 'close');
  const sftp = await openSftp(client);
  const handle = await called<Buffer>((done) => sftp.open('inbox/a.xml', 'w', done));
  await called((done) => sftp.write(handle, Buffer.from('<'), 0, 1, 0, done));
  return {
    isCut,
    async end() {
      await called((done) => sftp.close(handle, done));
      client.end();
    },
  };
}
