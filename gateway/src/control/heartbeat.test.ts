import type { NodeStatus } from '@cellhop/contract/node-status';
import type { SealedWitness } from '@cellhop/contract/sealed-witness';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Heartbeat, NodeStatusReader } from './heartbeat.ts';

test('the rate is the mean since the last report', () => {
  let [now, bytes] = [0, 0];
  const status = new NodeStatusReader({
    flows: { size: 3 },
    certificate: { description: undefined },
    bytes: () => bytes,
    relay: { kind: 'pump' },
    now: () => now,
  });
  expect(status.read()).toEqual({
    softwareVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    tunnels: 3,
    bytesPerSecond: 0,
    relay: 'pump',
  });
  [now, bytes] = [60_000, 6_000_000];
  expect(status.read().bytesPerSecond).toBe(100_000);
  now = 120_000;
  expect(status.read().bytesPerSecond).toBe(0);
});

test('hands back the highest witness that an API has sent', async () => {
  const answers = [{ sequence: 5 }, { sequence: 3 }, undefined, { sequence: 9 }, { sequence: 9 }];
  const sent: (number | undefined)[] = [];
  const control = {
    hello: ({ witness }: { status: NodeStatus; witness: SealedWitness | undefined }) => {
      const answer = answers[sent.length];
      sent.push(witness?.sequence);
      const known = {
        contractVersion: 2,
        oldestContractVersion: 2,
        publicUrl: 'http://127.0.0.1',
        echoUrls: [],
        refusedUpstreams: [],
        purchaseNetworks: [],
      };
      return Promise.resolve({ ...known, ...(answer && { witness: { ...answer, sealed: '' } }) });
    },
  };
  const heartbeat = new Heartbeat({
    control,
    status: new NodeStatusReader({
      flows: { size: 0 },
      certificate: { description: undefined },
      bytes: () => 0,
      relay: { kind: 'pump' },
    }),
    reserved: { refreshControlPlane: () => Promise.resolve() },
    knownNetworks: { listed: () => {} },
    limits: { helloIntervalMs: 1, helloRetryMs: 1 },
    log: pino({ level: 'silent' }),
  });
  heartbeat.start();
  await expect.poll(() => sent.length).toBeGreaterThanOrEqual(5);
  heartbeat.stop();
  expect(sent.slice(0, 5)).toEqual([undefined, 5, 5, 5, 9]);
});
