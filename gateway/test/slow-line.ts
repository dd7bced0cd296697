/** A line with a bandwidth, between a node and the control plane. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const TICK_MS = 10;

/**
 * Passes what the control plane sends at this rate, of all its connections together; what the node sends is not delayed.
 * @returns the URL for the node
 */
export async function openSlowLine(controlUrl: string, bytesPerSecond: number): Promise<string> {
  const waiting: { to: Socket; bytes: Buffer }[] = [];
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(controlUrl);
  const server = createServer((node) => {
    const control = connect(Number(port), hostname);
    for (const socket of [node, control]) sockets.add(socket.on('error', () => socket.destroy()));
    node.pipe(control);
    node.once('close', () => control.destroy());
    control.once('close', () => node.destroySoon());
    control.on('data', (bytes) => void waiting.push({ to: node, bytes }));
  });
  const timer = setInterval(() => {
    let left = (bytesPerSecond * TICK_MS) / 1000;
    for (let next = waiting.shift(); next; next = left > 0 ? waiting.shift() : undefined) {
      const passed = next.bytes.subarray(0, left);
      left -= passed.length;
      next.to.write(passed);
      if (passed.length < next.bytes.length)
        waiting.unshift({ to: next.to, bytes: next.bytes.subarray(passed.length) });
    }
  }, TICK_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
