// `dropgate completion`: what has a shell complete commands and options, made of the commands themselves.
import { Argument, type Command } from 'commander';
import type { AddCommand } from './commands.ts';

/** The words that may follow the commands of a path: `''`, `'/account'`, `'/account/add'`. */
type Words = ReadonlyMap<string, readonly string[]>;

const SCRIPTS: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish };

export const addCompletion: AddCommand = (commands) => {
  const command = commands.command('completion');
  command
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', '\nFor this session, in bash: source <(dropgate completion bash)')
    .action((shell: string) => {
      if (command.parent) commands.terminal.print(SCRIPTS[shell]?.(new Map(wordsOf(command.parent, ''))) ?? '');
    });
};

function wordsOf(command: Command, path: string): [string, readonly string[]][] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const options = help.visibleOptions(command).flatMap(({ long }) => long ?? []);
  return [[path, [...below.map((each) => each.name()), ...options]], ...below.flatMap((each) => wordsOf(each, `${path}/${each.name()}`))];
}

const pathsIn = (words: Words): string => [...words.keys()].filter((path) => path !== '').join('|');
const casesIn = (words: Words, name: string): string =>
  [...words].map(([path, each]) => `    '${path}') ${name}='${each.join(' ')}' ;;`).join('\n');

/** The path is walked along the words before the one that is typed; what no word fits is completed as a file. */
function bash(words: Words): string {
  return `_dropgate() {
  local path= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path/$word" in ${pathsIn(words)}) path="$path/$word" ;; esac
  done
  case "$path" in
${casesIn(words, 'words')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _dropgate dropgate`;
}

function zsh(words: Words): string {
  return `#compdef dropgate
_dropgate() {
  local path_= word fitting=
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_/$word" in (${pathsIn(words)}) path_="$path_/$word" ;; esac
  done
  case "$path_" in
${casesIn(words, 'fitting')}
  esac
  compadd -- \${=fitting} || _files
}
compdef _dropgate dropgate`;
}

function fish(words: Words): string {
  const cases = [...words].map(([path, each]) => `    case '${path}'\n      printf '%s\\n' ${each.join(' ')}`);
  return `function __dropgate_words
  set -l path ''
  for word in (commandline -opc)[2..]
    switch "$path/$word"
      case ${pathsIn(words).replaceAll('|', ' ')}
        set path "$path/$word"
    end
  end
  switch "$path"
${cases.join('\n')}
  end
end
complete -c dropgate -a '(__dropgate_words)'`;
}
