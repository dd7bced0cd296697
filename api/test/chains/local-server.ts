/** The HTTP server of every emulator, proxy and source of the tests: on a free port of this machine. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalServer {
  /** Without a path. */
  url: string;
  /** Ends its connections, too. */
  close: () => Promise<void>;
}

export async function serveLocally(listener: http.RequestListener): Promise<LocalServer> {
  const server = http.createServer((request, response) => {
    // The other side may go away at any time.
    request.on('error', () => response.destroy());
    listener(request, response);
  });
  // A test that computes for seconds would let idle connections end just when the client uses them again.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param respond called once the request is complete */
export const serveBodies = (
  respond: (request: http.IncomingMessage, body: string, response: http.ServerResponse) => void,
): Promise<LocalServer> =>
  serveLocally((request, response) => {
    readBody(request).then(
      (body) => respond(request, body, response),
      () => response.destroy(),
    );
  });

export async function readBody(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
