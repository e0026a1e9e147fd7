// Prints, for each case of the given index files, what our structure check and our rules say: one line of JSON a case, for a judge.
// node test/conformance/main.ts INDEX.jsonl…
import { answersTo, casesOf } from './cases.ts';

for (const index of process.argv.slice(2)) {
  for (const answer of answersTo(casesOf(index))) console.log(JSON.stringify(answer));
}
