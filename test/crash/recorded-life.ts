// A program: lives a long life in the given folder, marks its stretches in the journal of the fault shim, and says how all was at their ends.

import { manualClock } from '../support/clock.ts';
import { markIn } from '../support/faults/shim.ts';
import { liveLong } from './long-life.ts';

const [data = '', startMs = ''] = process.argv.slice(2);
const journal = process.env.DROPGATE_FAULT_JOURNAL ?? '';
process.stdout.write(JSON.stringify(await liveLong(data, manualClock(Number(startMs)), (text) => markIn(journal, text))));
