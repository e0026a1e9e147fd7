// What tests need beside what `npm ci` brings: whether it is here, and how to get it where it is not. A test that is left out is told of
// loudly, and is a failure with DROPGATE_REQUIRE=all; what a machine cannot get (see .ci/run) is excused by its name in DROPGATE_WITHOUT.

/** `isHere`. `how` ends a sentence: 'install …'. */
export function needed(what: string, isHere: boolean, how: string): boolean {
  if (isHere) return true;
  const { DROPGATE_REQUIRE, DROPGATE_WITHOUT = '' } = process.env;
  const isExcused = DROPGATE_WITHOUT.split(',').includes(what);
  if (DROPGATE_REQUIRE === 'all' && !isExcused) throw new Error(`${what} is not here, and no test may be left out: ${how}`);
  console.warn(`\n*** ${what} is not here: its tests are SKIPPED; ${how} ***\n`);
  return false;
}

/** Where Debian has it. */
export function neededPackage(what: string, isHere: boolean, ...packages: readonly string[]): boolean {
  return needed(what, isHere, `apt install ${packages.join(' ')}`);
}
