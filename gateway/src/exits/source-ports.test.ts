import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenLocally, readToEnd } from '../../test/sockets.ts';
import { defaultLimits } from '../limits.ts';
import { toCause } from '../statuses.ts';
import { DialAbort } from './exit.ts';
import { LocalAddressExit } from './local-address.ts';
import { readEphemeralPorts, SourcePorts } from './source-ports.ts';

const ADDRESS = '127.0.0.3';
const LINUX = { first: 32_768, last: 60_999 };
const DNS_PORTS = { first: 20_000, last: 20_999 };

const sequence = (ports: SourcePorts, address: string) => Array.from({ length: 8 }, () => ports.next(address));

function cycle(ports: readonly number[]) {
  const calls = { count: 0 };
  return { calls, next: () => ports[calls.count++ % ports.length]! };
}

describe('source ports', () => {
  it('are outside the ephemeral range and the DNS ports, and each is used once per cycle', () => {
    const ports = new SourcePorts([DNS_PORTS], LINUX);
    const round = Array.from({ length: 26_064 }, () => ports.next(ADDRESS));
    expect(new Set(round).size).toBe(round.length);
    expect(round.filter((port) => port < 10_240 || (port >= 20_000 && port <= 20_999))).toEqual([]);
    expect(round.filter((port) => port >= LINUX.first && port <= LINUX.last)).toEqual([]);
    expect(Array.from({ length: round.length }, () => ports.next(ADDRESS))).toEqual(round);
  });

  it('cannot be predicted from the previous port, and differ between addresses and processes', () => {
    const [one, other] = [new SourcePorts([], LINUX), new SourcePorts([], LINUX)];
    const first = sequence(one, ADDRESS);
    expect(first.every((port, index) => index === 0 || port === first[index - 1]! + 1)).toBe(false);
    expect(sequence(one, '127.0.0.4')).not.toEqual(first);
    expect(sequence(other, ADDRESS)).not.toEqual(first);
  });

  it('include the ephemeral range if it leaves too few other ports', () => {
    const ports = new SourcePorts([DNS_PORTS], { first: 1_024, last: 65_535 });
    expect(new Set(Array.from({ length: 54_296 }, () => ports.next(ADDRESS))).size).toBe(54_296);
  });

  it('assume the default ephemeral range if the system does not expose it', () => {
    expect(readEphemeralPorts('/nonexistent')).toEqual({ first: 32_768, last: 65_535 });
  });
});

describe('an exit with an address', () => {
  const servers: Server[] = [];
  const seenPorts: number[] = [];
  let port: number;

  beforeAll(async () => {
    const origin = await listenLocally((socket) => {
      seenPorts.push(socket.remotePort ?? 0);
      socket.end();
    });
    servers.push(origin.server);
    ({ port } = origin);
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  const open = (sourcePorts: Pick<SourcePorts, 'next'>) => {
    const exit = new LocalAddressExit({
      address: ADDRESS,
      limits: { ...defaultLimits, sourcePortAttempts: 3 },
      nameServers: undefined,
      sourcePorts,
      hostAddresses: () => new Set(),
      upstreamBudget: { socketsMax: 1, sockets: 0, idle: new Set(), onEvent: () => {} },
    });
    const destination = { address: Uint8Array.of(127, 0, 0, 1), port };
    return exit.connect(destination, defaultLimits.dialMs, new DialAbort());
  };

  /** Ports with a listener at the exit's address. */
  async function takenPorts(count: number): Promise<number[]> {
    const taken: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const server = createServer().listen(0, ADDRESS);
      await once(server, 'listening');
      servers.push(server);
      taken.push((server.address() as { port: number }).port);
    }
    return taken;
  }

  it('uses its own port sequence instead of the ephemeral range', async () => {
    const ephemeral = readEphemeralPorts();
    const sourcePorts = new SourcePorts([], ephemeral);
    seenPorts.length = 0;
    for (let index = 0; index < 20; index += 1) {
      const { side } = await open(sourcePorts);
      await readToEnd(side);
    }
    expect(seenPorts.filter((each) => each >= ephemeral.first && each <= ephemeral.last)).toEqual([]);
    expect(new Set(seenPorts).size).toBe(20);
  });

  it('skips a port in use', async () => {
    const [taken] = await takenPorts(1);
    const free = new SourcePorts([]).next(ADDRESS);
    seenPorts.length = 0;
    const { side } = await open(cycle([taken!, free]));
    await readToEnd(side);
    expect(seenPorts).toEqual([free]);
  });

  it('skips a port that is connected to the same destination', async () => {
    const sourcePorts = new SourcePorts([]);
    const [used, free] = [sourcePorts.next(ADDRESS), sourcePorts.next(ADDRESS)];
    const holder = connect({ host: '127.0.0.1', port, localAddress: ADDRESS, localPort: used, allowHalfOpen: true });
    await once(holder, 'connect');
    const stream = await open(cycle([used, free]));
    expect(stream.local()?.port).toBe(free);
    stream.side.close();
    holder.destroy();
  });

  it('fails after a few ports in use', async () => {
    const ports = cycle(await takenPorts(2));
    const failure: unknown = await open(ports).catch((error: unknown) => error);
    expect(toCause(failure)).toBe('exit-unavailable');
    expect(ports.calls.count).toBe(3);
  });
});
