export const supportedProtocols = ['SOCKS5', 'HTTP', 'QUIC'] as const;
