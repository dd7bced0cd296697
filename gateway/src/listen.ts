import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** @throws the system error, with its code, if the port cannot be bound */
export function listen(server: Server | HttpServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((fulfil, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      fulfil(server.address() as AddressInfo);
    });
  });
}
