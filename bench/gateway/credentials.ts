export const USERNAME = 'bench';
export const LIMITED_USERNAME = 'bench-limited';
/** One connection for each client: the load puts its number in place of the star. */
export const EACH_USERNAME = 'bench-flow-*';
export const EACH_CONNECTIONS = 100;
export const UPSTREAM_USERNAME = 'bench-upstream';
/** As long as the oldest hash of passwords reads, which dante and squid get because it costs least. */
export const PASSWORD = 'bench-pw';
/** 1 Gbit/s. */
export const LIMITED_BYTES_PER_SECOND = 125_000_000;
