// What alarms are told by: the mail server, and the webhook, to which nothing is sent here.
import { connect } from 'node:net';
import { greetMailServer } from '#alarms/mail.ts';
import { alarmSettings } from '#alarms/of-config.ts';
import { type AlarmSettings, type Target, targetsOf } from '#alarms/settings.ts';
import { isLoopback } from '#runtime/networks.ts';
import { type Check, reasonOf, warning, well } from './finding.ts';

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
        return warning(`${place} does not answer as it should (${reasonOf(error)}).`, remedy);
      }
    }),
  );
};

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
