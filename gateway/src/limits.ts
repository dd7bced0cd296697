/** Every bound of the gateway in one table. Tests pass their own numbers. */
const KIB = 1024;
const MIB = 1024 * KIB;

export const defaultLimits = {
  /** From accept to valid credentials, for SOCKS5 to the request, whatever is sent and answered; the dial not included. */
  handshakeMs: 10_000,
  headBytes: 16 * KIB,
  headFields: 100,
  /** Payload that a client sent before our answer. */
  earlyDataBytes: 64 * KIB,
  /** Clients without valid credentials. A network is an IPv4 address or the /64 of an IPv6 address. */
  halfOpenPerNetwork: 64,
  halfOpenPerNode: 2048,
  /** Sockets of clients with and without tunnels. More than tunnels, for kept HTTP connections. */
  clientSocketsPerConnection: 320,
  clientSocketsPerNetwork: 13_000,
  clientSocketsPerNode: 26_000,

  tunnelsPerConnection: 256,
  tunnelsPerNode: 20_000,
  newTunnelsPerSecond: 50,
  newTunnelsBurst: 200,

  /** 0 switches the limit off. */
  loginFailuresPerMinute: 20,
  loginBlockMs: 300_000,
  /** Addresses with failed logins that are remembered; above it the oldest is forgotten. */
  loginAddresses: 100_000,
  /** How long known credentials are good before the control plane is asked again. */
  credentialsCacheMs: 60_000,
  /** How long a refusal of the control plane answers for it. */
  refusalCacheMs: 1_000,
  refusalsCached: 10_000,

  /** All addresses of a destination together, the resolution included. */
  dialMs: 15_000,
  dialAttemptMs: 4_000,
  addressesTried: 6,
  /** Source ports that a dial from an exit's address tries when others hold them. */
  sourcePortTries: 16,
  resolverTryMs: 2_000,
  resolverTries: 2,

  exitCheckMs: 1_000,
  /** An exit whose address is missing for so long is lost, and its connections end. 0 switches it off. */
  exitLostMs: 30_000,

  descriptorCheckMs: 1_000,
  /** The log says at most so often that no descriptor is left. */
  exhaustionLogMs: 60_000,

  tunnelIdleMs: 600_000,
  halfClosedIdleMs: 120_000,
  /** Between two requests of a kept HTTP connection, the head of the second included. */
  nextRequestMs: 60_000,
  /** How long a closing side may take to read our last answer. */
  lingerMs: 2_000,
  /** How long a cut tunnel waits for a side to take a chunk that was paid for: 256 KiB at 4 KB/s. */
  flushMs: 60_000,

  updateIntervalMs: 500,
  /** Connections without traffic are reported this often while the control plane tells of ends by itself. */
  idleUpdateIntervalMs: 2_000,
  updateSpacingMs: 5,
  /**
   * So much passes at most beyond the last total that the control plane has acknowledged: what a killed gateway gives
   * away, per connection. Above the minimum it follows the rate.
   */
  unacknowledgedBytesMin: 8 * MIB,
  unacknowledgedBytesMax: 64 * MIB,
  updateRetryMs: 2_000,
  controlRequestMs: 5_000,
  /** A connection whose report is refused, and no other, is tried again after this time. */
  refusedReportMs: 30_000,
  /** How often a refused batch is halved in one round: two single ones are found among 5,000. */
  refusedReportSplits: 26,
  /** Between two held calls, each of which waits for ends. */
  watchSpacingMs: 50,
  /** The longest pause when such calls fail or are not held. */
  watchRetryMs: 2_000,
  /** Versions and PUBLIC_URL are asked for again. */
  helloIntervalMs: 60_000,
  helloRetryMs: 5_000,
  /** Longer than a restart of the control plane and its database takes. */
  grantWaitMs: 90_000,
  wantedBytesMin: MIB,
  wantedBytesMax: 256 * MIB,
  /** A connection without tunnels is ended in this run and forgotten after this time. */
  connectionIdleMs: 600_000,
  /** How long `close` tries to deliver the last totals. */
  lastReportMs: 5_000,

  pumpBuffers: 256,
} as const satisfies Record<string, number>;

export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };
