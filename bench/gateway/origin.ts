/** Sends without end to a client that says `b`, and echoes one byte to a client that says `p`. */
import { createServer } from 'node:net';

const block = Buffer.alloc(1_048_576, 'cellhop');
const BULK = 'b'.charCodeAt(0);

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  const fill = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.once('data', (first: Buffer) => {
    if (first[0] !== BULK) return socket.end(first.subarray(0, 1));
    socket.on('drain', fill);
    return fill();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
