import { supportedProtocols } from '@cellhop/contract/proxies.plain';
import i18next from 'i18next';

/** Announced, but the gateway does not carry them yet. */
const comingSoon: ReadonlySet<string> = new Set(['QUIC']);

/** What a proxy speaks, in the reader's language: `SOCKS5, HTTP, QUIC (soon)`. */
export function protocolNames(): string {
  return supportedProtocols
    .map((protocol) => (comingSoon.has(protocol) ? i18next.t('soon', { name: protocol }) : protocol))
    .join(', ');
}
