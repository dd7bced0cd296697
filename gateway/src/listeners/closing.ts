import type { Limits } from '../limits.ts';
import type { Transport } from '../pipe/handle.ts';

type ClosingLimits = Pick<Limits, 'lingerMs' | 'flushMs'>;

/**
 * Closes a client's connection after all written data. Unread input would turn the close into a reset, which may discard
 * the last reply, so input is read and discarded for `lingerMs`.
 */
export function closeGracefully(socket: Transport, limits: ClosingLimits, lastReply: string | Uint8Array = ''): void {
  if (socket.destroyed) return;
  socket.on('data', () => {});
  socket.resume();
  const cancel = whenStalled(socket, limits.flushMs, () => socket.destroy());
  let linger: NodeJS.Timeout | undefined;
  socket.once('close', () => {
    cancel();
    clearTimeout(linger);
  });
  socket.end(lastReply, () => {
    linger = setTimeout(() => socket.destroy(), limits.lingerMs);
  });
}

/** Calls back once when the peer has read no written data for `stalledMs`. @returns a function that cancels it */
export function whenStalled(socket: Transport, stalledMs: number, callback: () => void): () => void {
  const passedBytes = () => socket.bytesWritten - socket.writableLength;
  let lastPassedBytes = passedBytes();
  const timer = setInterval(() => {
    const nowPassedBytes = passedBytes();
    const isMoving = nowPassedBytes > lastPassedBytes;
    lastPassedBytes = nowPassedBytes;
    if (isMoving || socket.writableLength === 0) return; // Slow, but not stalled.
    clearInterval(timer);
    callback();
  }, stalledMs);
  return () => clearInterval(timer);
}
