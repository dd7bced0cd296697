/** @module-tag thorough */
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  answerAll,
  counted,
  openDnsClient,
  openTcp,
  startReadyNode,
  takeMessage,
  untilDropped,
} from '../../test/dns-harness.ts';
import { answerTo, framed, readName, question, read, text, TYPE } from '../../test/dns-messages.ts';
import type { Asked } from '../../test/dns-resolver.ts';
import { untilGauge } from '../../test/gateway-harness.ts';
import { until } from '../../test/sockets.ts';

const UNLIMITED = {
  dnsQuestionsPerSecond: 1e9,
  dnsQuestionsBurst: 1e9,
  dnsQuestionsPerSecondPerClient: 1e9,
  dnsQuestionsBurstPerClient: 1e9,
};

/** Holds the questions whose name starts with "slow" until they are released, and answers all others. */
function holding() {
  const held: Asked[] = [];
  let isReleased = false;
  const onQuestion = (asked: Asked) => {
    if (asked.name.startsWith('slow') && !isReleased) held.push(asked);
    else answerAll(asked);
  };
  const release = () => {
    isReleased = true;
    held.forEach(answerAll);
  };
  return { held, onQuestion, release };
}

describe('a TCP client of a DNS port', () => {
  it('gets answers as soon as they arrive, not in the order of its questions', async () => {
    const { held, onQuestion, release } = holding();
    const node = await startReadyNode(onQuestion);
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(framed(question('slow.test', { id: 1 }), question('fast.test', { id: 2 })));
    expect(read(await takeMessage(tcp))).toMatchObject({ id: 2, name: 'fast.test' });
    await until(() => held.length === 1);
    release();
    expect(read(await takeMessage(tcp))).toMatchObject({ id: 1, name: 'slow.test' });
  });

  it('may split its questions at any byte', async () => {
    const node = await startReadyNode();
    const tcp = openTcp(node.dnsPort);
    const bytes = framed(question('one.test', { id: 1 }), question('two.test', { id: 2 }));
    for (let at = 0; at < bytes.length; at += 1) {
      tcp.socket.write(bytes.subarray(at, at + 1));
      await new Promise(setImmediate);
    }
    const ids = [read(await takeMessage(tcp)).id, read(await takeMessage(tcp)).id];
    expect(new Set(ids)).toEqual(new Set([1, 2]));
  });

  it('has a limit of questions in flight; the rest waits and is answered', async () => {
    const { held, onQuestion, release } = holding();
    const node = await startReadyNode(onQuestion, { limits: { dnsTcpQuestionsInFlight: 4 } });
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(framed(...Array.from({ length: 10 }, (_, id) => question('slow.test', { id }))));
    await until(() => held.length === 4);
    const other = await openDnsClient(node.dnsPort);
    await other.ask(question('other.test'));
    expect(held).toHaveLength(4);
    release();
    const ids: number[] = [];
    while (ids.length < 10) ids.push(read(await takeMessage(tcp)).id);
    expect(ids.toSorted((one, next) => one - next)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('that asks too fast is read more slowly, and loses nothing', async () => {
    const node = await startReadyNode(answerAll, {
      limits: { dnsQuestionsPerSecondPerClient: 50, dnsQuestionsBurstPerClient: 2 },
    });
    const tcp = openTcp(node.dnsPort);
    const startedAt = performance.now();
    tcp.socket.write(framed(...Array.from({ length: 12 }, (_, id) => question('one.test', { id }))));
    for (let count = 0; count < 12; count += 1) await takeMessage(tcp);
    // Ten questions beyond the burst.
    expect(performance.now() - startedAt).toBeGreaterThan(190);
    expect(await counted(node, 'gateway_dns_dropped_total', {})).toBe(0);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a part of a length', Buffer.from([0])],
    ['a part of a question', framed(question('one.test')).subarray(0, -1)],
  ])('that sends %s is closed after the idle time', async (_, bytes) => {
    const node = await startReadyNode(answerAll, { limits: { dnsTcpIdleMs: 100 } });
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(bytes);
    expect(await tcp.rest()).toMatchObject({ end: 'reset', bytes: Buffer.alloc(0) });
    await untilDropped(node, 'idle');
    await untilGauge(node.gateway, 'gateway_dns_tcp_clients', 0);
  });

  it('that waits for an answer does not count as idle', async () => {
    const { held, onQuestion, release } = holding();
    const node = await startReadyNode(onQuestion, { limits: { dnsTcpIdleMs: 1000 } });
    const waiting = openTcp(node.dnsPort);
    waiting.socket.write(framed(question('slow.test')));
    await until(() => held.length === 1);
    // Both have been open for longer than the idle time then.
    const idle = openTcp(node.dnsPort);
    expect((await idle.rest()).end).toBe('reset');
    release();
    expect(read(await takeMessage(waiting))).toMatchObject({ name: 'slow.test', answers: 1 });
  });

  it('that does not read answers gets no more questions read, and is closed after the idle time', async () => {
    const questions = 4_000;
    const node = await startReadyNode(({ message, respond }) => respond(answerTo(message, [text(30_000)])), {
      // More answers of this size at once would not fit into the buffer of a UDP socket, and a question without an answer closes the client.
      limits: { ...UNLIMITED, dnsTcpIdleMs: 300, dnsTcpQuestionsInFlight: 2 },
    });
    const socket = connect({ port: node.dnsPort, host: '127.0.0.1' });
    // The gateway leaves questions unread, so the system resets the connection. `once` would reject with that error.
    socket.on('error', () => {});
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(framed(...Array.from({ length: questions }, (_, id) => question('one.test', { id, type: TYPE.TXT }))));
    await untilDropped(node, 'idle');
    // Only as much as the system buffers for the client: all answers would be 120 MB.
    expect(node.resolver.asked.length).toBeLessThan(questions / 2);
    await untilGauge(node.gateway, 'gateway_dns_tcp_clients', 0);
    socket.resume();
    await closed;
    const other = openTcp(node.dnsPort);
    other.socket.write(framed(question('other.test', { type: TYPE.TXT })));
    expect(readName(await takeMessage(other))).toBe('other.test');
  });

  it('with a question that is too long is closed', async () => {
    const node = await startReadyNode();
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(Buffer.from([0x10, 0x01]));
    expect((await tcp.rest()).end).toBe('reset');
    await untilDropped(node, 'malformed');
  });

  it('that ends its side gets all answers, and then the end', async () => {
    const { held, onQuestion, release } = holding();
    const node = await startReadyNode(onQuestion);
    const tcp = openTcp(node.dnsPort);
    const cut = framed(question('cut.test')).subarray(0, -3);
    const questions = framed(question('slow.test', { id: 1 }), question('fast.test', { id: 2 }));
    tcp.socket.end(Buffer.concat([questions, cut]));
    expect(read(await takeMessage(tcp)).id).toBe(2);
    await until(() => held.length === 1);
    release();
    expect(read(await takeMessage(tcp)).id).toBe(1);
    expect(await tcp.rest()).toMatchObject({ end: 'ended', bytes: Buffer.alloc(0) });
    await untilGauge(node.gateway, 'gateway_dns_tcp_clients', 0);
    expect(node.resolver.asked.map(({ name }) => name)).not.toContain('cut.test');
  });

  it('that ends its side without a question gets the end', async () => {
    const node = await startReadyNode();
    const tcp = openTcp(node.dnsPort);
    tcp.socket.end();
    expect(await tcp.rest()).toMatchObject({ end: 'ended', bytes: Buffer.alloc(0) });
  });

  it('that leaves before its answer is charged for the question only', async () => {
    const { held, onQuestion, release } = holding();
    const node = await startReadyNode(onQuestion);
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(framed(question('slow.test')));
    await until(() => held.length === 1);
    tcp.socket.resetAndDestroy();
    await untilGauge(node.gateway, 'gateway_dns_tcp_clients', 0);
    release();
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('next.test'));
    await node.gateway.close();
    const asked = question('slow.test').length + question('next.test').length;
    expect(node.connection.usedBytes).toBe(asked + client.received[0]!.length);
  });
});

describe('the TCP clients', () => {
  it.each([['dnsTcpClientsPerPort' as const], ['dnsTcpClientsPerNode' as const]])(
    'above %s are closed, until another one leaves',
    async (limit) => {
      const node = await startReadyNode(answerAll, { limits: { [limit]: 2 } });
      const first = openTcp(node.dnsPort);
      const second = openTcp(node.dnsPort);
      await untilGauge(node.gateway, 'gateway_dns_tcp_clients', 2);
      expect((await openTcp(node.dnsPort).rest()).end).toBe('reset');
      await untilDropped(node, 'client-limit');
      first.socket.destroy();
      await untilGauge(node.gateway, 'gateway_dns_tcp_clients', 1);
      const third = openTcp(node.dnsPort);
      for (const client of [second, third]) {
        client.socket.write(framed(question('one.test')));
        expect(read(await takeMessage(client)).answers).toBe(1);
      }
    },
  );
});
