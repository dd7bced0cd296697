import { CONNECTION_TUNNELS_MAX } from '@cellhop/contract/limits';

/** All limits of the gateway. Tests override them. */
const KIB = 1024;
const MIB = 1024 * KIB;

export const defaultLimits = {
  /** From accept to valid credentials, for SOCKS5 to the complete request, however much is exchanged; without the dial. */
  handshakeMs: 10_000,
  headBytes: 16 * KIB,
  headFields: 100,
  /** Of an origin's response: browsers allow more than servers do, but each field costs a microsecond. */
  responseHeadBytes: 64 * KIB,
  responseHeadFields: 1_000,
  /** Further ones before a response are not forwarded. */
  interimResponses: 100,
  /** Payload that a client sent before the reply to its request. */
  earlyDataBytes: 64 * KIB,
  /** Clients without valid credentials. A network is an IPv4 address or the /64 of an IPv6 address; a /56 has twice and a /48 four times the limit. */
  halfOpenPerNetwork: 64,
  halfOpenPerNode: 2048,
  /** Client sockets with and without a tunnel. More than tunnels, because of idle persistent HTTP connections. */
  clientSocketsPerConnection: 320,
  clientSocketsPerNetwork: 13_000,
  clientSocketsPerNode: 26_000,

  tunnelsPerConnection: CONNECTION_TUNNELS_MAX,
  tunnelsPerNode: 20_000,
  newTunnelsPerSecond: 50,
  newTunnelsBurst: 200,

  /** UDP associations also count as tunnels. */
  associationsPerConnection: 64,
  associationsPerNode: 4_000,
  /** The one without traffic for longest is evicted. New destinations have the rate limit of new tunnels. */
  destinationsPerAssociation: 256,
  /** Datagrams of an association that wait while names are resolved. */
  waitingDatagrams: 16,
  /** Per connection, in both directions: QUIC at some 200 Mbit/s. It limits the cost of a flood for others. */
  datagramsPerSecond: 30_000,
  /** At least two minutes (RFC 4787, section 4.3). */
  udpIdleMs: 120_000,
  /** Ports that a new association tries if they are in use. */
  clientPortAttempts: 16,
  /** The buffer of each UDP socket in each direction, if the system allows so much. */
  udpBufferBytes: 4 * MIB,
  /** While more bytes wait to be sent, datagrams are dropped. */
  udpQueueBytes: MIB,

  /** 0 disables the limit. */
  loginFailuresPerMinute: 20,
  loginBlockMs: 300_000,
  /** Entries in the table of addresses with failed logins; the oldest is evicted. */
  loginAddresses: 100_000,
  /** How long a wrong pair of username and password is refused to the same network without a call. */
  wrongCredentialsMs: 60_000,
  /** Pairs of all networks; the oldest is forgotten. */
  wrongCredentialsRemembered: 20_000,
  /** How long accepted credentials are cached before the control plane checks them again. */
  credentialsCacheMs: 60_000,
  /** The same for a password that is used from a new client address, because the control plane stores the address. */
  newAddressRecheckMs: 1_000,
  /** How long refused credentials are cached. */
  refusalCacheMs: 1_000,
  refusalsCached: 10_000,
  /** Client addresses with an open connection that lists them; the oldest is evicted. */
  addressLoginsCached: 10_000,
  /** How long an address that no connection lists is cached. The control plane announces changes of allow-lists. */
  addressRefusalCacheMs: 10_000,
  /** Per client network; above it, its addresses are not checked for a while. 0 disables the limit. */
  addressRefusalsPerMinute: 20,
  addressBlockMs: 60_000,
  /** The longest time that a client without a password waits for the check of its address. */
  addressRequestMs: 2_000,

  /** For all addresses of a destination together, including name resolution. */
  dialMs: 15_000,
  /** For each address but the last one. */
  dialAttemptMs: 4_000,
  addressAttempts: 6,
  /** After this time without a connection, the next address of a destination is dialled as well (RFC 8305, section 5). */
  connectionAttemptDelayMs: 250,
  /** The same through another proxy, whose handshake takes some four round trips. */
  upstreamAttemptDelayMs: 1_000,
  /** Dials of addresses in addition to the first one. Above the limits, the next address is dialled when an earlier one has failed. */
  extraDialsPerDestination: 2,
  extraDialsPerNode: 500,
  /** Source ports that a dial from an exit's address tries if they are in use. */
  sourcePortAttempts: 16,

  exitCheckMs: 1_000,
  /** An exit is lost, and its connections end, after its address was missing for this time. 0 disables this. */
  exitLostMs: 30_000,
  /** Checks of exits that run at once: some 2,000 a minute through exits with a second of latency. */
  exitChecksAtOnce: 32,
  /** The timeout of a check, for all echoes together, and again for the other destinations. The control plane hands a check to another run after 30 s. */
  exitCheckTimeoutMs: 10_000,
  /** The timeout of each test of what an exit carries besides tunnels, and how soon its datagram is repeated. */
  capabilityMs: 3_000,
  stunRepeatMs: 500,
  /** Interval of the calls that report checks and fetch due ones; the shorter one while checks run. */
  exitChecksPollMs: 1_000,
  exitChecksBusyPollMs: 250,
  exitChecksRetryMs: 5_000,
  /** Links that change addresses and are being called, and how long a farm may take to answer. */
  linkCallsAtOnce: 32,
  linkCallMs: 30_000,
  linkResponseBytes: 64 * KIB,
  /** The timeout of the request by which the node finds out whether the echo itself works, and how long the result is used. */
  echoProbeMs: 4_000,
  echoProbeCacheMs: 10_000,
  echoResponseBytes: 16 * KIB,
  /** Networks of destinations to which tunnels through an exit fail, without a success in between, before it is checked at once. */
  suspectDestinations: 3,
  /** Minimum interval between two such checks of an exit. */
  suspectSpacingMs: 10_000,
  /** An exit is not lost, even if its checks fail, within this time of a tunnel that has opened. */
  workingMs: 60_000,
  /** How long the addresses of a name are kept at most. An exit whose name servers fail is noticed after it. */
  nameKeptMs: 60_000,
  namesKeptPerExit: 1_000,
  /** How long it is known that a name has no addresses. */
  missingNameKeptMs: 5_000,
  /** Of each family; an answer over TCP could have thousands. */
  addressesPerName: 32,
  /** How long the addresses of an upstream proxy that has a name are kept. */
  upstreamAddressMs: 30_000,

  /** DNS ports of this node that are open at once; each has a UDP and a TCP socket. */
  dnsPortsPerNode: 1_000,
  /** A client address may use the DNS port of a connection for this time after it has authenticated there. */
  dnsClientMs: 600_000,
  /** Client addresses whose authentication is remembered, per connection; the oldest is evicted. */
  dnsClientsPerConnection: 1_000,
  dnsQuestionsPerSecond: 200,
  dnsQuestionsBurst: 400,
  /** Per client address, because the source of a UDP question may be forged. */
  dnsQuestionsPerSecondPerClient: 50,
  dnsQuestionsBurstPerClient: 200,
  dnsQuestionsInFlight: 64,
  /** The time from a question to its answer, with all attempts at the name servers; for names of destinations, too. */
  dnsAnswerMs: 5_000,
  /** After this silence of a name server, the next one is asked as well, or the same one again. */
  resolverAttemptMs: 2_000,
  dnsTcpClientsPerPort: 16,
  dnsTcpClientsPerNode: 1_000,
  /** Per TCP client; the next question is read after an answer. */
  dnsTcpQuestionsInFlight: 16,
  /** The limit between two complete questions of a TCP client, and for reading its answers. */
  dnsTcpIdleMs: 10_000,
  /** Answers to a TCP client that it has not read; above it, no further question is read. */
  dnsTcpUnreadBytes: 128 * KIB,
  /** Sockets to name servers, of all exits together. */
  dnsUpstreamSockets: 2_000,
  /** Concurrent questions on a TCP connection to a name server; above it, another connection is opened. */
  dnsUpstreamTcpQuestions: 64,
  /** How long such a connection stays open without a question. */
  dnsUpstreamTcpIdleMs: 10_000,
  /** Intervals: opening failed ports again, and requesting the ports of connections that list clients. */
  dnsPortsCheckMs: 1_000,
  dnsPortsRefreshMs: 60_000,
  /** Also the interval until the version of the control plane is known. */
  dnsPortsRetryMs: 1_000,
  /** After a refusal by the control plane, listed clients of the port are not checked again for this time. */
  dnsRefusalMs: 10_000,

  /** Per client network; a /56 has twice and a /48 four times as much. */
  tlsHandshakesPerSecond: 100,
  tlsHandshakesBurst: 500,
  /** Networks whose handshakes are counted; the one that came least recently is forgotten. */
  tlsHandshakeNetworks: 20_000,
  /** Streams of an HTTP/2 client at once: as many as a connection may have tunnels. */
  http2Streams: CONNECTION_TUNNELS_MAX,
  /** What a client may send on a stream before it is read: 10 Mbit/s with a round trip of 200 ms. */
  http2WindowBytes: 256 * KIB,
  /** Of a client; each is answered. Programs send one in some seconds. */
  http2PingsPerSecond: 100,
  http2PingsBurst: 1_000,
  /**
   * Bytes of a client besides those of its streams, beyond as many as its streams carry; each stream counts as some. Heads of browsers have a few
   * KB. What was on its way to streams that are reset is unpaid as well: at once as much as the window of all streams together.
   */
  http2OverheadPerSecond: 256 * KIB,
  http2OverheadBurst: 4 * MIB,
  http2StreamOverhead: 512,
  http2OverheadCheckMs: 250,
  /** How often the files of the certificate are read. */
  certificateCheckMs: 10_000,

  descriptorCheckMs: 1_000,
  /** Minimum interval between log lines about missing descriptors. */
  exhaustionLogMs: 60_000,

  tunnelIdleMs: 600_000,
  halfClosedIdleMs: 120_000,
  /** Between two requests of a persistent HTTP connection, including the head of the second. */
  nextRequestMs: 60_000,
  /** How long the start waits for a port that the predecessor of this process still has. */
  portWaitMs: 5_000,
  /** How long a closing side may take to read the last response. */
  lingerMs: 2_000,
  /** How long a closing tunnel waits until a side reads a counted chunk: 256 KiB at 4 KB/s. */
  flushMs: 60_000,

  updateIntervalMs: 500,
  /** Report interval of connections without traffic while the end watch is active. */
  idleUpdateIntervalMs: 2_000,
  /** How often a report asks for the limits of a connection, which operators may change. */
  connectionLimitsMs: 10_000,
  updateSpacingMs: 5,
  /**
   * The most bytes that pass beyond the last acknowledged total, per connection: what is lost if the gateway is killed.
   * Above the minimum it depends on the rate.
   */
  unacknowledgedBytesMin: 8 * MIB,
  unacknowledgedBytesMax: 64 * MIB,
  updateRetryMs: 2_000,
  controlRequestMs: 5_000,
  /** Calls that check passwords, and as many that check addresses: the control plane serves 256 calls of one network at once. */
  authorizationsAtOnce: 64,
  /** A connection whose report alone is refused is retried after this time. */
  refusedReportMs: 30_000,
  /** Bisection steps per round for a refused batch: enough to find two items among 5,000. */
  refusedReportSplits: 26,
  /** Between two long polls for ended connections. */
  watchSpacingMs: 50,
  /** The maximum backoff if these calls fail or return immediately. */
  watchRetryMs: 2_000,
  /** Interval of the heartbeat, which also refreshes versions and PUBLIC_URL. */
  helloIntervalMs: 60_000,
  helloRetryMs: 5_000,
  /** Longer than a restart of the control plane and its database takes. */
  grantWaitMs: 90_000,
  wantedBytesMin: MIB,
  wantedBytesMax: 256 * MIB,
  /** A connection without tunnels is ended in this run after this time. */
  connectionIdleMs: 600_000,
  /** How long `close` tries to deliver the final totals. */
  lastReportMs: 5_000,

  pumpBuffers: 256,
} as const satisfies Record<string, number>;

export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };
