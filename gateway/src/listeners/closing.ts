import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';

type ClosingLimits = Pick<Limits, 'lingerMs' | 'flushMs'>;

/**
 * Ends a client's connection behind everything that was written to it. Unread bytes would turn the close into a reset,
 * which may destroy the last answer, so the client is still read for a moment, and its bytes are thrown away.
 */
export function closeGently(socket: Socket, limits: ClosingLimits, lastAnswer: string | Uint8Array = ''): void {
  if (socket.destroyed) return;
  socket.on('data', () => {});
  socket.resume();
  const forget = whenStalled(socket, limits.flushMs, () => socket.destroy());
  let linger: NodeJS.Timeout | undefined;
  socket.once('close', () => {
    forget();
    clearTimeout(linger);
  });
  socket.end(lastAnswer, () => {
    linger = setTimeout(() => socket.destroy(), limits.lingerMs);
  });
}

/** Calls back once when a socket takes nothing of what was written to it for so long. The result cancels that. */
export function whenStalled(socket: Socket, stalledMs: number, callback: () => void): () => void {
  const passedBytes = () => socket.bytesWritten - socket.writableLength;
  let lastPassedBytes = passedBytes();
  const timer = setInterval(() => {
    const nowPassedBytes = passedBytes();
    const isMoving = nowPassedBytes > lastPassedBytes;
    lastPassedBytes = nowPassedBytes;
    if (isMoving || socket.writableLength === 0) return; // Slow is not dead.
    clearInterval(timer);
    callback();
  }, stalledMs);
  return () => clearInterval(timer);
}
