/** Names of destinations behind another proxy: resolved through it, and judged here. */
import type { Exit } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openResolver } from '../../test/dns-harness.ts';
import { address, answerTo, question, read, type RecordOptions, TYPE } from '../../test/dns-messages.ts';
import type { Asked } from '../../test/dns-resolver.ts';
import {
  openClient,
  readMetric,
  socks5Connect,
  socks5Greeting,
  socks5Login,
  socks5Request,
  untilGauge,
} from '../../test/gateway-harness.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { resolving, startNode } from '../../test/udp-harness.ts';
import { startHttpUpstream, startSocks5Upstream, type UpstreamSettings } from '../../test/upstream.ts';
import type { GatewaySettings } from '../gateway.ts';

const servers = { socks5: startSocks5Upstream, http: startHttpUpstream } as const;
const kinds = ['socks5', 'http'] as const;
const PORT = 443;
const PUBLIC = '93.184.215.14';
/** What the node's own name server would say. */
const ELSEWHERE = '93.184.215.99';
const ALIAS = 5;
/** Replies of SOCKS5. */
const [SUCCEEDED, PROHIBITED, UNREACHABLE] = [0, 2, 4];

const ipv4 =
  (...addresses: readonly string[]) =>
  ({ message, respond }: Asked) =>
    respond(answerTo(message, read(message).type === TYPE.A ? addresses.map(address) : []));

interface Options {
  readonly kind?: (typeof kinds)[number];
  readonly names?: 'exit' | 'node';
  readonly upstream?: UpstreamSettings;
  readonly settings?: Partial<GatewaySettings>;
}

/**
 * A node with a connection that leaves through another proxy, where the name server of the node's settings is one of its own (`resolver`).
 * Public addresses lead to an echo.
 */
async function start(onQuestion: (asked: Asked) => void, options: Options = {}) {
  const { kind = 'socks5', names = 'exit', upstream: own, settings } = options;
  const nodes = await resolving(() => [ELSEWHERE]);
  const resolver = await openResolver(onQuestion);
  const echo = await listenLocally((socket) => void socket.pipe(socket));
  onTestFinished(() => void echo.server.close());
  const route = (authority: string) => {
    const port = authority === nodes.address ? resolver.address.split(':')[1] : echo.port;
    return { host: '127.0.0.1', port: Number(port) };
  };
  const upstream = await servers[kind]({ route, ...own });
  onTestFinished(upstream.stop);
  const node = await startNode({ allowPrivate: false, nameServers: [nodes.address], ...settings });
  const exit: Exit = { kind, id: randomUUID(), host: '127.0.0.1', port: upstream.port, names };
  const connection = node.control.sell({ exit });
  const connect = async (host: string) => {
    const { client, reply } = await socks5Connect(node.gateway, connection, host, PORT);
    return { client, reply };
  };
  const replyTo = async (host: string) => {
    const { client, reply } = await connect(host);
    client.socket.destroy();
    return reply;
  };
  /** The destinations of tunnels, without those of questions. */
  const dialled = () => upstream.seen.targets.filter((target) => target !== nodes.address);
  const lookups = (outcome: string) => readMetric(node.gateway, 'gateway_exit_names_total', { outcome });
  const asked = (type = TYPE.A) => resolver.asked.filter(({ message }) => read(message).type === type).length;
  /** The node itself resolves names of the shop. */
  const askedOfNode = () => nodes.queries.filter((name) => name.endsWith('.test'));
  return { ...node, exit, connection, connect, replyTo, dialled, lookups, asked, askedOfNode, resolver, upstream };
}

/** Fails soon where no answer comes. */
const SHORT = { limits: { resolverAttemptMs: 100, dnsAnswerMs: 300 } };

