// HAProxy before two gateways, as docs/cluster.md has it: it looks whether they name themselves, for the kernel shakes hands for a process that is stopped, too.
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { hasBalancer, startBalancer } from '../support/balancer.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';

async function start(): Promise<TestDaemon> {
  const daemon = await startDaemon({ accounts: [], config: { sftp: { listen: '127.0.0.1:0', proxies: ['127.0.0.1'] } } });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

/** False where it is closed before anybody has named himself. */
function isGreeted(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
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
