import type { Frame, FrameReader } from '../../../src/net/zmq/zmtp.js';

/** Returns the frames that a chunk completes. */
export function framesIn(reader: FrameReader, chunk: Uint8Array): Frame[] {
  reader.append(chunk);
  const frames: Frame[] = [];
  for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  return frames;
}