describe.each(kinds)('a name behind another proxy (%s)', (kind) => {
  it('is resolved by the name server that is seen through it, over TCP, and the lookup costs nothing', async () => {
    const started = await start(ipv4(PUBLIC), { kind });
    const { client, reply } = await started.connect('shop.test');
    expect(reply).toBe(SUCCEEDED);
    client.socket.end('12345');
    expect((await client.rest()).bytes.toString()).toBe('12345');
    expect(started.dialled()).toEqual([`${PUBLIC}:${PORT}`]);
    expect(new Set(started.resolver.asked.map(({ transport, name }) => `${transport} ${name}`))).toEqual(
      new Set(['tcp shop.test']),
    );
    expect(started.askedOfNode()).toEqual([]);
    await until(() => started.connection.usedBytes === 10);
  });

  it('is resolved by the node where the control plane says so', async () => {
    const started = await start(ipv4(PUBLIC), { kind, names: 'node' });
    expect(await started.replyTo('shop.test')).toBe(SUCCEEDED);
    expect(started.dialled()).toEqual([`${ELSEWHERE}:${PORT}`]);
    expect(started.resolver.asked).toEqual([]);
  });

  it.each(['169.254.169.254', '10.0.0.1', '127.0.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0'])(
    'is refused if its address is %s, and the proxy never hears of it',
    async (privateAddress) => {
      const started = await start(ipv4(privateAddress), { kind });
      expect(await started.replyTo('rebinding.test')).toBe(PROHIBITED);
      expect(started.dialled()).toEqual([]);
    },
  );
});

describe('a name that is resolved through an exit', () => {
  it('is dialled at its public addresses alone', async () => {
    const { replyTo, dialled } = await start(ipv4('10.0.0.1', PUBLIC, '169.254.169.254'));
    expect(await replyTo('mixed.test')).toBe(SUCCEEDED);
    expect(dialled()).toEqual([`${PUBLIC}:${PORT}`]);
  });

  it('is refused where the operator refuses its address, or the name, which is not asked for then', async () => {
    const { control, gateway, replyTo, dialled, asked } = await start(ipv4(PUBLIC));
    await until(() => control.held.size > 0);
    control.refuse(`${PUBLIC}/32`, '.bad.test');
    await expect.poll(() => readMetric(gateway, 'gateway_refused_destinations')).toBe(2);
    expect(await replyTo('www.bad.test')).toBe(PROHIBITED);
    expect(asked()).toBe(0);
    expect(await replyTo('moved.test')).toBe(PROHIBITED);
    expect(dialled()).toEqual([]);
  });

  it('is asked for once by all that want it at once, and not again while it is kept', async () => {
    const held: Asked[] = [];
    const { connect, replyTo, asked, lookups, resolver } = await start((asked) => void held.push(asked));
    const waiting = Array.from({ length: 10 }, () => connect('shop.test'));
    await expect.poll(() => lookups('shared')).toBe(9);
    for (const each of held) ipv4(PUBLIC)(each);
    for (const { client, reply } of await Promise.all(waiting)) {
      expect(reply).toBe(SUCCEEDED);
      client.socket.destroy();
    }
    await expect.poll(() => asked(TYPE.AAAA)).toBe(1);
    for (const each of held.slice(2)) ipv4(PUBLIC)(each);
    expect(await replyTo('shop.test')).toBe(SUCCEEDED);
    expect([asked(), await lookups('found'), await lookups('kept')]).toEqual([1, 1, 1]);
    // Both families over one connection.
    expect(new Set(resolver.asked.map(({ fromPort }) => fromPort)).size).toBe(1);
  });

  it('is resolved for the others when the first that wanted it leaves', async () => {
    const held: Asked[] = [];
    const { gateway, connection, connect, lookups } = await start((asked) => void held.push(asked));
    const leaving = await openClient(gateway.port);
    leaving.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('shop.test', PORT)]));
    await until(() => held.length === 2);
    const staying = connect('shop.test');
    await expect.poll(() => lookups('shared')).toBe(1);
    leaving.socket.destroy();
    await untilGauge(gateway, 'gateway_tunnels', 1);
    for (const each of held) ipv4(PUBLIC)(each);
    const { client, reply } = await staying;
    expect(reply).toBe(SUCCEEDED);
    client.socket.destroy();
  });

  it('is known not to exist for a while, but no failure is kept', async () => {
    const REFUSED = 0x8185;
    const { replyTo, asked } = await start(({ message, name, respond }) =>
      respond(answerTo(message, [], name === 'missing.test' ? 0x8183 : REFUSED)),
    );
    for (let count = 0; count < 2; count += 1) expect(await replyTo('missing.test')).toBe(UNREACHABLE);
    expect(asked()).toBe(1);
    for (let count = 0; count < 2; count += 1) expect(await replyTo('refused.test')).toBe(UNREACHABLE);
    // Each asks the only name server twice, as it refuses.
    expect(asked()).toBe(1 + 2);
  });

  it('may have an alias, which counts for how long it is kept', async () => {
    const alias: RecordOptions = { type: ALIAS, ttlSeconds: 0, data: Buffer.from([0]) };
    const { replyTo, asked } = await start(({ message, respond }) =>
      respond(answerTo(message, [alias, address(PUBLIC)])),
    );
    for (let count = 0; count < 2; count += 1) expect(await replyTo('alias.test')).toBe(SUCCEEDED);
    expect(asked()).toBe(2);
  });

  it('may have IPv6 addresses alone, which the proxy is asked for', async () => {
    const ipv6 = { type: TYPE.AAAA, data: Buffer.from('26064700000000000000000000001111', 'hex') };
    const { replyTo, dialled } = await start(({ message, respond }) =>
      respond(answerTo(message, read(message).type === TYPE.AAAA ? [ipv6] : [])),
    );
    expect(await replyTo('six.test')).toBe(SUCCEEDED);
    expect(dialled()).toEqual([`[2606:4700::1111]:${PORT}`]);
  });

  it('may have thousands of addresses', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `93.184.${index >> 8}.${index & 255}`);
    const { replyTo, dialled } = await start(ipv4(...many));
    expect(await replyTo('many.test')).toBe(SUCCEEDED);
    expect(dialled()).toEqual([`93.184.0.0:${PORT}`]);
  });

  it('is not asked for where the client sends an address', async () => {
    const { replyTo, resolver, askedOfNode } = await start(ipv4(PUBLIC));
    expect(await replyTo(PUBLIC)).toBe(SUCCEEDED);
    expect([resolver.asked, askedOfNode()]).toEqual([[], []]);
  });
});

