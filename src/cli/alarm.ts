// `dropgate alarm`: what stands, what the channels have still to tell, and whether a digest arrives.
import { hostname } from 'node:os';
import { askForTest } from '#alarms/alarms.ts';
import { EMPTY_BOOK, type Post, recordSeen, type Standing } from '#alarms/book.ts';
import { readBook } from '#alarms/book-file.ts';
import { openChannels } from '#alarms/channels.ts';
import { digestOf, headingOf } from '#alarms/digest.ts';
import { alarmSettings } from '#alarms/of-config.ts';
import { targetsOf } from '#alarms/settings.ts';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { prepareData } from '#installation/data-folder.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import type { AddCommand, Commands } from './commands.ts';
import { type ConfigOptions, configOf, type JsonOptions } from './options.ts';

export const addAlarmCommands: AddCommand = (commands) => {
  const alarm = commands.group('alarm');
  alarm
    .configured('list', 'list the alarms that stand, and the channels that could not tell their last digest')
    .option('--json', 'print one JSON object per line')
    .action((options: JsonOptions) => list(alarm, options));
  alarm
    .configured('test', 'send a test on each channel now, and have a running daemon send another one')
    .action((options: ConfigOptions) => test(alarm, options));
};

interface Listed {
  readonly since: string;
  readonly kind: string;
  readonly subject: string;
  readonly sentence: string;
}

function list(commands: Commands, options: JsonOptions): void {
  const { config } = configOf(options);
  const { standing, posts } = readBook(config.data);
  const table = commands.table<Listed>('alarms', {
    since: ({ since }) => ({ at: since }),
    alarm: ({ kind }) => kind,
    of: ({ subject }) => subject || '-',
    sentence: ({ sentence }) => sentence,
  });
  const alarms = standing.map(listed);
  commands.answer(alarms, options, () => table(alarms, config));
  for (const [channel, post] of Object.entries(posts)) if (post.reason !== null) commands.terminal.complain(untold(channel, post));
}

function listed({ since, kind, subject, sentence }: Standing): Listed {
  return { since: isoTime(since), kind, subject, sentence };
}

function untold(channel: string, { news, failures, notBefore, reason }: Post): string {
  return `The channel ${channel} has failed ${failures} times (${reason}): ${news.length} news wait, and it is tried again at ${isoTime(notBefore)}.`;
}

async function test(commands: Commands, options: ConfigOptions): Promise<void> {
  const { config } = configOf(options);
  prepareData(config.data);
  const settings = alarmSettings(config);
  const at = systemClock.now();
  const sentence = "Somebody asked for a test: 'dropgate alarm test'.";
  const happened = [{ kind: 'test', subject: '', sentence } as const];
  const channels = openChannels(config.data, settings, systemClock);
  const failed: string[] = [];
  try {
    for (const { name, send } of channels.all) {
      const post = recordSeen(EMPTY_BOOK, [name], ['test'], { stands: [], happened }, at).posts[name];
      try {
        if (post) await send(digestOf(post, readBook(config.data).standing.length, { host: hostname(), data: config.data }, at), at);
        commands.terminal.print(`${name}\tsent (${headingOf('test')})`);
      } catch (error) {
        failed.push(name);
        commands.terminal.print(`${name}\tfailed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await channels.close();
  }
  askForTest(config.data);
  for (const line of advice(config, settings)) commands.terminal.print(line);
  if (failed.length > 0) throw new AppError('internal', `No test arrived by ${failed.join(' and ')}.`);
}

function advice({ data }: Config, settings: Parameters<typeof targetsOf>[0]): string[] {
  const needed = targetsOf(settings).map(({ what, host, port }) => `the ${what} ${host}:${port}`);
  const within = `A daemon that runs on ${data} sends another test within two minutes.`;
  if (needed.length === 0) return [`Only files are written: alarms.mail and alarms.webhook name nobody. ${within}`];
  return [
    `${within} If only that is missing, its systemd unit denies the address: let it reach ${needed.join(' and ')} by IPAddressAllow= ('systemctl edit dropgate').`,
  ];
}
