import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answerAll, openResolver } from '../../test/dns-harness.ts';
import { address, answerTo, question, read, type RecordOptions, TYPE } from '../../test/dns-messages.ts';
import type { Asked } from '../../test/dns-resolver.ts';
import { freePort } from '../../../tools/ports.mjs';
import { defaultLimits, type Limits } from '../limits.ts';
import { addressText } from '../protocol/host.ts';
import { toCause } from '../statuses.ts';
import { DialAbort } from './exit.ts';
import { LocalAddressExit } from './local-address.ts';
import { SourcePorts } from './source-ports.ts';

const REFUSED = 0x8185;
const SERVER_FAILURE = 0x8182;
/** Longer than one attempt. */
const SLOW_MS = 3_500;

const typeOf = ({ message }: Asked) => read(message).type;
/** Answers questions for IPv4 addresses; there are no IPv6 addresses. */
const answerIpv4 = (asked: Asked, text = '192.0.2.7') =>
  asked.respond(answerTo(asked.message, typeOf(asked) === TYPE.A ? [address(text)] : []));

function openExit(nameServers: readonly string[], limits: { readonly [Name in keyof Limits]?: number } = {}) {
  const exit = new LocalAddressExit({
    address: null,
    nameServers,
    limits: { ...defaultLimits, ...limits },
    sourcePorts: new SourcePorts([]),
    hostAddresses: () => new Set(),
    upstreamBudget: { socketsMax: 100, sockets: 0, idle: new Set<{ close(): void }>(), onEvent: () => {} },
  });
  return async (name: string) => {
    const resolve = async () => exit.resolve(name, new DialAbort());
    const outcome = await resolve().catch(toCause);
    return typeof outcome === 'string' ? outcome : outcome.map(addressText);
  };
}

