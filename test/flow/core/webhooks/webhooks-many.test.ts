// Half of the receivers in trouble, in a crowd that is small enough for every day; 10,000 events are in the long suite.
import { it } from 'vitest';
import { LONG_MS } from '../../../support/patience.ts';
import { expectAllAccountedFor } from '../../../support/webhook-crowd.ts';

it('320 events for 40 receivers, half of them in trouble, are all accounted for', { timeout: LONG_MS }, () => expectAllAccountedFor(40));
