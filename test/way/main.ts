// `npm run way [-- --check]`: sends invoices through a daemon that records its calls, and writes their way into src/README.md; with --check it
// says instead what the list there has that no invoice does, and what it lacks of what all do.
import { recordedIn } from '../support/recorded.ts';
import { countsOf } from './counts.ts';
import { commonHops, keyOf } from './hops.ts';
import { listingOf, type Place, placesIn } from './listing.ts';
import { recordedRuns } from './runs.ts';

const INVOICES = 5;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const textOf = ({ file, name }: Place): string => `${file}: ${name}`;

const runs = await recordedRuns(INVOICES);
const hops = commonHops(runs);
const place = recordedIn('src/README.md', 'way');
if (process.argv.includes('--check')) {
  const listed = placesIn(place.text).map(textOf);
  const seen = new Set(runs.flat().map(textOf));
  const unseen = listed.filter((each) => !seen.has(each));
  // One without a name may have waited for others, and is called back by whose turn it was: not by the same file each time.
  const named = hops.flatMap(({ to }) => (to.isNamed ? textOf(to) : []));
  const missing = [...new Set(named)].filter((each) => !listed.includes(each));
  for (const each of unseen) print(`in src/README.md, but on no way: ${each}`);
  for (const each of missing) print(`on every way, but not in src/README.md: ${each}`);
  if (unseen.length + missing.length > 0) process.exitCode = 1;
} else place.replace(listingOf(hops));

const { changes, up, handed } = countsOf(hops);
print(
  `${hops.length} hops, ${changes} changes of folder, ${up.length} ways back up, ${handed.length} calls of functions that were handed down`,
);
for (const hop of up) print(`back up: ${keyOf(hop)}`);
for (const hop of handed) print(`handed down: ${keyOf(hop)}`);
