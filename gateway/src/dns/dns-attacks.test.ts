/** @module-tag thorough */
import { describe, expect, it } from 'vitest';
import {
  answerAll,
  counted,
  openDnsClient,
  startDnsNode,
  startReadyNode,
  untilDropped,
} from '../../test/dns-harness.ts';
import { address, answerTo, type RecordOptions, question, read, text, TYPE } from '../../test/dns-messages.ts';
import { socks5Connect, untilGauge } from '../../test/gateway-harness.ts';
import { parseHost } from '../protocol/host.ts';

const PUBLIC = address('9.9.9.9');

const ipv6Address = (host: string): RecordOptions => {
  const parsed = parseHost(host);
  if (parsed?.kind !== 'address') throw new Error(`${host} is no address`);
  return { type: TYPE.AAAA, data: Buffer.from(parsed.bytes) };
};

/** Moves the last record of an answer to the authority or to the additional section. */
function withLastRecordIn(section: 'authority' | 'additional', answer: Buffer): Buffer {
  const moved = Buffer.from(answer);
  moved.writeUInt16BE(moved.readUInt16BE(6) - 1, 6);
  moved.writeUInt16BE(1, section === 'authority' ? 8 : 10);
  return moved;
}

/** The option of RFC 7830, which carries nothing. */
function padded(asked: Buffer, length: number): Buffer {
  const option = Buffer.alloc(4 + length);
  option.writeUInt16BE(12, 0);
  option.writeUInt16BE(length, 2);
  const whole = Buffer.concat([asked, option]);
  whole.writeUInt16BE(option.length, asked.length - 2);
  return whole;
}

describe('an answer that would lead a client into its own network is withheld:', () => {
  it.each<[string, (asked: Buffer) => Buffer]>([
    ...['127.0.0.1', '0.0.0.0', '10.1.2.3', '172.16.0.1', '100.64.0.1', '169.254.169.254'].map(
      (host): [string, (asked: Buffer) => Buffer] => [host, (asked) => answerTo(asked, [PUBLIC, address(host)])],
    ),
    ...['::1', '::', 'fd00::1', 'fe80::1', '::ffff:10.0.0.1', '64:ff9b::10.0.0.1', '2002:a00:1::'].map(
      (host): [string, (asked: Buffer) => Buffer] => [host, (asked) => answerTo(asked, [ipv6Address(host)])],
    ),
    [
      'in the authority section',
      (asked) => withLastRecordIn('authority', answerTo(asked, [PUBLIC, address('10.1.2.3')])),
    ],
    [
      'in the additional section',
      (asked) => withLastRecordIn('additional', answerTo(asked, [PUBLIC, address('10.1.2.3')])),
    ],
    [
      'behind an alias',
      (asked) => answerTo(asked, [{ type: 5, data: Buffer.from([192, 12]) }, address('192.168.1.1')]),
    ],
  ])('%s', async (_, answer) => {
    const names: string[] = [];
    const node = await startDnsNode(
      ({ message, name, respond }) => {
        names.push(name);
        respond(name === 'public.test' ? answerTo(message, [PUBLIC]) : answer(message));
      },
      { allowPrivate: false },
    );
    // A refused destination is an authenticated request, too.
    await socks5Connect(node.gateway, node.connection, '127.0.0.1', 80);
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    const client = await openDnsClient(node.dnsPort);
    // A name of a wildcard (such as 10.1.2.3.nip.io), the wildcard itself, and one that had a public address before.
    for (const name of ['any.wild.test', '*.wild.test'])
      expect(read(await client.ask(question(name)))).toMatchObject({ code: 0, name, answers: 0 });
    expect(read(await client.ask(question('public.test')))).toMatchObject({ address: '9.9.9.9' });
    expect(names).toEqual(['any.wild.test', '*.wild.test', 'public.test']);
    expect(await counted(node, 'gateway_dns_queries_total', { outcome: 'filtered' })).toBe(2);
  });
});

describe('who forges the source of questions', () => {
  it('of a client gets it at most 1,232 bytes for each, 512 without EDNS, and from the node itself 11 more than it sent', async () => {
    const node = await startReadyNode(({ message, name, respond }) =>
      respond(answerTo(message, [text(Number(name.split('.')[0]))])),
    );
    const client = await openDnsClient(node.dnsPort);
    const ratios: Record<string, number> = {};
    const ask = async (kind: string, asked: Buffer) => {
      const answer = await client.ask(asked);
      ratios[kind] = answer.length / asked.length;
      return answer.length - asked.length;
    };
    const [short, long] = [
      question('460.t', { type: TYPE.ANY }),
      question('1150.t', { type: TYPE.ANY, payloadBytes: 65_535 }),
    ];
    expect((await ask('ANY', short)) + short.length).toBeLessThanOrEqual(512);
    expect((await ask('ANY with EDNS', long)) + long.length).toBeLessThanOrEqual(1_232);
    const own: [string, Buffer][] = [
      ['truncated', question('60000.t', { type: TYPE.ANY, payloadBytes: 65_535 })],
      ['special name', question('printer.local', { payloadBytes: 65_535 })],
      ['zone transfer', question('t', { type: TYPE.AXFR })],
      ['another opcode', question('t', { flags: 0x2800 })],
    ];
    for (const [kind, asked] of own) expect(await ask(kind, asked)).toBeLessThanOrEqual(11);
    client.send(padded(question('10.t', { type: TYPE.ANY, payloadBytes: 4_096 }), 60_000));
    await untilDropped(node, 'malformed');
    expect(Math.max(...Object.values(ratios))).toBeLessThan(45);
  });

  it('from many of its ports gets no more answers than from one', async () => {
    const node = await startReadyNode(answerAll, {
      limits: { dnsQuestionsPerSecondPerClient: 0.001, dnsQuestionsBurstPerClient: 3 },
    });
    const clients = await Promise.all(Array.from({ length: 20 }, () => openDnsClient(node.dnsPort)));
    for (const client of clients) client.send(question('one.test'));
    await untilDropped(node, 'rate-limit', 17);
    await expect.poll(() => clients.flatMap(({ received }) => received).length).toBe(3);
  });

  it('of a stranger, with any message, gets it nothing', async () => {
    const node = await startReadyNode();
    const [client, stranger] = [await openDnsClient(node.dnsPort), await openDnsClient(node.dnsPort, '127.0.0.2')];
    const messages = [
      question('one.test', { type: TYPE.ANY, payloadBytes: 65_535 }),
      question('printer.local'),
      question('zone.test', { type: TYPE.AXFR }),
      padded(question('one.test', { payloadBytes: 512 }), 60_000),
      Buffer.alloc(60_000),
      Buffer.alloc(1),
    ];
    for (const message of messages) stranger.send(message);
    await untilDropped(node, 'client-not-allowed', messages.length);
    await client.ask(question('known.test'));
    expect([stranger.received, node.resolver.asked.map(({ name }) => name)]).toEqual([[], ['known.test']]);
  });
});
