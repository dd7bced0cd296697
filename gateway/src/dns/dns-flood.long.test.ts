/** @module-tag long */
import { describe, expect, it } from 'vitest';
import { mutated, noise, randomFor, randomQuestion } from '../../test/fuzz/dns-inputs.ts';
import { freeDnsPort } from '../../test/dns-client.ts';
import { answerAll, counted, openDnsClient, openTcp, startReadyNode } from '../../test/dns-harness.ts';
import { framed, question, read } from '../../test/dns-messages.ts';
import { socks5Connect, untilGauge } from '../../test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';

const SEED = 7;
const ROUNDS = 100;
const PER_ROUND = 50;
const QUESTIONS_BURST = 200;
/** The rate limit of one client in this test, beyond its burst. */
const QUESTIONS_PER_SECOND = 10;

describe('a flood of a DNS port', () => {
  it('of valid, mutated and random messages is bounded, leaves nothing open, and does not affect others', async () => {
    const node = await startReadyNode(answerAll, {
      limits: {
        dnsQuestionsPerSecond: QUESTIONS_PER_SECOND,
        dnsQuestionsBurst: QUESTIONS_BURST,
        dnsQuestionsPerSecondPerClient: QUESTIONS_PER_SECOND,
        dnsQuestionsBurstPerClient: QUESTIONS_BURST,
        dnsTcpIdleMs: 200,
      },
    });
    const honest = node.control.sell({ dnsPort: await freeDnsPort() });
    await socks5Connect(node.gateway, honest, '127.0.0.1', await freePort());
    await untilGauge(node.gateway, 'gateway_dns_ports', 2);
    const honestClient = await openDnsClient(honest.dnsPort!);
    const [flooding, stranger] = [await openDnsClient(node.dnsPort), await openDnsClient(node.dnsPort, '127.0.0.2')];
    const startedAt = performance.now();
    for (let round = 0; round < ROUNDS; round += 1) {
      const random = randomFor(SEED * 1_000_003 + round);
      const tcp = openTcp(node.dnsPort);
      for (let sent = 0; sent < PER_ROUND; sent += 1) {
        const valid = randomQuestion(random);
        const message = random() < 0.5 ? valid : random() < 0.8 ? mutated(random, valid) : noise(random, 600);
        flooding.send(message);
        stranger.send(message);
        tcp.socket.write(random() < 0.9 ? framed(message) : message);
      }
      const answer = await honestClient.ask(question(`honest-${round}.test`, { id: round }), 1_000);
      expect(read(answer)).toMatchObject({ id: round, address: '192.0.2.7' });
    }
    await untilGauge(node.gateway, 'gateway_dns_tcp_clients', 0);
    const seconds = (performance.now() - startedAt) / 1000;
    const asked = node.resolver.asked.filter(({ name }) => !name.startsWith('honest'));
    expect(asked.length).toBeGreaterThan(0);
    // A question is repeated if its answer is not trusted; all of these are.
    expect(asked.length).toBeLessThanOrEqual(QUESTIONS_BURST + seconds * QUESTIONS_PER_SECOND);
    expect(stranger.received).toEqual([]);
    expect(await counted(node, 'gateway_dns_dropped_total', { reason: 'client-not-allowed' })).toBeGreaterThan(0);
    expect(await counted(node, 'gateway_dns_dropped_total', { reason: 'rate-limit' })).toBeGreaterThan(0);
    // Sockets to name servers are replaced every two seconds, and there are none without questions.
    await untilGauge(node.gateway, 'gateway_dns_upstream_sockets', 0);
    await node.gateway.close();
    expect(node.connection.usedBytes + honest.usedBytes).toBe(
      await counted(node, 'gateway_bytes_total', { protocol: 'dns' }),
    );
  });
});
