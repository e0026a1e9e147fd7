// The operation that tells how things stand: what needs a person, what waits, what became of the documents of today.
import { Type } from 'typebox';
import { readBook } from '#alarms/book-file.ts';
import { endOf } from '#alarms/machine.ts';
import { shownCertificates } from '#alarms/of-config.ts';
import { takeCensus as takeCoreCensus } from '#core/ledger/census.ts';
import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import { ownFolder } from '#gateway/disk/paths.ts';
import { readQuarantined } from '#gateway/ledger/quarantine.ts';
import { readLost } from '#gateway/ledger/sealed.ts';
import { readStanding, type Standing } from '#gateway/ledger/standing.ts';
import { setAnew } from '#gateway/operate/lost-keys.ts';
import { LATEST_RELEASES } from '#rules/releases.ts';
import { diskOf } from '#runtime/files/disk.ts';
import { Count, Moment, MomentOrNull, msOf, TextOrNull } from './forms.ts';
import type { Installation } from './installation.ts';
import { operation } from './operation.ts';

/** Something that waits for a person. */
const Matter = Type.Object({
  what: Type.Enum(['held', 'key', 'stuck', 'refused', 'webhooks', 'events', 'participants', 'alarm', 'channel']),
  accountRegNo: TextOrNull,
  count: Count,
  since: MomentOrNull,
  /** Why, and what to do. */
  sentence: Type.String(),
});
type Matter = Type.Static<typeof Matter>;

const Waiting = Type.Object({ accountRegNo: Type.String(), count: Count, since: Moment, reason: TextOrNull });
const Silent = Type.Object({ accountRegNo: Type.String(), family: Type.String(), count: Count, since: Moment });
const Today = Type.Object({
  since: Moment,
  dropped: Count,
  accepted: Count,
  refused: Count,
  held: Count,
  cancelled: Count,
  delivered: Count,
});

export const status = operation(
  // The begin of the day, which depends on where the one who asks is.
  Type.Object({ today: Moment }),
  Type.Object({
    isRunning: Type.Boolean(),
    matters: Type.Array(Matter),
    waiting: Type.Array(Waiting),
    silent: Type.Array(Silent),
    today: Type.Union([Today, Type.Null()]),
    /** Bytes on the disk of the data folder. */
    disk: Type.Object({ free: Count, size: Count }),
    /** Of those that the daemon shows, by the setting that names them. */
    certificates: Type.Array(Type.Object({ setting: Type.String(), endsAt: Moment })),
    /** The latest of each rule set: from which day on it is mandatory, and until when, if it ends. */
    releases: Type.Array(Type.Object({ name: Type.String(), release: Type.String(), from: Type.String(), until: TextOrNull })),
  }),
  async (on, { today }) => {
    const dayMs = msOf(today);
    const standing = on.gateway && (await readStanding(on.gateway.ledger, dayMs, on.gateway.clock.now()));
    return {
      isRunning: on.running !== null,
      matters: [
        ...(standing ? [...heldOf(standing), ...refusedOf(standing)] : []),
        ...(await lostKeysOf(on)),
        ...(await stuckOf(on)),
        ...(await mattersOfCore(on)),
        ...alarmsOf(on),
      ],
      waiting: (standing?.waiting ?? []).flatMap(({ state, accountRegNo, count, sinceMs, reason }) =>
        state === 'pending' ? [{ accountRegNo, count, since: isoTime(sinceMs), reason }] : [],
      ),
      silent: (standing?.silent ?? []).map(({ sinceMs, ...silent }) => ({ ...silent, since: isoTime(sinceMs) })),
      today: standing && todayOf(standing, dayMs),
      disk: await diskOf(on.config.data),
      certificates: certificatesOf(on.config),
      releases: LATEST_RELEASES.map(({ name, release, from, until = null }) => ({ name, release, from, until })),
    };
  },
);

function certificatesOf(config: Installation['config']) {
  return shownCertificates(config).flatMap(({ setting, pem }) => {
    const endsAt = pem === null ? null : endOf(pem);
    return endsAt === null ? [] : [{ setting, endsAt: isoTime(endsAt) }];
  });
}

