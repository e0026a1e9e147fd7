// A core and a gateway as processes of their own, with the same accounts.
import { type DaemonAccount, type DaemonOptions, startDaemon, type TestDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { addRemoteAccounts } from './remote-accounts.ts';

export interface DaemonPair extends AsyncDisposable {
  readonly core: TestDaemon;
  readonly gateway: TestDaemon;
}

export interface PairOptions {
  readonly accounts: readonly (DaemonAccount & { readonly login: string })[];
  readonly core?: Omit<DaemonOptions, 'role' | 'accounts'>;
  readonly gateway?: Omit<DaemonOptions, 'role' | 'accounts'>;
}

export async function startPair({ accounts, core: ofCore, gateway: ofGateway }: PairOptions): Promise<DaemonPair> {
  await using started = new AsyncDisposableStack();
  const listen = `127.0.0.1:${await freePort()}`;
  const core = started.use(
    await startDaemon({
      ...ofCore,
      role: 'core',
      accounts: accounts.map(({ accountRegNo, participants }) => ({ accountRegNo, participants })),
      config: { ...ofCore?.config, core: { ...ofCore?.config?.core, listen } },
    }),
  );
  const gateway = started.use(
    await startDaemon({
      ...ofGateway,
      role: 'gateway',
      accounts: [],
      config: { ...ofGateway?.config, service: { url: `http://${listen}` } },
    }),
  );
  await addRemoteAccounts(gateway, core, accounts);
  const kept = started.move();
  return { core, gateway, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
