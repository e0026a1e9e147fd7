// 10,000 events, half of the receivers in trouble.
import { it } from 'vitest';
import { expectAllAccountedFor } from '../../../support/webhook-crowd.ts';

it('10,000 events for 1,250 receivers, half of them in trouble, are all accounted for', () => expectAllAccountedFor(1_250));
