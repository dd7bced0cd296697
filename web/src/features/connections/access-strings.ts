import type { Connection } from '@cellhop/contract/connections';
import type { Settings } from '@cellhop/contract/settings';

type Access = Pick<Connection, 'host' | 'port' | 'username'> & { password: string };

/** The spellings of an access that proxy programs ask for. */
export function connectionStrings({ host, port, username, password }: Access): [string, string, string] {
  return [`${host}:${port}`, `${username}:${password}@${host}:${port}`, `${host}:${port}:${username}:${password}`];
}

/** As browsers, libraries and the `ALL_PROXY` of a shell take it. */
export function proxyUrls(access: Access): { socks: string; http: string } {
  const [, withCredentials] = connectionStrings(access);
  return { socks: `socks5://${withCredentials}`, http: `http://${withCredentials}` };
}

/** Commands for a terminal; names are resolved at the exit (`socks5h`). */
export function curlLines(access: Access, target: string): { socks: string; http: string } {
  const [, withCredentials] = connectionStrings(access);
  return {
    socks: `curl -x socks5h://${withCredentials} ${target} -o /dev/null`,
    http: `curl -x http://${withCredentials} ${target} -o /dev/null`,
  };
}

/** In development the service itself serves a download, so that a newcomer needs no internet. */
export function curlTarget({ isDevelopment, publicUrl }: Pick<Settings, 'isDevelopment' | 'publicUrl'>): string {
  return isDevelopment ? `${publicUrl}/dev/download/5` : 'https://example.com';
}
