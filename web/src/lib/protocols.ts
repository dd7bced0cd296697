import { supportedProtocols } from '@cellhop/contract/proxies.plain';
import i18next from 'i18next';

/** Announced, but not supported by the gateway yet. */
const comingSoon: ReadonlySet<string> = new Set(['QUIC']);

/** Protocols of a proxy, in the user's language: `SOCKS5, HTTP, QUIC (soon)`. */
export function protocolNames(): string {
  return supportedProtocols
    .map((protocol) => (comingSoon.has(protocol) ? i18next.t('soon', { name: protocol }) : protocol))
    .join(', ');
}
