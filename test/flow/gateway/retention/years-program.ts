// A program: goes on with the years in the given folder, and server of its ledgers, for one term in which nobody does anything.
import pg from 'pg';
import { manualClock } from '../../../support/clock.ts';
import { countQueries } from '../../../support/queries.ts';
import { live, pass } from './years.ts';

// Before any session is made: its clock waits until what was asked is answered.
countQueries(pg.Client.prototype);

const [data = '', startMs = '', server = 'null'] = process.argv.slice(2);
const place = { data, server: JSON.parse(server), clock: manualClock(Number(startMs)) };
await using _life = await live(place, {});
await pass(place);
