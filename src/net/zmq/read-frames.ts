import type { Socket } from 'node:net';
import { CodecError } from '../../util/codec.js';
import type { Frame, FrameReader } from './zmtp.js';

/** Largest number of frames that are handled in one turn of the event loop: a peer may send a million of two bytes. */
export const FRAMES_PER_TURN = 256;

/**
 * Handles the frames that arrive over a connection, some in each turn of the event loop; meanwhile nothing more is read.
 * Ends the connection at an error of the protocol.
 * @param onFrame may throw CodecError.
 */
export function readFrames(
  socket: Pick<Socket, 'destroy' | 'destroyed' | 'on' | 'pause' | 'resume'>,
  reader: FrameReader,
  onFrame: (frame: Frame) => void,
): void {
  const handle = (): void => {
    for (let count = 0; count < FRAMES_PER_TURN; count++) {
      const frame = socket.destroyed ? undefined : reader.next();
      if (frame === undefined) return void socket.resume();
      onFrame(frame);
    }
    socket.pause();
    setImmediate(handleOrEnd);
  };
  const handleOrEnd = (): void => {
    try {
      handle();
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      socket.destroy();
    }
  };
  socket.on('data', (chunk: Buffer) => {
    reader.append(chunk);
    handleOrEnd();
  });
}
