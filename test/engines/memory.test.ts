import { openMemoryQueue } from '#engines/memory/queue.ts';
import { expectOfQueue } from './queue.ts';

expectOfQueue('memory', async (clock, log) => openMemoryQueue(clock, log));
