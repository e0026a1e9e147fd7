// A relay between the engine and PostgreSQL that a test can cut, at the moment of a COMMIT or altogether.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The end of a simple query that commits. */
const COMMIT = Buffer.from('; commit\0');

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** A COMMIT that has come to the relay, and no further. */
export interface HeldCommit {
  /** Lets it through; resolves when the server has answered. The answer stays here, until it is passed on. */
  deliver(): Promise<void>;
  answer(): void;
  /** Breaks the connection of the process, and leaves that of the server. */
  cutProcess(): void;
  cutServer(): void;
  /** Lets it through as if nothing had been. */
  pass(): void;
}

export interface Relay extends Target, Disposable {
  /** What becomes of the next commits; null lets them through. */
  atCommit: ((commit: HeldCommit) => void) | null;
  /** Where new connections go; null refuses them. */
  target: Target | null;
  /** Connections that were refused. */
  refused: number;
  /** Nothing comes through, and nobody is told so. */
  isSilent: boolean;
  /** Whether the server does not notice that a process has ended. */
  hidesEnds: boolean;
  /** Breaks all that there are. */
  cut(): void;
  /** Breaks those of processes; the server does not notice. */
  cutProcesses(): void;
}

/** Until the test has ended. */
export async function startRelay(target: Target, host?: string): Promise<Relay> {
  const relay = await openRelay(target, host);
  onTestFinished(() => relay[Symbol.dispose]());
  return relay;
}

export async function openRelay(target: Target, host = '127.0.0.1'): Promise<Relay> {
  const open = new Set<Socket>();
  const processes = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on('error', () => {}).on('close', () => open.delete(socket));
  };
  // One that is silent does not say that it has heard an end, either.
  const server = createServer({ allowHalfOpen: true }, (process) => {
    processes.add(keep(process).on('close', () => processes.delete(process)));
    if (relay.target === null) {
      relay.refused++;
      return void process.destroy();
    }
    join(process, keep(connect(relay.target.port, relay.target.host)), relay);
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  const { port } = server.address() as AddressInfo;
  const relay: Relay = {
    host,
    port,
    atCommit: null,
    target,
    refused: 0,
    isSilent: false,
    hidesEnds: false,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    cutProcesses: () => {
      for (const socket of processes) socket.destroy();
    },
    [Symbol.dispose]() {
      relay.cut();
      server.close();
    },
  };
  return relay;
}

function join(process: Socket, server: Socket, relay: Relay): void {
  const pass = (bytes: Buffer): unknown => process.write(bytes);
  let toProcess = pass;
  server.on('data', (bytes) => relay.isSilent || toProcess(bytes));
  process.on('data', (bytes) => {
    if (relay.isSilent) return;
    const { atCommit } = relay;
    if (atCommit === null || !bytes.includes(COMMIT)) return void server.write(bytes);
    const kept: Buffer[] = [];
    atCommit({
      deliver: () =>
        new Promise((answered) => {
          toProcess = (answer) => {
            kept.push(answer);
            answered();
          };
          server.write(bytes);
        }),
      answer() {
        toProcess = pass;
        for (const answer of kept) pass(answer);
      },
      cutProcess: () => void process.destroy(),
      cutServer: () => void server.destroy(),
      pass: () => void server.write(bytes),
    });
  });
  process.on('end', () => relay.hidesEnds || server.end());
  server.on('close', () => process.destroy());
}
