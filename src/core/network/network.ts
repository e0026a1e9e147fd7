// The network beyond this core: none, or Peppol's, which an access point reaches.

import { insertTransmission } from '#core/ledger/transmissions.ts';
import { instanceIdOf } from '#core/model/instance-id.ts';
import type { Departures } from '#core/transactions/departures.ts';
import { AppError } from '#domain/error.ts';
import type { VerifyMode } from '#domain/validation.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Outbound } from '#runtime/outbound/outbound.ts';
import type { AccessPoint } from './access-point.ts';
import { openFolderAccessPoint } from './folder-access-point.ts';
import { openHttpAccessPoint } from './http-access-point.ts';
import { type Identifier, routingOf, SML_ZONES } from './identifiers.ts';
import { type Lookup, openLookup } from './lookup.ts';
import { openNaptr } from './naptr.ts';
import { findRegistration, type SmpParts } from './smp.ts';
import { openSurvey, type Survey, type SurveySettings } from './survey.ts';

/** The settings; null has a default, or is not needed for the kind. */
export interface NetworkSettings extends SurveySettings {
  /** `local`: receivers are accounts of this core, or unknown. `peppol`: all others are looked up and reached by an access point. */
  readonly kind: 'local' | 'peppol';
  readonly sml: string | null;
  readonly smpAuthorities: string | null;
  readonly accessPointAuthorities: string | null;
  readonly country: string | null;
  /** What to do with a document while its receiver cannot be looked up. */
  readonly outage: 'queue' | 'refuse';
  readonly giveUp: number;
  readonly resendAfter: number;
  readonly accessPoint: 'folder' | 'http';
  readonly folder: string | null;
  readonly results: 'expected' | 'none';
  readonly url: string | null;
  readonly token: string | null;
  /** What becomes of received documents that break rules, when the access point asks. */
  readonly verify: VerifyMode;
  /** Whether the participants of accounts are looked up every day as other senders would. */
  readonly watch: 'daily' | 'off';
}

export interface Network extends Departures {
  /** The types that a participant is registered for. Throws `unknown-receiver` when it certainly is not, and `internal` when that cannot be found out now. */
  documentTypes(participant: string): Promise<readonly Identifier[]>;
  /** Null when there is no network beyond this core. */
  readonly peppol: Peppol | null;
}

export interface Peppol {
  readonly lookup: Lookup;
  readonly accessPoint: AccessPoint;
  /** Of senders whose account tells none. */
  readonly country: string;
  /** Milliseconds. */
  readonly giveUp: number;
  /** What the access point must show when it hands over by requests to us; null takes none. */
  readonly token: string | null;
  /** Of accounts that do not say it themselves. */
  readonly verify: VerifyMode;
  /** Of participants of ours; null where they are not watched. */
  readonly watch: Survey | null;
}

interface NetworkParts {
  readonly environment: keyof typeof SML_ZONES;
  /** DNS servers; false are those of the system. */
  readonly dns: readonly string[] | false;
  /** Guarded: to addresses that DNS and SMPs name. */
  readonly outbound: Pick<Outbound, 'request'>;
  /** To the address that the operator has set. */
  readonly trusted: Pick<Outbound, 'request'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Goes by what may change in the settings whenever it uses them. Throws `usage` when a setting is missing that the kind needs. */
export function openNetwork(settings: NetworkSettings, parts: NetworkParts): Network {
  if (settings.kind === 'local') return LOCAL;
  const token = settings.token?.trim() || null;
  const { log } = parts;
  const smp = smpPartsOf(settings, parts);
  const lookup = openLookup(smp);
  const watch = settings.watch === 'daily' ? openSurvey(smp, settings) : null;
  const country = needed('country', settings.country);
  const accessPoint = ACCESS_POINTS[settings.accessPoint](settings, parts);
  return {
    async depart(head) {
      try {
        await lookup(routingOf(head));
        return { found: true };
      } catch (error) {
        const uncertain = error instanceof AppError && error.code === 'internal';
        if (!uncertain || settings.outage === 'refuse') throw error;
        log.warn({ event: 'network.lookup-postponed', receiver: head.receiver, err: error });
        return { found: false };
      }
    },
    async owe(rows, integrationId, departure, nowMs) {
      if (!departure) throw new AppError('internal', 'The receiver was an account of this core a moment ago.');
      return insertTransmission(rows, { integrationId, instanceIdOf, found: departure.found }, nowMs);
    },
    documentTypes: async (participant) => (await findRegistration(smp, participant)).documentTypes,
    peppol: {
      lookup,
      accessPoint,
      country,
      token,
      watch,
      get giveUp() {
        return settings.giveUp;
      },
      get verify() {
        return settings.verify;
      },
    },
  };
}

/** To look participants up and no more: of this network no access point is opened. */
export function smpPartsOf(
  { sml, smpAuthorities, accessPointAuthorities }: NetworkSettings,
  { environment, dns, outbound, clock }: Pick<NetworkParts, 'environment' | 'dns' | 'outbound' | 'clock'>,
): SmpParts {
  return { outbound, clock, findSmp: openNaptr(dns), zone: sml ?? SML_ZONES[environment], smpAuthorities, accessPointAuthorities };
}

const LOCAL: Network = {
  depart: async ({ receiver }) => notFound(receiver),
  documentTypes: async (participant) => notFound(participant),
  async owe() {
    throw new AppError('internal', 'There is no network beyond this core.');
  },
  peppol: null,
};

function notFound(receiver: string): never {
  throw new AppError('unknown-receiver', `The receiver ${receiver} was not found on the network. Check the address.`);
}

type OpenAccessPoint = (settings: NetworkSettings, parts: NetworkParts) => AccessPoint;

const ACCESS_POINTS: Readonly<Record<NetworkSettings['accessPoint'], OpenAccessPoint>> = {
  folder: ({ folder, results }, { clock, log }) =>
    openFolderAccessPoint({ clock, log }, { folder: needed('folder', folder), results: results === 'expected' }),
  http: ({ url, token, resendAfter }, { trusted }) =>
    openHttpAccessPoint(trusted, { url: needed('url', url), token: token?.trim() || null, resendAfter }),
};

function needed<Value>(name: string, value: Value | null): Value {
  if (value !== null) return value;
  throw new AppError('usage', `core.network.${name} is missing: the network needs it.`);
}
