import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connect } from 'node:net';
import { openResolver } from '../../test/dns-harness.ts';
import { address, answerTo, framed, question, read } from '../../test/dns-messages.ts';
import type { Asked } from '../../test/dns-resolver.ts';
import { freePort } from '../../../tools/ports.mjs';
import { HeldTimers } from '../../test/held-timers.ts';
import { until } from '../../test/sockets.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { parseQuery } from '../protocol/dns.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import { DnsUpstream } from './dns-upstream.ts';
import type { UpstreamBudget } from './query-connections.ts';
import type { UpstreamEvent } from './query-socket.ts';

/** The address in answers that must not be delivered. */
const FORGED = '198.51.100.66';
const answering = ({ name, message }: Asked) => answerTo(message, [address(`192.0.2.${name.split('.')[0]}`)]);
const answerAll = (asked: Asked) => asked.respond(answering(asked));

/** An exit that reaches its name server only over TCP. */
async function openUpstream(
  onQuestion: (asked: Asked) => void,
  limits: { readonly [Name in keyof Limits]?: number } = {},
  nameServer?: string,
  shared?: UpstreamBudget,
) {
  const resolver = await openResolver(onQuestion);
  const events: UpstreamEvent[] = [];
  const budget: UpstreamBudget = shared ?? {
    socketsMax: 100,
    sockets: 0,
    idle: new Set(),
    onEvent: (event) => events.push(event),
  };
  const upstream = new DnsUpstream({
    address: null,
    nameServers: [nameServer ?? resolver.address],
    limits: { ...defaultLimits, ...limits },
    budget,
    isTcpOnly: true,
    dial: ({ host, port }) =>
      new Promise((fulfil, reject) => {
        const socket = connect({ host, port, allowHalfOpen: true }, () => fulfil(socket));
        socket.pause().on('error', () => reject(new TunnelFailure('connection-refused')));
      }),
  });
  onTestFinished(() => upstream.close());
  /** @returns the address of the answer, or the reason of the failure */
  const ask = async (name: string): Promise<string | undefined> => {
    const parsed = parseQuery(question(name));
    if (parsed.kind !== 'query') throw new Error(`${name} is not a question`);
    const outcome = await upstream.ask(parsed.query, { needsWhole: false }).catch(toCause);
    if (typeof outcome === 'string') return outcome;
    expect(read(outcome.message).name.toLowerCase()).toBe(name);
    return read(outcome.message).address;
  };
  const askAll = (count: number) => Promise.all(numbers(count).map((number) => ask(`${number}.test`)));
  return { resolver, events, budget, upstream, ask, askAll };
}

afterEach(() => void vi.restoreAllMocks());

/** No other timer takes as long. */
const HELD_MS = 1_234_567;
const heldLimits = { resolverAttemptMs: HELD_MS, dnsAnswerMs: HELD_MS };

