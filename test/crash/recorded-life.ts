// A program: lives a long life in the given folder, and server of its ledgers, marks its stretches in the journal of the fault shim, and says how all was
// at their ends.
import pg from 'pg';
import { manualClock } from '../support/clock.ts';
import { markIn } from '../support/faults/shim.ts';
import { countQueries } from '../support/queries.ts';
import { liveLong } from './long-life.ts';

// Before any session is made: its clock waits until what was asked is answered.
countQueries(pg.Client.prototype);

const [data = '', startMs = '', server = 'null'] = process.argv.slice(2);
const journal = process.env.DROPGATE_FAULT_JOURNAL ?? '';
const place = { data, server: JSON.parse(server), clock: manualClock(Number(startMs)) };
process.stdout.write(JSON.stringify(await liveLong(place, (text) => markIn(journal, text))));
