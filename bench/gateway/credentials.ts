export const USERNAME = 'bench';
export const LIMITED_USERNAME = 'bench-limited';
export const UPSTREAM_USERNAME = 'bench-upstream';
/** As long as the oldest hash of passwords reads, which dante and squid get because it costs least. */
export const PASSWORD = 'bench-pw';
/** 1 Gbit/s. */
export const LIMITED_BYTES_PER_SECOND = 125_000_000;
