import { MessageChannel } from 'node:worker_threads';

/** What is passed to it is taken away from this thread, and nobody receives it. */
const nowhere = closedPort();

function closedPort(): { postMessage(value: null, transferred: ArrayBuffer[]): void } {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  port2.close();
  return port1;
}

/** Fewer bytes are not worth it. */
const LARGE = 1 << 16;

const PASSED_ON = new WeakSet<Uint8Array>();

/** Says that nobody but the receiver will look at these bytes. */
export function passOn(bytes: readonly Uint8Array[]): void {
  for (const part of bytes) if (part.length >= LARGE) PASSED_ON.add(part);
}

/**
 * Gives the memory of bytes back at once, where they are many, were passed on, and are the whole of their buffer: they
 * are empty then. V8 would look through all of its heap, time and again, for the few large buffers of long answers.
 */
export function letGo(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (!PASSED_ON.delete(bytes) || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return;
  nowhere.postMessage(null, [buffer]);
}
