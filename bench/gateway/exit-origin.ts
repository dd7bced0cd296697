/** Accepts connections and closes each when its peer does. */
import { createServer } from 'node:net';

const server = createServer({ allowHalfOpen: false }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.resume();
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send?.(server.address()));
