// The list of a way as text for src/README.md, and back.
import { type Counts, countsOf, type Entered, enteredIn } from './counts.ts';
import { type Hop, STAGES } from './hops.ts';

export interface Place {
  readonly file: string;
  readonly name: string;
}

const BETWEEN = ' → ';

export function listingOf(hops: readonly Hop[]): string {
  const stages = STAGES.map(({ title }, at) => `### ${at + 1}. ${title}\n\n\`\`\`\n${linesOf(enteredIn(hops, at)).join('\n')}\n\`\`\``);
  return [sentenceOf(countsOf(hops)), ...stages].join('\n\n');
}

function sentenceOf({ hops, changes, up, handed }: Counts): string {
  return `${hops} hops, ${changes} changes of folder, ${up.length} ways back up; ${handed.length} calls of functions that were handed down.`;
}

/** The folder stands where it is another than in the line above. */
function linesOf(entered: readonly Entered[]): string[] {
  const width = Math.max(...entered.map(({ folder }) => folder.length)) + 3;
  return entered.map(({ folder, file, names }, at) => {
    const shown = folder === entered[at - 1]?.folder ? '' : `${folder}/`;
    return `${shown.padEnd(width)}${file.slice(folder.length + 1)}: ${names.join(BETWEEN)}`;
  });
}

/** The functions that a list names. */
export function placesIn(listing: string): readonly Place[] {
  let folder = '';
  return [...listing.matchAll(/^(?:([\w/-]+)\/)? +([\w./-]+\.ts): (.+)$/gm)].flatMap(([, shown, file, names = '']) => {
    folder = shown ?? folder;
    return names.split(BETWEEN).map((name) => ({ file: `${folder}/${file}`, name }));
  });
}
