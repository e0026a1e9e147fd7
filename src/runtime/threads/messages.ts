// Posting messages to another thread: in batches, with bytes in buffers of their own.
import type { MessagePort } from 'node:worker_threads';

interface Batches<Message> {
  post(message: Message): void;
  /** Posts the current batch now: to be called before the port is closed. */
  flush(): void;
}

/** Posts one list of messages in each turn of the event loop: waking the other thread costs more than the messages themselves. */
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

/** The bytes in a buffer of their own: posting a small `Buffer` copies the whole pool of 64 KiB that it is a part of. */
export function apart(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
