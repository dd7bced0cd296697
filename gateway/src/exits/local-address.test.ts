import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startNameServer } from '../../test/name-server.ts';
import { freePort } from '../../../tools/ports.mjs';
import { listenLocally, readToEnd } from '../../test/sockets.ts';
import { type DestinationPolicy, isDestinationAllowed } from '../destination-policy.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { parseHost } from '../protocol/host.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import { DialAbort, type ExitStream } from './exit.ts';
import { createGuard } from './destination-guard.ts';
import { createDial } from './dial.ts';
import { LocalAddressExit } from './local-address.ts';
import { SourcePorts } from './source-ports.ts';

const patient: Limits = { ...defaultLimits, dnsAnswerMs: 60_000 };
/** For a name server that is silent for good. */
const impatient: Limits = { ...defaultLimits, resolverAttemptMs: 100, dnsAnswerMs: 200 };
const strict: DestinationPolicy = { isPrivateAllowed: false, isOwnListener: () => false, isReserved: () => false };
const relaxed: DestinationPolicy = { ...strict, isPrivateAllowed: true };
const sourcePorts = new SourcePorts([]);
const hostAddresses = () => new Set<string>();
const upstreamBudget = { socketsMax: 100, sockets: 0, idle: new Set<{ close(): void }>(), onEvent: () => {} };

async function toFailure(dialled: Promise<ExitStream>): Promise<string> {
  const outcome = await dialled.catch((error: unknown) => error);
  return toCause(outcome);
}

describe('the exit from a local address', () => {
  let names: Awaited<ReturnType<typeof startNameServer>>;
  let port: number;
  const seenFrom: (string | undefined)[] = [];

  beforeAll(async () => {
    names = await startNameServer({
      'loopback.test': ['127.0.0.1'],
      'mixed.test': ['10.0.0.1', '127.0.0.1'],
      'second.test': ['127.0.0.9', '127.0.0.1'],
      'empty.test': [],
    });
    ({ port } = await listenLocally((socket) => {
      seenFrom.push(socket.remoteAddress);
      socket.end();
    }));
  });
  afterAll(() => names.stop());

  function dial(
    host: string,
    {
      policy = relaxed,
      address = null as string | null,
      toPort = port,
      abort = new DialAbort(),
      limits = patient,
    } = {},
  ) {
    const parsed = parseHost(host);
    if (!parsed) throw new Error(`${host} is not a host`);
    const exit = new LocalAddressExit({
      address,
      limits,
      nameServers: [names.address],
      sourcePorts,
      hostAddresses,
      upstreamBudget,
    });
    const guard = createGuard((bytes, at) => isDestinationAllowed(policy, bytes, at));
    return createDial({ guard, limits, extraDials: { count: 0 } })(exit, { host: parsed, port: toPort }, abort);
  }

  it('resolves a name and dials its address', async () => {
    const stream = await dial('loopback.test');
    expect(stream.local()?.address).toEqual(Uint8Array.of(127, 0, 0, 1));
    stream.side.close();
  });

  it('tries the next address if the first refuses', async () => {
    const stream = await dial('second.test');
    expect(stream.local()?.address).toEqual(Uint8Array.of(127, 0, 0, 1));
    stream.side.close();
  });

  it('dials no further address after the client has disconnected', async () => {
    const abort = new DialAbort();
    const connect = vi.spyOn(LocalAddressExit.prototype, 'connect').mockImplementation(() => {
      abort.abort();
      return Promise.reject(new TunnelFailure('dial-timeout'));
    });
    // localhost has two addresses: the second must not be tried.
    expect(await toFailure(dial('localhost', { abort }))).toBe('dial-timeout');
    expect(connect).toHaveBeenCalledTimes(1);
    connect.mockRestore();
  });

  it('refuses a name with private addresses', async () => {
    expect(await toFailure(dial('loopback.test', { policy: strict }))).toBe('destination-prohibited');
    expect(await toFailure(dial('mixed.test', { policy: strict }))).toBe('destination-prohibited');
    expect(await toFailure(dial('localhost', { policy: strict }))).toBe('destination-prohibited');
  });

  it('distinguishes an unknown name from a name server timeout', async () => {
    expect(await toFailure(dial('missing.test'))).toBe('name-not-found');
    expect(await toFailure(dial('empty.test'))).toBe('name-not-found');
    expect(await toFailure(dial('silent.test', { limits: impatient }))).toBe('dns-timeout');
  });

  it('sends no query for localhost and special-use names', async () => {
    const before = names.queries.length;
    const { side } = await dial('app.localhost');
    side.close();
    expect(await toFailure(dial('nobody.invalid'))).toBe('name-not-found');
    expect(names.queries.length).toBe(before);
  });

  it('dials from its own address only', async () => {
    seenFrom.length = 0;
    const { side } = await dial('loopback.test', { address: '127.0.0.2' });
    await readToEnd(side);
    expect(seenFrom).toEqual(['127.0.0.2']);
    expect(await toFailure(dial('127.0.0.1', { address: '192.0.2.77' }))).toBe('exit-unavailable');
    expect(await toFailure(dial('loopback.test', { address: '192.0.2.77' }))).toBe('exit-unavailable');
    expect(await toFailure(dial('::1', { address: '127.0.0.2' }))).toBe('network-unreachable');
  });

  it('reports a refused port', async () => {
    expect(await toFailure(dial('loopback.test', { toPort: await freePort() }))).toBe('connection-refused');
  });
});
