/**
 * Receiver of the pages of one store. Frames and bases are numbered with one growing sequence: a base with number `s`
 * contains everything up to frame `s`, and frame `s + 1` follows on both of them.
 *
 * An error other than {@link NotStoredError} and {@link SinkEndedError} leaves open whether the frame was stored. The
 * shipper then sends the same bytes under the same number again, and the sink accepts a frame that it already has.
 */
export interface PageSink {
  /**
   * Stores a frame, as `encodeFrame` returns it. Is called for one frame at a time, in the order of their numbers. The
   * sink may keep the array.
   * @throws NotStoredError, SinkEndedError, or any error after which the outcome is unknown.
   */
  append(sequence: number, frame: Uint8Array): Promise<void>;

  /**
   * Stores a base, which replaces the earlier base and the frames up to `sequence`. Frames with greater numbers may be
   * appended meanwhile, and stay valid whether the base is stored or not, unless there was no base before.
   * @param parts content of the base, which `rebuildStore` reads: parts of about 1 MiB, which are read once, in order.
   * Reading throws if the store is closed meanwhile; the base is then incomplete and must not be used.
   * @throws any error: the shipper makes a new base later, with the same number or a greater one.
   */
  putBase(sequence: number, parts: AsyncIterable<Uint8Array>): Promise<void>;
}

/** A frame was certainly not stored: other content may be sent under its number. */
export class NotStoredError extends Error {
  override readonly name = 'NotStoredError';
}

/** The sink takes no more frames of this store, because another process holds it now. The shipper stops. */
export class SinkEndedError extends Error {
  override readonly name = 'SinkEndedError';
}

/** Commits are not known to be stored at the sink. Its `cause` is the last error of the sink, if there was any. */
export class NotReplicatedError extends Error {
  override readonly name = 'NotReplicatedError';

  /** True if the pages will not be sent any more; false if they are sent again. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isFinal = isFinal;
  }
}
