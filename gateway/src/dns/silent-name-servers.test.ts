/** @module-tag thorough */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../tools/ports.mjs';
import { answerAll, counted, openDnsClient, openResolver, startReadyNode } from '../../test/dns-harness.ts';
import { question, read } from '../../test/dns-messages.ts';
import { HeldTimers } from '../../test/held-timers.ts';
import { until } from '../../test/sockets.ts';

/** No other timer takes as long. */
const ATTEMPT_MS = 1_234_567;

afterEach(() => void vi.restoreAllMocks());

describe('name servers that are silent', () => {
  it('are skipped', async () => {
    const [silent, working] = [await openResolver(() => {}), await openResolver()];
    const node = await startReadyNode(answerAll, {
      nameServers: [silent.address, working.address],
      limits: { resolverAttemptMs: ATTEMPT_MS },
    });
    const attempts = new HeldTimers(ATTEMPT_MS);
    const client = await openDnsClient(node.dnsPort);
    const answer = client.ask(question('one.test', { id: 1 }));
    await until(() => silent.asked.length === 1 && attempts.running === 1);
    attempts.first()();
    expect(read(await answer)).toMatchObject({ code: 0 });
    for (const id of [2, 3]) expect(read(await client.ask(question('one.test', { id })))).toMatchObject({ code: 0 });
    expect([silent.asked.length, working.asked.length]).toEqual([1, 3]);
  });

  it('and others that are closed give the client a failure', async () => {
    const silent = await openResolver(() => {});
    const node = await startReadyNode(answerAll, {
      nameServers: [silent.address, `127.0.0.1:${await freePort()}`],
      limits: { resolverAttemptMs: 100, dnsAnswerMs: 200 },
    });
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('two.test')))).toMatchObject({ code: 2, name: 'two.test' });
    expect(await counted(node, 'gateway_dns_upstream_total', { event: 'timeout' })).toBeGreaterThan(0);
  });
});
