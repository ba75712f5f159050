/** Smallest piece that is released [bytes]: V8 manages smaller ones well. */
const LARGE = 1 << 16;

const RELEASABLE = new WeakSet<Uint8Array>();

/** Allows {@link releaseBuffer} for these pieces. The caller must not read them after passing them on. */
export function markReleasable(bytes: readonly Uint8Array[]): void {
  for (const part of bytes) if (part.length >= LARGE) RELEASABLE.add(part);
}

/**
 * Frees the memory of a piece at once if it is large, {@link markReleasable} allowed it and it covers its whole buffer;
 * the piece is empty then. Without this V8 collects its whole heap again and again for the few large buffers of long
 * answers.
 */
export function releaseBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (!RELEASABLE.delete(bytes) || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return;
  // Detaches the buffer; nothing refers to the empty copy.
  buffer.transfer(0);
}
