/** The echo of the shop, to which checks of exits send their requests. */
import { echo } from '@cellhop/contract/exit-checks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

type Respond = (nonce: string, response: ServerResponse, request: IncomingMessage) => void;

export const answerAs =
  (address: string): Respond =>
  (nonce, response) =>
    void response.end(JSON.stringify({ data: { nonce, address } }));

/** @param tls serves HTTPS */
export async function startShopEcho(respond: Respond = answerAs('198.41.0.7'), tls?: ServerOptions) {
  const seen: string[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://shop.test');
    seen.push(url.pathname);
    respond(url.searchParams.get('nonce') ?? '', response, request);
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http${tls ? 's' : ''}://localhost:${port}${echo.url}`, port, seen, stop };
}
