// The alarms of a daemon: who looks after what in the parts that its role has.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { startAlarms } from '#alarms/alarms.ts';
import { certificateWatcher, diskWatcher, hostKeyWatcher, ruleWatcher } from '#alarms/machine.ts';
import { alarmSettings, shownCertificates } from '#alarms/of-config.ts';
import { coreWatcher } from '#core/operate/alarms.ts';
import type { CoreThread } from '#core/thread/thread.ts';
import type { Watcher } from '#domain/alarm.ts';
import { ownFolder } from '#gateway/disk/paths.ts';
import type { Gateway } from '#gateway/options.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { listenersOf } from '#runtime/config/listeners.ts';
import type { Log } from '#runtime/log.ts';

interface Parts {
  readonly core: CoreThread | null;
  readonly gateway: Gateway | null;
  readonly log: Log;
}

export async function startDaemonAlarms(config: Config, { core, gateway, log }: Parts): Promise<AsyncDisposable> {
  const { data, node, alarms } = config;
  const own = ownFolder(data, node);
  const origin = { host: hostname(), data: own };
  const watchers: Watcher[] = [
    diskWatcher(data, () => alarms.diskFree),
    certificateWatcher(
      () => shownCertificates(config),
      () => alarms.certificate,
      systemClock,
    ),
    ruleWatcher(systemClock),
  ];
  if (core) watchers.push(coreWatcher(core));
  if (gateway) {
    const profiles = listenersOf(config.sftp).map(({ profile }) => profile);
    watchers.push(...gateway.watchers(() => alarms.rhythm), hostKeyWatcher(own, await loadHostKeys(join(data, 'keys'), profiles)));
  }
  return startAlarms({ origin, settings: () => alarmSettings(config), watchers, clock: systemClock, random: systemRandom, log });
}
