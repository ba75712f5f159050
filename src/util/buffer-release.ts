/** Length from which a piece is released [bytes]; V8 manages smaller ones well. */
const LARGE = 1 << 16;

const RELEASABLE = new WeakSet<Uint8Array>();

/** Allows {@link releaseBuffer} to free these pieces. The caller must not read them after it has passed them on. */
export function markReleasable(bytes: readonly Uint8Array[]): void {
  for (const part of bytes) if (part.length >= LARGE) RELEASABLE.add(part);
}

/**
 * Frees the memory of a piece at once, if the piece is large, covers its whole buffer, and was allowed by {@link
 * markReleasable}; it is empty afterwards. Otherwise V8 would collect its whole heap repeatedly because of the few
 * large buffers of long answers.
 */
export function releaseBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (!RELEASABLE.delete(bytes) || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer))
    return;
  // Detaches the buffer and frees its memory; the empty copy is not used.
  buffer.transfer(0);
}
