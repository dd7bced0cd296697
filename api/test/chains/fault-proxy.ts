/** An HTTP server in front of a node that can be switched to fail. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Fault = 'NONE' | 'CLOSED' | 'THROTTLED' | 'BROKEN';

export interface FaultProxy {
  url: string;
  fault: Fault;
  close: () => Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const server = http.createServer((request, response) => {
    request.on('error', () => response.destroy());
    if (proxy.fault === 'CLOSED') return void response.destroy();
    if (proxy.fault === 'THROTTLED') return void response.writeHead(429, { 'retry-after': '0' }).end();
    if (proxy.fault === 'BROKEN') return void response.writeHead(502).end('<html>Bad gateway</html>');
    const { username, password, origin } = new URL(target);
    const auth = username === '' ? {} : { auth: `${username}:${password}` };
    const options = { method: 'POST', headers: { ...request.headers, host: new URL(target).host }, ...auth };
    const forwarded = http.request(origin, options, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: 'NONE',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
