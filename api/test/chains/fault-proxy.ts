/** An HTTP server in front of a node that can be switched to fail. */
import http from 'node:http';
import { type LocalServer, serveLocally } from './local-server.ts';

/** EXHAUSTED: the limit of a java-tron node, which is no error of HTTP. */
type Fault = 'NONE' | 'CLOSED' | 'THROTTLED' | 'EXHAUSTED' | 'BROKEN';

export interface FaultProxy extends LocalServer {
  fault: Fault;
}

const EXHAUSTED = { Error: 'class java.lang.IllegalAccessException : lack of computing resources' };

/** Forwards requests with their method, path and query. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const server = await serveLocally((request, response) => {
    if (proxy.fault === 'NONE') return forward(target, request, response);
    fail(proxy.fault, response);
  });
  const proxy: FaultProxy = { ...server, fault: 'NONE' };
  return proxy;
}

function forward(target: string, request: http.IncomingMessage, response: http.ServerResponse): void {
  const { username, password, origin, pathname, host } = new URL(target);
  const options = {
    method: request.method,
    headers: { ...request.headers, host },
    ...(username === '' ? {} : { auth: `${username}:${password}` }),
  };
  const url = origin + pathname.replace(/\/$/, '') + request.url!;
  const forwarded = http.request(url, options, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  forwarded.on('error', () => response.destroy());
  request.pipe(forwarded);
}

function fail(fault: Exclude<Fault, 'NONE'>, response: http.ServerResponse): void {
  if (fault === 'CLOSED') response.destroy();
  else if (fault === 'THROTTLED') response.writeHead(429, { 'retry-after': '0' }).end();
  else if (fault === 'BROKEN') response.writeHead(502).end('<html>Bad gateway</html>');
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(EXHAUSTED));
}
