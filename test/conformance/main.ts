// Prints, for each case of the given index files, what our structure check and our rules say: one line of JSON a case, for a judge.
// node test/conformance/main.ts INDEX.jsonl…
import { existsSync } from 'node:fs';
import { answersTo, casesOf } from './cases.ts';

const indexes = process.argv.slice(2);
const missing = indexes.filter((index) => !existsSync(index));
if (indexes.length === 0 || missing.length > 0) {
  console.error(indexes.length === 0 ? 'usage: npm run conformance -- INDEX.jsonl…' : `There is no ${missing.join(', ')}.`);
  process.exitCode = indexes.length === 0 ? 64 : 66;
} else {
  for (const index of indexes) for (const answer of answersTo(casesOf(index))) console.log(JSON.stringify(answer));
}
