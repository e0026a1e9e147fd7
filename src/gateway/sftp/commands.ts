// The polite no for shells and commands, of which this server runs none: each in words, and in the command's own protocol where its
// programs hear nothing else.
import type { ServerChannel } from 'ssh2';
import { errorStream } from '#gateway/sftp/session/channel-writer.ts';

interface Answer {
  readonly sentence: string;
  /** What the sentence looks like on standard output; without it nothing is written there. */
  readonly asOutput?: (sentence: string) => string;
}

const WORD_CHARS_MAX = 32;
const ANY: Answer = { sentence: 'this server offers SFTP only' };
/** By the first word of the command. */
const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  [
    'scp',
    {
      sentence: 'this server offers SFTP only: use scp without -O, or sftp where a program offers both',
      // A fatal error. libssh2 reads no error stream, and takes silence for success.
      asOutput: (sentence) => `\x02${sentence}\n`,
    },
  ],
  ['rsync', { sentence: 'this server offers SFTP only, and rsync needs a program here: use sftp, or rclone over SFTP' }],
  // ssh-copy-id: `exec sh -c 'cd; umask 077; mkdir -p .ssh …'`.
  ['exec', { sentence: 'this server offers SFTP only, and keys are added by its administrator: send the public one (.pub) there' }],
]);

/** Ends the channel with exit status 1; returns the command's first word, for the log. A shell has no command. */
export function refuseCommand(channel: ServerChannel, command = ''): string {
  const [word = ''] = command.trimStart().split(/\s/, 1);
  const { sentence, asOutput } = ANSWERS.get(word) ?? ANY;
  const told = `dropgate: ${sentence}`;
  errorStream(channel)?.write(`${told}\r\n`);
  if (asOutput) channel.write(asOutput(told));
  channel.exit(1);
  channel.end();
  channel.resume();
  return word.slice(0, WORD_CHARS_MAX);
}
