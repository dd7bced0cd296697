export const filterGroups = ['country', 'city', 'region', 'zip', 'isp', 'connectionType'] as const;

export type FilterGroup = (typeof filterGroups)[number];

export const supportedProtocols = ['SOCKS5', 'HTTP', 'QUIC'] as const;
