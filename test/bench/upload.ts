// Uploading large files with OpenSSH's client: to our daemon and to OpenSSH's own server, in turns.
import type { BenchOptions } from './main.ts';

export async function benchUpload(_options: BenchOptions): Promise<void> {}
