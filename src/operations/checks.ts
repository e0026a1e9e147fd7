// Operations that look whether an installation is well, or will be: what is wrong, and how to mend it.
import { Type } from 'typebox';
import { runChecks } from '#installation/checks/checks.ts';
import { problem, well } from '#installation/checks/finding.ts';
import { loadFaulty } from '#runtime/config/file.ts';
import { TextOrNull } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

const Finding = Type.Object({
  /** A problem keeps the daemon, or a part of it, from its work. */
  state: Type.Enum(['well', 'warning', 'problem']),
  sentence: Type.String(),
  /** How to mend it; '' where nothing is to be. */
  remedy: Type.String(),
});

export const checkConfig = operation(
  Type.Object({
    /** The file; without it the first of the usual ones. */
    file: Type.Optional(Type.String()),
  }),
  Type.Object({
    file: TextOrNull,
    /** YAML of what is in force, with every default. A secret appears as the place where it is kept. '' where the file has problems. */
    effective: Type.String(),
    findings: Type.Array(Finding),
  }),
  async (_on: ClosedInstallation, { file: named }) => {
    const { file, effective, config, refusal, doubtful } = loadFaulty(named);
    if (refusal && config === null) throw refusal;
    const found = config === null ? [] : (await runChecks(config, doubtful)).findings;
    return refusal
      ? { file, effective: '', findings: [problem(refusal.message, ''), ...found] }
      : { file, effective, findings: [...found] };
  },
);

export const doctor = operation(Type.Object({}), Type.Array(Finding), async ({ config }: ClosedInstallation) => {
  const { isRunning, findings } = await runChecks(config);
  const daemon = isRunning
    ? well(`A daemon runs on ${config.data}.`)
    : problem(`No daemon runs on ${config.data}.`, 'Start it: systemctl start dropgate, or dropgate serve.');
  return [daemon, ...findings];
});
