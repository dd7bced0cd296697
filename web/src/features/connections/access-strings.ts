import { type Access, connectionStrings } from '@cellhop/contract/access-strings';
import type { Settings } from '@cellhop/contract/settings';

/** Shell commands; host names are resolved by the proxy (`socks5h`). */
export function curlLines(access: Access, target: string): { socks: string; http: string } {
  const [, withCredentials] = connectionStrings(access);
  return {
    socks: `curl -x socks5h://${withCredentials} ${target} -o /dev/null`,
    http: `curl -x http://${withCredentials} ${target} -o /dev/null`,
  };
}

/** A shell command that asks the DNS port of a connection for a name. */
export function digLine(host: string, dnsPort: number): string {
  return `dig @${host} -p ${dnsPort} example.com`;
}

/** In development the API serves a download, so that no internet is needed. */
export function curlTarget({ isDevelopment, publicUrl }: Pick<Settings, 'isDevelopment' | 'publicUrl'>): string {
  return isDevelopment ? `${publicUrl}/dev/download/5` : 'https://example.com';
}