const other = (asked: Asked) => answerTo(question('other.test', { id: read(asked.message).id }), [address(PUBLIC)]);
const otherId = ({ message }: Asked) => {
  const answer = answerTo(message, [address(PUBLIC)]);
  answer.writeUInt16BE(answer.readUInt16BE(0) ^ 1, 0);
  return answer;
};

describe('a lookup through an exit ends', () => {
  it.each([
    ['is silent', () => {}],
    ['closes the connection', ({ socket }: Asked) => void socket?.destroy()],
    ['answers with garbage', ({ respond }: Asked) => respond(Buffer.alloc(700, 0xff))],
    ['answers with less than a header', ({ respond }: Asked) => respond(Buffer.alloc(1))],
    ['answers another question', (asked: Asked) => asked.respond(other(asked))],
    ['answers with another id', (asked: Asked) => asked.respond(otherId(asked))],
    ['promises a message and sends none', ({ socket }: Asked) => void socket?.write(Buffer.from([0xff, 0xff, 1]))],
  ])('if the name server %s, without a tunnel, and leaves no socket', async (_, onQuestion) => {
    const { gateway, replyTo, dialled, lookups, resolver } = await start(onQuestion, { settings: SHORT });
    expect(await replyTo('name.test')).toBe(UNREACHABLE);
    expect([dialled(), await lookups('failed')]).toEqual([[], 1]);
    expect(resolver.asked.length).toBeGreaterThan(0);
    await untilGauge(gateway, 'gateway_dns_upstream_sockets', 0);
  });

  it('if the proxy accepts the connection to the name server and then says nothing', async () => {
    const { gateway, replyTo, lookups } = await start(ipv4(PUBLIC), {
      upstream: { reply: Buffer.alloc(0) },
      settings: SHORT,
    });
    expect(await replyTo('name.test')).toBe(UNREACHABLE);
    expect(await lookups('failed')).toBe(1);
    await untilGauge(gateway, 'gateway_dns_upstream_sockets', 0);
  });

  it('if the proxy refuses connections to name servers', async () => {
    const upstream = {
      reply: Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]),
      afterReply: (socket: Socket) => void socket.end(),
    };
    const { replyTo } = await start(ipv4(PUBLIC), { upstream, settings: SHORT });
    expect(await replyTo('name.test')).toBe(UNREACHABLE);
  });
});
