// Where folders lie in memory, if there is such a place: for tests in which processes die, and no disk fails.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

export const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
