// Finds the word that was probably meant.

/** The known word with the fewest letters to change, if that is at most a third of its letters; upper and lower case count as the same. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const measured = known
    .filter((candidate) => Math.abs(candidate.length - word.length) <= changesMax(candidate))
    .map((candidate) => ({ candidate, distance: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= changesMax(candidate));
  return measured.sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

function changesMax(candidate: string): number {
  return Math.max(1, Math.ceil(candidate.length / 3));
}

/** Levenshtein: letters to insert, remove or replace. */
export function editsBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = (previous[column] ?? 0) + (to[column] === letter ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
