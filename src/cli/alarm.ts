// `dropgate alarm`: what stands, what the channels have still to tell, and whether a digest arrives.
import { alarmSettings } from '#alarms/of-config.ts';
import { targetsOf } from '#alarms/settings.ts';
import { counted } from '#domain/amounts.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import type { AddCommand, Commands } from './commands.ts';
import { DIFFERS } from './exit-status.ts';

export const addAlarmCommands: AddCommand = (commands) => {
  const alarm = commands.group('alarm');
  addList(alarm);
  addTest(alarm);
};

function addList(alarm: Commands): void {
  const table = alarm.table<AnswerOf<'alarm.list'>['alarms'][number]>('alarms', {
    since: ({ since }) => ({ at: since }),
    alarm: ({ kind }) => kind,
    of: ({ subject }) => subject || '-',
    sentence: ({ sentence }) => sentence,
  });
  alarm.asks(
    'list',
    'alarm.list',
    () => ({}),
    ({ alarms, untold }, config) => {
      table(alarms, config);
      for (const { channel, reason, failures, news, nextAttemptAt } of untold)
        alarm.terminal.complain(
          `The channel ${channel} has failed ${counted(failures, 'time')} (${reason}): ${news} news wait, and it is tried again at ${nextAttemptAt}.`,
        );
    },
  );
}

function addTest(alarm: Commands): void {
  const table = alarm.table<AnswerOf<'alarm.test'>['channels'][number]>('channels', {
    channel: ({ channel }) => channel,
    test: ({ problem }) => ({ state: problem === null ? 'sent' : 'failed' }),
    reason: ({ problem }) => problem,
  });
  alarm.asks(
    'test',
    'alarm.test',
    () => ({}),
    (answer, config) => {
      table(answer.channels, config);
      alarm.tell(config, {}, adviceOn(answer, config));
    },
    { status: ({ channels }) => (channels.some(({ problem }) => problem !== null) ? DIFFERS : 0) },
  );
}

/** Which addresses the unit of systemd must allow, where the daemon could not send, or has not tried. */
function adviceOn({ isRunning, channels }: AnswerOf<'alarm.test'>, config: Config): string {
  const failed = channels.filter(({ problem }) => problem !== null).map(({ channel }) => channel);
  const by = `${isRunning ? 'The daemon has' : 'No daemon runs here: the command has'} ${doneOf(failed, isRunning)}`;
  const needed = targetsOf(alarmSettings(config)).map(({ what, host, port }) => `the ${what} ${host}:${port}`);
  if (needed.length === 0) return `${by} Only files are written: alarms.mail and alarms.webhook name nobody.`;
  if (isRunning && failed.length === 0) return by;
  return `${by} A systemd unit must let the daemon reach ${needed.join(' and ')} by IPAddressAllow= ('systemctl edit dropgate').`;
}

function doneOf(failed: readonly string[], isRunning: boolean): string {
  const itself = isRunning ? '' : ' itself';
  return failed.length === 0 ? `sent them${itself}.` : `tried${itself}, and could not send by ${failed.join(' and ')}.`;
}
