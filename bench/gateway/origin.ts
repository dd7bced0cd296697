/** By the first byte of a client: `b` gets endless data, `g` data at 1 Gbit/s, `p` one byte back. */
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
    if (first[0] === PACED) return sendPaced(socket);
    if (first[0] !== BULK) return socket.end(first.subarray(0, 1));
    socket.on('drain', fill);
    return fill();
  });
});
/** Data that is late after a pause is sent immediately, because the mean rate matters. */
function sendPaced(socket: Socket): void {
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
