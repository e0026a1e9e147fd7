// A crowd of addresses that hold as many half-open SSH connections as they can, in a thread of its own: each opens another as soon as one is
// taken from it, no faster than its pace allows.
import { connect } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import ssh2 from 'ssh2';

/** How far its connections go: no word, the greeting, or the exchange of keys; none tries to log in. */
export type Manner = 'mute' | 'greeting' | 'exchange';

export interface CrowdPlan {
  readonly port: number;
  readonly manner: Manner;
  readonly addresses: number;
  readonly perAddress: number;
  /** New connections of one address: so many at once, and so many a second. */
  readonly burst: number;
  readonly perSecond: number;
}

export interface Crowd extends AsyncDisposable {
  /** Connections that it has opened so far. */
  readonly opened: number;
}

export function startCrowd(plan: CrowdPlan): Crowd {
  const worker = new Worker(new URL(import.meta.url), { workerData: plan });
  let opened = 0;
  worker.on('message', (count: number) => {
    opened = count;
  });
  return {
    get opened() {
      return opened;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

const TICK_MS = 100;

function besiege({ port, manner, addresses, perAddress, burst, perSecond }: CrowdPlan, told: (opened: number) => void): void {
  let opened = 0;
  const members = Array.from({ length: addresses }, (_, n) => ({ address: `127.0.2.${1 + n}`, open: 0, turns: burst }));

  function fill(member: (typeof members)[number]): void {
    for (; member.open < perAddress && member.turns >= 1; member.turns--) {
      member.open++;
      opened++;
      openOne({ port, manner, localAddress: member.address }, () => {
        member.open--;
        fill(member);
      });
    }
  }

  for (const member of members) fill(member);
  setInterval(() => {
    for (const member of members) {
      member.turns = Math.min(member.turns + (perSecond * TICK_MS) / 1_000, burst);
      fill(member);
    }
    told(opened);
  }, TICK_MS);
}

function openOne({ port, manner, localAddress }: { port: number; manner: Manner; localAddress: string }, gone: () => void): void {
  if (manner === 'exchange') {
    const client = new ssh2.Client();
    client.on('error', () => {});
    client.on('close', gone);
    // The keys are exchanged, and then it never says what it would log in with.
    client.connect({ host: '127.0.0.1', port, localAddress, username: 'erp', readyTimeout: 0, authHandler: () => {} });
    return;
  }
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => {});
  socket.on('close', gone);
  socket.resume();
  if (manner === 'greeting') socket.on('connect', () => socket.write('SSH-2.0-crowd\r\n'));
}

if (parentPort) {
  const port = parentPort;
  besiege(workerData, (opened) => port.postMessage(opened));
}