describe('a name', () => {
  it('whose answer takes 3.5 s is resolved, also after and during many fast ones', async () => {
    const timers: NodeJS.Timeout[] = [];
    onTestFinished(() => timers.forEach(clearTimeout));
    const resolver = await openResolver((asked) => {
      if (asked.name === 'slow.test') timers.push(setTimeout(() => answerIpv4(asked), SLOW_MS));
      else answerIpv4(asked);
    });
    const resolve = openExit([resolver.address], { dnsAnswerMs: 60_000 });
    for (let count = 0; count < 100; count += 1) expect(await resolve(`fast${count}.test`)).toEqual(['192.0.2.7']);
    const slow = resolve('slow.test');
    const busy = setInterval(() => void resolve('busy.test'), 20);
    expect(await slow).toEqual(['192.0.2.7']);
    clearInterval(busy);
    // A and AAAA, each asked again after two seconds.
    expect(resolver.asked.filter(({ name }) => name === 'slow.test')).toHaveLength(4);
  });

  it('has the addresses of the answer, not those of other sections', async () => {
    const resolver = await openResolver(({ message, respond }) => {
      const answer = answerTo(message, [address('192.0.2.1'), address('192.0.2.2'), address('192.0.2.66')]);
      // The last record moves to the additional section.
      answer.writeUInt16BE(2, 6);
      answer.writeUInt16BE(1, 10);
      respond(answer);
    });
    expect(await openExit([resolver.address])('a.test')).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('is asked over TCP if the answer is truncated', async () => {
    const resolver = await openResolver((asked) => {
      if (asked.transport === 'udp') asked.respond(answerTo(asked.message, [], 0x8380));
      else answerIpv4(asked, '192.0.2.9');
    });
    expect(await openExit([resolver.address])('a.test')).toEqual(['192.0.2.9']);
  });

  it('is resolved by a name server that changes its spelling, over TCP', async () => {
    const resolver = await openResolver((asked) => {
      const { id, type } = read(asked.message);
      answerIpv4({ ...asked, message: question('a.test', { id, type }) });
    });
    expect(await openExit([resolver.address])('a.test')).toEqual(['192.0.2.7']);
    expect(resolver.asked.some(({ transport }) => transport === 'tcp')).toBe(true);
  });

  it.each([
    ['refuses', REFUSED],
    ['fails', SERVER_FAILURE],
  ])('is asked of the next name server if the first %s', async (_, flags) => {
    const failing = await openResolver(({ message, respond }) => respond(answerTo(message, [], flags)));
    const working = await openResolver(answerIpv4);
    expect(await openExit([failing.address, working.address])('a.test')).toEqual(['192.0.2.7']);
    expect(await openExit([failing.address, failing.address])('a.test')).toBe('name-not-found');
  });

  it('is not lost when the next name server refuses before the first has answered', async () => {
    const held: Asked[] = [];
    const slow = await openResolver((asked) => void held.push(asked));
    const refusing = await openResolver(({ message, respond }) => {
      respond(answerTo(message, [], REFUSED));
      for (const asked of held.splice(0)) setTimeout(() => answerIpv4(asked), 100);
    });
    const resolve = openExit([slow.address, refusing.address], { resolverAttemptMs: 100, dnsAnswerMs: 60_000 });
    expect(await resolve('a.test')).toEqual(['192.0.2.7']);
    expect(refusing.asked.length).toBeGreaterThan(0);
  });

  it('times out if no name server answers, whether they are silent or refuse the connection', async () => {
    const silent = await openResolver(() => {});
    const limits = { resolverAttemptMs: 100, dnsAnswerMs: 200 };
    expect(await openExit([silent.address], limits)('a.test')).toBe('dns-timeout');
    expect(await openExit([`127.0.0.1:${await freePort()}`], limits)('a.test')).toBe('dns-timeout');
  });

  it('can be resolved while the node may open no more sockets, over those that it has', async () => {
    const resolver = await openResolver(answerAll);
    const budget = { socketsMax: 1, sockets: 0, idle: new Set<{ close(): void }>(), onEvent: () => {} };
    const exit = new LocalAddressExit({
      address: null,
      nameServers: [resolver.address],
      limits: defaultLimits,
      sourcePorts: new SourcePorts([]),
      hostAddresses: () => new Set(),
      upstreamBudget: budget,
    });
    const names = Array.from({ length: 100 }, (_, index) => `name${index}.test`);
    const resolved = await Promise.all(names.map(async (name) => exit.resolve(name, new DialAbort())));
    expect(resolved.map((list) => list.length > 0)).not.toContain(false);
    expect(budget.sockets).toBe(1);
    exit.close();
  });
});

/** @param refusedType questions of this type fail */
async function openCounted(
  records: readonly RecordOptions[],
  limits: Parameters<typeof openExit>[1] = {},
  refusedType = 0,
) {
  const resolver = await openResolver(({ message, respond }) => {
    const { type } = read(message);
    if (type === refusedType) respond(answerTo(message, [], SERVER_FAILURE));
    else respond(answerTo(message, type === TYPE.A ? records : []));
  });
  const resolve = openExit([resolver.address], limits);
  /** How often the IPv4 addresses of the name were asked for. */
  const asked = (name = 'a.test') =>
    resolver.asked.filter((each) => each.name === name && typeOf(each) === TYPE.A).length;
  return { resolve, asked };
}

describe('the addresses of a name', () => {
  const ALIAS = 5;

  it('are asked for again when the shortest of its records has expired', async () => {
    const alias = { type: ALIAS, ttlSeconds: 30, data: Buffer.from([0]) };
    const { resolve, asked } = await openCounted([alias, address('192.0.2.7')]);
    expect(await resolve('a.test')).toEqual(['192.0.2.7']);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 29_000);
    onTestFinished(() => clock.mockRestore());
    expect(await resolve('a.test')).toEqual(['192.0.2.7']);
    expect(asked()).toBe(1);
    clock.mockReturnValue(now + 30_001);
    expect(await resolve('a.test')).toEqual(['192.0.2.7']);
    expect(asked()).toBe(2);
  });

  it.each([
    ['may not be kept', 0, {}, 0],
    ['have a negative time to live', 0x80_00_00_01, {}, 0],
    ['are kept for no time by the limit', 60, { nameKeptMs: 0 }, 0],
    ['may be incomplete, because the other family failed', 60, {}, TYPE.AAAA],
  ])('are asked for each time if they %s', async (_, ttlSeconds, limits, refusedType) => {
    const { resolve, asked } = await openCounted([{ ...address('192.0.2.7'), ttlSeconds }], limits, refusedType);
    for (let count = 0; count < 2; count += 1) expect(await resolve('a.test')).toEqual(['192.0.2.7']);
    expect(asked()).toBe(2);
  });

  it('are kept when those of the other family come late', async () => {
    const late: Asked[] = [];
    const resolver = await openResolver((asked) => {
      if (typeOf(asked) === TYPE.AAAA) late.push(asked);
      else answerIpv4(asked);
    });
    const resolve = openExit([resolver.address], { dnsAnswerMs: 60_000 });
    expect(await resolve('a.test')).toEqual(['192.0.2.7']);
    const ipv6 = { type: TYPE.AAAA, data: Buffer.from('20010db8000000000000000000000001', 'hex') };
    for (const { message, respond } of late) respond(answerTo(message, [ipv6]));
    await expect.poll(() => resolve('a.test')).toEqual(['192.0.2.7', '2001:db8::1']);
  });

  it('are a few of each family, even if there are thousands', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => address(`192.0.${index >> 8}.${index & 255}`));
    const resolver = await openResolver(({ message, transport, respond }) => {
      if (transport === 'udp') respond(answerTo(message, [], 0x8380));
      else respond(answerTo(message, typeOf({ message } as Asked) === TYPE.A ? many : []));
    });
    expect(await openExit([resolver.address])('a.test')).toHaveLength(32);
  });

  it('are kept for a limited number of names', async () => {
    const { resolve, asked } = await openCounted([address('192.0.2.7')], { namesKeptPerExit: 2 });
    for (const name of ['a.test', 'b.test', 'b.test', 'c.test', 'b.test', 'a.test']) await resolve(name);
    expect(['a.test', 'b.test', 'c.test'].map(asked)).toEqual([2, 1, 1]);
  });
});
