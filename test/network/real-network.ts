// Two real access points on loopback that find each other by our DNS and our SMP, under authorities of the tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dnsNameOf, EXACT_SCHEME, SML_ZONES } from '#core/network/identifiers.ts';
import { freePort } from '../support/free-port.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { naptr } from '../support/network.ts';
import { type Service, type Smp, startSmp } from '../support/smp.ts';
import type { Installed } from './installed.ts';
import { keytoolOf } from './java.ts';
import { type PhossAp, preparePhossAp } from './phoss-ap.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { makeTrust } from './trust.ts';

export const TOKEN = 'a token of the access points';
/** The zone that phoss-ap asks in its stage of tests. */
export const ZONE = SML_ZONES.test;
export const MLS_TYPE =
  'urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2::ApplicationResponse##urn:peppol:edec:mls:1.0::2.1';
export const MLS_PROCESS = 'urn:peppol:edec:mls';

export interface Side {
  /** Of Peppol's form, in the certificate; its digits name the provider to whom answers go. */
  readonly seat: string;
  /** Whom it receives for. */
  readonly participants: readonly string[];
  readonly backend: string;
  readonly verifier?: string;
  /** Where it listens, and how others find that; any port, and itself, unless told. */
  readonly port?: number;
  readonly address?: string;
  /** It never says by itself what became of what it received. */
  readonly isSilent?: boolean;
}

export interface RealNetwork extends AsyncDisposable {
  readonly dns: NameServer;
  readonly smp: Smp;
  readonly postgres: Postgres;
  readonly accessPoints: readonly PhossAp[];
  /** Whether others find this access point at its address. */
  reachable(at: number, is: boolean): void;
}

export const providerOf = (seat: string): string => `0242:${seat.slice(-6)}`;

/** Both run when this resolves. `services`: what every participant is registered for. */
export async function startRealNetwork(installed: Installed, sides: readonly Side[], services: readonly Service[]): Promise<RealNetwork> {
  await using starting = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-access-points-'));
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const trust = makeTrust(folder, keytoolOf(installed.java));
  const smp = starting.use(await startSmp());
  const isKnown = (name: string): boolean => [...smp.participants.keys()].some((each) => dnsNameOf(each, ZONE) === name);
  const dns = starting.use(
    await startNameServer(
      () => undefined,
      (name) => (isKnown(name) ? [naptr(smp.url)] : undefined),
    ),
  );
  const postgres = starting.use(await startPostgres(installed.postgres));
  const accessPoints: PhossAp[] = [];
  const registrations: ((isFound: boolean) => void)[] = [];
  const nowhere = `http://127.0.0.1:${await freePort()}/as4`;
  for (const { seat, participants, backend, verifier, port, address, isSilent = false } of sides) {
    const { keyStore, certificate } = trust.accessPoint(seat);
    const accessPoint = preparePhossAp({
      java: installed.java.command,
      jar: installed.jar,
      folder: join(folder, seat),
      port: port ?? (await freePort()),
      seat,
      token: TOKEN,
      database: postgres.database(seat.toLowerCase()),
      overlay: trust.overlay,
      keyStore,
      dns: dns.address,
      backend,
      isSilent,
      ...(verifier && { verifier }),
    });
    accessPoints.push(starting.use(accessPoint));
    const found = address ?? accessPoint.address;
    const register = (isFound: boolean): void => {
      const at = { address: isFound ? found : nowhere, certificate };
      const answers = [{ documentType: `${EXACT_SCHEME}::${MLS_TYPE}`, processes: [MLS_PROCESS] }];
      for (const participant of participants)
        smp.participants.set(
          participant,
          services.map((each) => ({ ...each, ...at })),
        );
      smp.participants.set(
        providerOf(seat),
        answers.map((each) => ({ ...each, ...at })),
      );
    };
    register(true);
    registrations.push(register);
  }
  await Promise.all(accessPoints.map((each) => each.start()));
  const whole = starting.move();
  return {
    dns,
    smp,
    postgres,
    accessPoints,
    reachable: (at, is) => registrations[at]?.(is),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}
