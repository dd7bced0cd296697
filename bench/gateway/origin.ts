/** Sends without end to a client that says `b`, at 1 Gbit/s to one that says `g`; echoes one byte to one that says `p`. */
import { createServer, type Socket } from 'node:net';

const block = Buffer.alloc(1_048_576, 'cellhop');
const BULK = 'b'.charCodeAt(0);
const PACED = 'g'.charCodeAt(0);
const PACED_BYTES_PER_MS = 125_000;
const PACE_MS = 2;

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  const fill = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.once('data', (first: Buffer) => {
    if (first[0] === PACED) return rate(socket);
    if (first[0] !== BULK) return socket.end(first.subarray(0, 1));
    socket.on('drain', fill);
    return fill();
  });
});
/** What a pause of this process or of the client made late is sent at once: the mean is what counts. */
function rate(socket: Socket): void {
  const startedAt = performance.now();
  let sentBytes = 0;
  const timer = setInterval(() => {
    while (sentBytes < (performance.now() - startedAt) * PACED_BYTES_PER_MS && socket.writableLength === 0) {
      socket.write(block.subarray(0, PACED_BYTES_PER_MS));
      sentBytes += PACED_BYTES_PER_MS;
    }
  }, PACE_MS);
  socket.on('close', () => clearInterval(timer));
}

server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