function todayOf({ dropped, ended, delivered }: Standing, dayMs: number) {
  return { since: isoTime(dayMs), dropped, ...ended, delivered };
}

function heldOf({ waiting }: Standing): Matter[] {
  return waiting.flatMap(({ state, accountRegNo, count, sinceMs }) => {
    const sentence = `They wait for a person: dropgate items --state held --account ${accountRegNo}`;
    return state === 'held' ? [{ what: 'held', accountRegNo, count, since: isoTime(sinceMs), sentence }] : [];
  });
}

function refusedOf({ pausing }: Standing): Matter[] {
  return pausing.map(({ accountRegNo, family, since, until, reason }) => {
    const sentence = `The service refuses ${family ?? 'all documents'} until ${isoTime(until)} at least: ${reason}`;
    return { what: 'refused', accountRegNo, count: 1, since: isoTime(since), sentence };
  });
}

/** Files wait for them, and nothing is fetched. */
async function lostKeysOf({ gateway }: Installation): Promise<Matter[]> {
  const lost = gateway ? await readLost(gateway.ledger.read) : [];
  return lost.map(({ kind, id }) => ({
    what: 'key',
    accountRegNo: kind === 'API key of account' ? id : null,
    count: 1,
    since: null,
    sentence: `The ${kind} ${id} was lost with the key file, so nothing is sent or fetched by it: ${setAnew({ kind, id })}`,
  }));
}

async function stuckOf({ gateway }: Installation): Promise<Matter[]> {
  const found = gateway ? await readQuarantined(gateway.ledger.read, undefined) : [];
  const tried = found.filter(({ tries }) => tries > 0);
  const accounts = Map.groupBy(tried, ({ accountRegNo }) => accountRegNo);
  return [...accounts].map(([accountRegNo, documents]) => ({
    what: 'stuck',
    accountRegNo,
    count: documents.length,
    since: isoTime(Math.min(...documents.map(({ since }) => since))),
    sentence: `Received, and could not be put into the outbox: dropgate outbox --account ${accountRegNo}`,
  }));
}

/** Alarms of what the ledgers, asked now, tell better. */
const TOLD_ABOVE: ReadonlySet<string> = new Set(['held', 'registration']);

/** As the daemon saw it last, a minute ago at the most. */
function alarmsOf({ config }: Installation): Matter[] {
  const { standing, posts } = readBook(ownFolder(config.data, config.node));
  const alarms = standing
    .filter(({ kind }) => !TOLD_ABOVE.has(kind))
    .map(({ kind, subject, since, sentence }): Matter => {
      const of = subject === '' ? kind : `${kind} ${subject}`;
      return { what: 'alarm', accountRegNo: null, count: 1, since: isoTime(since), sentence: `${of}: ${sentence}` };
    });
  const channels = Object.entries(posts).flatMap(([channel, { failures, reason }]): Matter[] => {
    const sentence = `The channel ${channel} has failed ${counted(failures, 'time')} (${reason}), and its news wait: dropgate alarm list`;
    return reason === null ? [] : [{ what: 'channel', accountRegNo: null, count: 1, since: null, sentence }];
  });
  return [...alarms, ...channels];
}

async function mattersOfCore({ core, config }: Installation): Promise<Matter[]> {
  if (!core) return [];
  const { disabledWebhooks, deadEvents, unseen, differences } = await takeCoreCensus(core.ledger);
  // What was found while they were looked up stays in the ledger.
  const isWatched = config.core.network.kind === 'peppol' && config.core.network.watch === 'daily';
  const matter = (what: Matter['what'], count: number, sentence: string): Matter[] =>
    count === 0 ? [] : [{ what, accountRegNo: null, count, since: null, sentence }];
  return [
    ...matter(
      'webhooks',
      disabledWebhooks,
      'Subscriptions were disabled, for their receivers did not take what was sent: dropgate webhook list',
    ),
    ...matter('events', deadEvents, 'Events for subscribers were given up: dropgate webhook list'),
    ...matter(
      'participants',
      isWatched ? differences + unseen : 0,
      'Participants are not registered as they should be, or could not be looked up: dropgate network check',
    ),
  ];
}