/** Of each attempt, in this order: the one for its answer, that for its silence, and that for the next attempt. */
function holdTimers(): HeldTimers {
  // What is left of the time for an answer is all of it.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  return new HeldTimers(HELD_MS);
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const addresses = (count: number) => numbers(count).map((number) => `192.0.2.${number}`);
const connections = (asked: readonly Asked[]) => new Set(asked.map(({ fromPort }) => fromPort)).size;

function withId(message: Buffer, { message: other }: Asked, flipped = 0): Buffer {
  const changed = Buffer.from(message);
  changed.writeUInt16BE(other.readUInt16BE(0) ^ flipped, 0);
  return changed;
}

describe('the connection to a name server over TCP', () => {
  it('carries many questions at once, whose answers come in any order', async () => {
    const held: Asked[] = [];
    const { resolver, budget, askAll } = await openUpstream((asked) => {
      held.push(asked);
      if (held.length === 20) for (const each of held.toReversed()) answerAll(each);
    });
    expect(await askAll(20)).toEqual(addresses(20));
    expect(connections(resolver.asked)).toBe(1);
    expect(budget.sockets).toBe(1);
  });

  it('is used again for the next question, and closes when it is idle', async () => {
    const { resolver, budget, ask } = await openUpstream(answerAll, { dnsUpstreamTcpIdleMs: 100 });
    for (const number of numbers(3)) expect(await ask(`${number}.test`)).toBe(`192.0.2.${number}`);
    expect(connections(resolver.asked)).toBe(1);
    await until(() => budget.sockets === 0);
    expect(await ask('4.test')).toBe('192.0.2.4');
    expect(connections(resolver.asked)).toBe(2);
  });

  it('is joined by another one when it is full, within the socket limit of the node', async () => {
    const held: Asked[] = [];
    const { resolver, askAll } = await openUpstream(
      (asked) => {
        held.push(asked);
        if (held.length === 5) for (const each of held) answerAll(each);
      },
      { dnsUpstreamTcpQuestions: 2 },
    );
    expect(await askAll(5)).toEqual(addresses(5));
    expect(connections(resolver.asked)).toBe(3);
  });

  it('accepts answers that are split at every byte, and several in one segment', async () => {
    const held: Asked[] = [];
    const { askAll } = await openUpstream((asked) => {
      held.push(asked);
      if (held.length < 3) return;
      const bytes = framed(...held.map(answering));
      const { socket } = asked;
      socket?.setNoDelay(true);
      const sendNext = (at: number) => {
        // The second and third answers arrive with the last byte of the first.
        const isSplit = at < answering(held[0]!).length;
        socket?.write(bytes.subarray(at, isSplit ? at + 1 : bytes.length), () => {
          if (isSplit) setImmediate(sendNext, at + 1);
        });
      };
      sendNext(0);
    });
    expect(await askAll(3)).toEqual(addresses(3));
  });

  it('is replaced for each question that it left unanswered, when the name server closes after each answer', async () => {
    const served = new Set<number>();
    const { resolver, budget, askAll, ask } = await openUpstream((asked) => {
      if (served.has(asked.fromPort)) return;
      served.add(asked.fromPort);
      answerAll(asked);
      asked.socket?.end();
    });
    expect(await askAll(10)).toEqual(addresses(10));
    // One for all, and then one for each of the other nine.
    expect(connections(resolver.asked)).toBe(10);
    await until(() => budget.sockets === 0);
    expect(await ask('11.test')).toBe('192.0.2.11');
  });

  it('is replaced only once: a name server that only closes connections has failed', async () => {
    const { resolver, budget, ask } = await openUpstream(({ socket }) => socket?.destroy());
    expect(await ask('1.test')).toBe('dns-timeout');
    // Two attempts, with two connections each.
    expect(connections(resolver.asked)).toBe(4);
    expect(budget.sockets).toBe(0);
  });

  it('fails a question that stalls, no other, and carries no further ones', async () => {
    const timers = holdTimers();
    const held: Asked[] = [];
    const { resolver, events, ask } = await openUpstream((asked) => {
      if (asked.name === 'stalls.test') held.push(asked);
      else answerAll(asked);
    }, heldLimits);
    const stalled = ask('stalls.test');
    await until(() => held.length === 1);
    expect(await ask('1.test')).toBe('192.0.2.1');
    expect(connections(resolver.asked)).toBe(1);
    const [failFirst, passSilence, tryAgain] = [timers.at(0), timers.at(1), timers.at(2)];
    passSilence();
    tryAgain();
    await until(() => held.length === 2);
    failFirst();
    timers.first()();
    expect(await stalled).toBe('dns-timeout');
    expect(await ask('2.test')).toBe('192.0.2.2');
    expect(connections(held)).toBe(2);
    expect(resolver.asked.at(-1)?.fromPort).not.toBe(held.at(-1)?.fromPort);
    expect(events.filter((event) => event === 'timeout')).toHaveLength(2);
  });

  it('never delivers an answer with the id of another question, or of none', async () => {
    const timers = holdTimers();
    const held: Asked[] = [];
    const { budget, events, resolver, askAll } = await openUpstream((asked) => {
      held.push(asked);
      const [one, two] = held.splice(0, held.length === 2 ? 2 : 0);
      if (!one || !two) return;
      const forged = answerTo(one.message, [address(FORGED)]);
      one.respond(withId(forged, one, 1));
      one.respond(withId(forged, two));
      one.respond(forged.subarray(0, 1));
      one.respond(answering(one));
    }, heldLimits);
    // The first question is answered after the forgeries; the second one failed by its forged answer, and nobody answers it again.
    const outcomes = askAll(2);
    await until(() => resolver.asked.length === 3 && timers.running === 2);
    timers.first()();
    expect(await outcomes).toEqual(['192.0.2.1', 'dns-timeout']);
    expect(events.filter((event) => event === 'unexpected')).toHaveLength(2);
    expect(events.filter((event) => event === 'mismatch')).toHaveLength(1);
    await until(() => budget.sockets === 0);
  });

  it('carries further questions when the answer to a slow one has come', async () => {
    const timers = holdTimers();
    const held: Asked[] = [];
    const { resolver, budget, ask } = await openUpstream((asked) => {
      if (asked.name === '1.test') held.push(asked);
      else answerAll(asked);
    }, heldLimits);
    const slow = ask('1.test');
    await until(() => held.length === 1);
    const passSilence = timers.at(1);
    passSilence();
    expect(await ask('2.test')).toBe('192.0.2.2');
    // While nothing is known of the first connection, another one is used.
    expect(connections(resolver.asked)).toBe(2);
    answerAll(held[0]!);
    expect(await slow).toBe('192.0.2.1');
    for (const number of numbers(3)) await ask(`${number + 2}.test`);
    expect([connections(resolver.asked), budget.sockets]).toEqual([2, 2]);
    expect(resolver.asked.at(-1)?.fromPort).toBe(held[0]!.fromPort);
  });

  it('gives way to that of another exit, without a question, where the node may have no more', async () => {
    const [one, other] = [await openUpstream(answerAll), await openUpstream(answerAll)];
    expect(await one.ask('1.test')).toBe('192.0.2.1');
    expect(one.budget.idle.size).toBe(1);
    const budget = Object.assign(one.budget, { socketsMax: 1 });
    const third = await openUpstream(answerAll, {}, other.resolver.address, budget);
    expect(await third.ask('2.test')).toBe('192.0.2.2');
    expect([budget.sockets, budget.idle.size]).toEqual([1, 1]);
    // Not while it is in use.
    const held = await openUpstream(() => {}, {}, undefined, budget);
    const waiting = held.ask('3.test');
    await until(() => held.resolver.asked.length === 1);
    expect(await third.ask('4.test')).toBe('exit-unavailable');
    held.upstream.close();
    await waiting;
  });

  it('that cannot be opened fails all questions that wait for it', async () => {
    const { budget, askAll } = await openUpstream(answerAll, {}, `127.0.0.1:${await freePort()}`);
    expect(await askAll(3)).toEqual(numbers(3).map(() => 'dns-timeout'));
    await until(() => budget.sockets === 0);
  });

  it('fails its questions when the exit closes', async () => {
    const { resolver, budget, upstream, ask } = await openUpstream(() => {});
    const asked = ask('1.test');
    await until(() => resolver.asked.length === 1);
    upstream.close();
    // Its second attempt opens another one.
    await until(() => resolver.asked.length === 2);
    upstream.close();
    expect(await asked).toBe('exit-unavailable');
    expect(budget.sockets).toBe(0);
  });
});
