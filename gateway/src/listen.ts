import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** @throws the system error, with its code, if the port cannot be bound */
export async function listen(server: Server | HttpServer, port: number, host: string): Promise<AddressInfo> {
  await once(server.listen(port, host), 'listening');
  return server.address() as AddressInfo;
}
