import { supportedProtocols } from '@cellhop/contract/proxies.values';

/** Protocols of a proxy: `SOCKS5, HTTP, QUIC`. */
export const protocolNames = (): string => supportedProtocols.join(', ');
