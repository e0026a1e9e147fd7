// What the machine and the configuration tell: room on the disk, certificates, host keys, the rules of this version.
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Alarm, Watcher } from '#domain/alarm.ts';
import { dayOf } from '#domain/day.ts';
import { LATEST_RELEASES, type ReleaseNews, releaseNews } from '#rules/releases.ts';
import type { Clock } from '#runtime/clock.ts';
import { diskOf } from '#runtime/files/disk.ts';
import { readJson, replaceJson } from '#runtime/files/json-file.ts';
import { alarmsFolder } from './folder.ts';

const MIB = 2 ** 20;

/** Room on the file system of the data folder. */
export function diskWatcher(data: string, bytesMin: () => number): Watcher {
  return {
    kinds: ['disk'],
    async look() {
      const { free } = await diskOf(data);
      const wanted = bytesMin();
      const sentence = `${Math.floor(free / MIB)} MiB are free, and alarms.diskFree wants ${Math.floor(wanted / MIB)} MiB. When nothing is left, uploads fail and nothing is lost: make room.`;
      return { stands: free < wanted ? [{ kind: 'disk', subject: data, sentence }] : [] };
    },
  };
}

/** Certificates by the setting that names them, in PEM. */
export type NamedCertificates = readonly { readonly setting: string; readonly pem: string | null }[];

export function certificateWatcher(certificates: () => NamedCertificates, beforeMs: () => number, clock: Clock): Watcher {
  return {
    kinds: ['certificate'],
    look: async () => ({
      stands: certificates().flatMap(({ setting, pem }): Alarm[] => {
        const endsAt = pem === null ? null : endOf(pem);
        if (endsAt === null || endsAt - clock.now() > beforeMs()) return [];
        const verb = endsAt < clock.now() ? 'ended' : 'ends';
        return [
          {
            kind: 'certificate',
            subject: setting,
            sentence: `it ${verb} on ${dayOf(endsAt)}: put the next one in place, and reload ('systemctl reload dropgate').`,
          },
        ];
      }),
    }),
  };
}

/** Of the first certificate, which is the one that is shown; null where there is none. */
export function endOf(pem: string): number | null {
  try {
    return new X509Certificate(pem).validToDate.getTime();
  } catch {
    return null;
  }
}

/** What clients know a server by. */
interface ShownKey {
  readonly type: string;
  readonly fingerprint: string;
}

/** Tells once of host keys that are not those of the last start. */
export function hostKeyWatcher(data: string, keys: readonly ShownKey[]): Watcher {
  const path = join(alarmsFolder(data), 'host-keys.json');
  const now = Object.fromEntries(keys.map(({ type, fingerprint }) => [type, fingerprint]));
  const before = fingerprintsIn(path);
  const changed = Object.entries(now).filter(([type, fingerprint]) => (before[type] ?? fingerprint) !== fingerprint);
  let happened = changed.map(
    ([type, fingerprint]): Alarm => ({
      kind: 'host-key',
      subject: type,
      sentence: `it is ${fingerprint}, and was ${before[type]}: clients that know the old one refuse to connect. Restore it from a backup of keys/, or give the new one to the people at the other end ('dropgate host-key list').`,
    }),
  );
  let looks = 0;
  return {
    kinds: ['host-key'],
    async look() {
      // By the second look what the first has told is on disk.
      if (++looks === 2 && JSON.stringify(now) !== JSON.stringify(before)) await replaceJson(path, { ...before, ...now });
      const seen = { stands: [], happened };
      happened = [];
      return seen;
    },
  };
}

function fingerprintsIn(path: string): Record<string, string> {
  return Object.fromEntries(Object.entries(readJson(path) ?? {}).map(([type, fingerprint]) => [type, String(fingerprint)]));
}

const RELEASE_SENTENCES: Readonly<Record<ReleaseNews['what'], (news: ReleaseNews) => string>> = {
  coming: ({ release, day }) => `release ${release} is mandatory from ${day} on: until then what only its rules refuse is a warning.`,
  ended: ({ release, day }) => `release ${release} is in force until ${day}, and this version has no later one: install a newer Dropgate.`,
  old: ({ release, day }) => `release ${release} is in force since ${day}, and publishers bring out two a year: look for a newer Dropgate.`,
};

export function ruleWatcher(clock: Clock): Watcher {
  return {
    kinds: ['rules'],
    look: async () => ({
      stands: releaseNews(LATEST_RELEASES, clock.now()).map((news) => ({
        kind: 'rules',
        subject: news.name,
        sentence: RELEASE_SENTENCES[news.what](news),
      })),
    }),
  };
}
