// What alarms are told by: the mail server, and the webhook, to which nothing is sent here.
import { connect } from 'node:net';
import { readBook } from '#alarms/book-file.ts';
import { greetMailServer } from '#alarms/mail.ts';
import { alarmSettings } from '#alarms/of-config.ts';
import { type AlarmSettings, type Target, targetsOf } from '#alarms/settings.ts';
import { counted } from '#domain/amounts.ts';
import { messageOf } from '#domain/error.ts';
import { ownFolder } from '#gateway/disk/paths.ts';
import { isLoopback } from '#runtime/networks.ts';
import { type Check, warning, well } from './finding.ts';

const ANSWER_MS_MAX = 5_000;
const SETTING: Readonly<Record<Target['what'], string>> = { 'mail server': 'alarms.mail', webhook: 'alarms.webhook' };

/** A daemon starts and works without them, and alarms stay in files. */
export const checkAlarmTargets: Check = async ({ config }) => {
  const settings = alarmSettings(config);
  return Promise.all(
    targetsOf(settings).map(async (target) => {
      const { what, host, port } = target;
      const place = `The ${what} ${host}:${port} of alarms`;
      try {
        await ask(target, settings);
        const needs = isLoopback(host) ? '' : ' Under systemd the daemon reaches it if IPAddressAllow= of the unit has its address.';
        return well(`${place} answers.${needs}`);
      } catch (error) {
        const remedy = `Mend ${SETTING[what]}, or see that it runs and can be reached. Until then alarms stand in files only.`;
        return warning(`${place} does not answer as it should (${messageOf(error)}).`, remedy);
      }
    }),
  );
};

/** As the daemon found it when it had something to tell. */
export const checkAlarmChannels: Check = async ({ config: { data, node } }) =>
  Object.entries(readBook(ownFolder(data, node)).posts).flatMap(([channel, { failures, reason }]) =>
    reason === null
      ? []
      : [
          warning(
            `The channel ${channel} of alarms has failed ${counted(failures, 'time')} (${reason}).`,
            'Mend it, and see whether a test arrives: dropgate alarm test. What it has to tell waits: dropgate alarm list.',
          ),
        ],
  );

function ask({ what, host, port }: Target, { mail }: AlarmSettings): Promise<void> {
  return what === 'mail server' && mail ? greetMailServer(mail, ANSWER_MS_MAX) : reach(host, port);
}

/** Resolves when a connection is taken. */
function reach(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: ANSWER_MS_MAX });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}
