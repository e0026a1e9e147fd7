// What is posted to another thread: many messages together, and bytes in memory of their own.
import type { MessagePort } from 'node:worker_threads';

interface Batches<Message> {
  post(message: Message): void;
  /** Posts now what waits, for whoever closes the port next. */
  flush(): void;
}

/** Posts lists of messages, one for each turn of the event loop: waking the other thread costs more than what a message carries. */
export function openBatches<Message>(port: Pick<MessagePort, 'postMessage'>): Batches<Message> {
  let batch: Message[] = [];
  const flush = (): void => {
    if (batch.length === 0) return;
    const posted = batch;
    batch = [];
    port.postMessage(posted);
  };
  return {
    post(message) {
      if (batch.length === 0) setImmediate(flush);
      batch.push(message);
    },
    flush,
  };
}

/** Bytes in memory of their own: a message copies all the memory that they stand in, which is shared by 64 KiB of small buffers. */
export function apart(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
