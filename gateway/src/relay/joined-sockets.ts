import type { Socket } from 'node:net';
import type { Lane } from './lane.ts';
import type { RelayEnd, RelayTask, RunningRelay, StopMode } from './relay.ts';

interface Joined {
  readonly client: Socket;
  readonly exit: Socket;
  readonly toExit: Lane;
  readonly toClient: Lane;
  /** Both sockets have closed; no write can touch a buffer any more. */
  released(): void;
}

/**
 * The life of two joined sockets, the same for every relay: a half-close stays a half-close, a reset stays a reset,
 * so that a cut download never looks complete.
 */
export function joinSockets(joined: Joined, task: RelayTask): RunningRelay {
  const { client, exit, toExit, toClient } = joined;
  let openSockets = 2;
  let isStopped = false;
  let end: RelayEnd = 'completed';

  const sideClosed = () => {
    openSockets -= 1;
    if (openSockets > 0) return;
    joined.released();
    if (isStopped) return;
    isStopped = true; // Nothing is left to stop when the tunnel closes because of this.
    task.ended(end);
  };
  const join = (source: Socket, destination: Socket, failure: RelayEnd) => {
    source.on('end', () => {
      endBehind(destination);
      task.halfClosed();
    });
    source.on('error', () => {
      if (end === 'completed') end = failure;
      if (!destination.destroyed) destination.resetAndDestroy();
    });
    source.on('close', sideClosed);
  };
  join(client, exit, 'client-failed');
  join(exit, client, 'exit-failed');

  return {
    stop: (mode: StopMode) => {
      if (isStopped) return;
      isStopped = true;
      toExit.stop();
      toClient.stop();
      if (mode === 'flush') flush(client, exit, task.limits);
      else for (const socket of [client, exit]) if (!socket.destroyed) socket.resetAndDestroy();
    },
  };
}

/** Where the other direction has ended and nothing is pending, closing says the same as a half-close, at half the cost. */
function endBehind(socket: Socket): void {
  if (socket.readableEnded && socket.writableLength === 0) socket.destroy();
  else if (!socket.destroyed) socket.end();
}

/**
 * Ends both sides behind what was written. Bytes of the client are still read for a moment and thrown away: closing
 * a socket with unread bytes resets it, and a reset may destroy paid bytes on their way.
 */
function flush(client: Socket, exit: Socket, { lingerMs, flushMs }: RelayTask['limits']): void {
  exit.pause();
  exit.end(() => exit.destroy());
  client.resume();
  client.end(() => setTimeout(() => client.destroy(), lingerMs).unref());
  let pendingBytes = client.writableLength + exit.writableLength;
  const timer = setInterval(() => {
    const leftBytes = client.writableLength + exit.writableLength;
    const isMoving = leftBytes > 0 && leftBytes < pendingBytes;
    pendingBytes = leftBytes;
    if (isMoving) return; // Slow is not dead: what is pending has been paid for.
    client.destroy();
    exit.destroy();
  }, flushMs);
  client.once('close', () => clearInterval(timer));
}
