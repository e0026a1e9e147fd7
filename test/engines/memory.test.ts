import { MemoryQueue } from '#engines/memory/queue.ts';
import { expectOfQueue } from './queue.ts';

expectOfQueue('memory', async (clock, log) => new MemoryQueue(clock, log));
