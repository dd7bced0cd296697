/** How the credentials of a connection are written for proxy clients. */
import type { Connection } from './connections.ts';

export type Access = Pick<Connection, 'host' | 'port' | 'username'> & { password: string };

/** Formats that proxy clients accept. */
export function connectionStrings({ host, port, username, password }: Access): [string, string, string] {
  return [`${host}:${port}`, `${username}:${password}@${host}:${port}`, `${host}:${port}:${username}:${password}`];
}

/** For browsers, libraries and the shell variable `ALL_PROXY`. The last is for nodes that serve TLS. */
export function proxyUrls(access: Access): { socks: string; http: string; https: string } {
  const [, withCredentials] = connectionStrings(access);
  return {
    socks: `socks5://${withCredentials}`,
    http: `http://${withCredentials}`,
    https: `https://${withCredentials}`,
  };
}
