import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 20;

/**
 * @param waitMs how long another process may still have the port: the predecessor, which frees it when its drain begins
 * @throws the system error, with its code, if the port cannot be bound
 */
export async function listen(
  server: Server | HttpServer,
  port: number,
  host: string,
  waitMs = 0,
): Promise<AddressInfo> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      await once(server.listen(port, host), 'listening');
      return server.address() as AddressInfo;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || performance.now() > deadline) throw error;
    }
    await pause(RETRY_MS);
  }
}
