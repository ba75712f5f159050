/**
 * Receiver of the pages of one store. Frames and bases are numbered with one growing sequence: a base with number `s`
 * contains everything up to frame `s`, and frame `s + 1` follows on both of them.
 *
 * An error other than {@link NotStoredError} and {@link SinkEndedError} leaves open whether the frame was stored, or will
 * be. The shipper then sends the same bytes under the same number until they are stored, and the sink accepts a frame
 * that it already has. Only a process of a later lease may send other bytes under that number: the sink must by then
 * refuse those of the earlier lease.
 */
export interface PageSink {
  /**
   * Stores a frame, as `encodeFrame` returns it. Is called for one frame at a time, in the order of their numbers. The
   * sink may keep the array.
   * @throws NotStoredError, SinkEndedError, or any error after which the outcome is unknown.
   */
  append(sequence: number, frame: Uint8Array): Promise<void>;

  /**
   * Stores a base, which replaces the earlier base and the frames up to `sequence`, also those that arrive late. Frames
   * with greater numbers may be appended meanwhile, and follow on the earlier base, too. If a base is needed because
   * frames are missing, none is appended meanwhile.
   * @param parts content of the base, which `rebuildStore` reads: parts of about 1 MiB, which are read once, in order.
   * Reading throws if the store is closed meanwhile; the base is then incomplete and must not be used.
   * @throws any error: the shipper makes a new base later, with the same number or a greater one.
   */
  putBase(sequence: number, parts: AsyncIterable<Uint8Array>): Promise<void>;
}

/**
 * A call of `append` has certainly stored nothing, and never will. If all calls with a number have failed so, other bytes
 * may be sent under it.
 */
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
