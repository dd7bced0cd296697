import { type Access, connectionStrings, proxyUrls } from '@cellhop/contract/access-strings';
import type { Settings } from '@cellhop/contract/settings';

/** How programs want a proxy written, the most usual first. One port serves SOCKS5 and HTTP. */
export const accessFormats = [
  'userinfo',
  'hostPort',
  'colons',
  'socksUrl',
  'httpUrl',
  'httpsUrl',
  'curl',
  'playwright',
  'python',
] as const;
export type AccessFormat = (typeof accessFormats)[number];

/** The access in a format, ready to be pasted. @param curlArguments what the curl line fetches */
export function writeAccess(access: Access, format: AccessFormat, curlArguments: string): string {
  const [hostPort, userinfo, colons] = connectionStrings(access);
  const { host, port, username, password } = access;
  const urls = proxyUrls(access);
  const lines: Record<AccessFormat, string> = {
    hostPort,
    userinfo,
    colons,
    socksUrl: urls.socks,
    httpUrl: urls.http,
    httpsUrl: urls.https,
    // Host names are resolved by the proxy (`socks5h`).
    curl: `curl -x socks5h://${userinfo} ${curlArguments}`,
    // Its SOCKS5 has no passwords.
    playwright: `proxy: { server: 'http://${host}:${port}', username: '${username}', password: '${password}' }`,
    python: `proxies = {"http": "${urls.http}", "https": "${urls.http}"}`,
  };
  return lines[format];
}

/** In development the API serves a download, so that no internet is needed; elsewhere curl shows the address that it got. */
export function curlTarget({ isDevelopment, publicUrl }: Pick<Settings, 'isDevelopment' | 'publicUrl'>): string {
  return isDevelopment ? `${publicUrl}/dev/download/5 -o /dev/null` : `"${publicUrl}/v1/echo?nonce=my-address"`;
}

/** Opens Telegram with the proxy filled in. */
export function telegramLink({ host, port, username, password }: Access): string {
  return `https://t.me/socks?${new URLSearchParams({ server: host, port: String(port), user: username, pass: password })}`;
}

/** A shell command that asks the DNS port of a connection for a name. */
export function digLine(host: string, dnsPort: number): string {
  return `dig @${host} -p ${dnsPort} example.com`;
}
