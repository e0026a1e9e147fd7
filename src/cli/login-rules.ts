// The options by which a command sets the rules of a login: one for each.
import type { Command } from 'commander';
import type { RuleChanges } from '#gateway/model/login-rules.ts';
import { RULES } from '#operations/login-rule-words.ts';

/** Adds an option for each rule. */
export function withRules(command: Command): Command {
  for (const { name, argument, none, sentence } of RULES) command.option(`--${name} ${argument}`, `${sentence}; ${none} takes it back`);
  return command;
}

/** The rules that a command's options set or take back. Throws `usage`. */
export function ruleChanges(command: Command): RuleChanges {
  const given = command.opts<Readonly<Record<string, unknown>>>();
  const changes = RULES.map(({ name, changes: read }) => {
    const text = given[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    return typeof text === 'string' ? read(text) : {};
  });
  return Object.assign({}, ...changes);
}
