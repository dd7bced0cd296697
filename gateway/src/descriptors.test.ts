import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import {
  descriptorLimit,
  descriptorsFor,
  DescriptorWatch,
  fitToDescriptors,
  pipesWithin,
  warnAboutDescriptorLimit,
} from './descriptors.ts';
import { defaultLimits, type Limits } from './limits.ts';

const exhaustion = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });

const failingWith = (error: Error) => () => {
  throw error;
};

function startLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, lines };
}

describe('the limits of a node', () => {
  it('are not lowered with enough descriptors or without a limit', () => {
    expect(fitToDescriptors(defaultLimits, descriptorsFor(defaultLimits))).toBe(defaultLimits);
    expect(fitToDescriptors(defaultLimits, undefined)).toBe(defaultLimits);
  });

  it.each([128, 256, 1_024, 4_096, 20_000, 40_000, descriptorsFor(defaultLimits) - 1])(
    'fit into %i descriptors and leave room for every kind of socket',
    (descriptors) => {
      const limits: Limits = fitToDescriptors(defaultLimits, descriptors);
      expect(descriptorsFor(limits)).toBeLessThanOrEqual(descriptors);
      const { tunnelsPerNode, clientSocketsPerNode, halfOpenPerNode } = limits;
      expect(Math.min(tunnelsPerNode, halfOpenPerNode)).toBeGreaterThan(0);
      // With the maximum of tunnels and half-open clients, a new client can still evict a half-open one.
      expect(clientSocketsPerNode).toBeGreaterThanOrEqual(tunnelsPerNode + halfOpenPerNode);
      expect(limits.tunnelsPerConnection).toBeLessThanOrEqual(Math.max(1, tunnelsPerNode / 2));
      expect(limits.clientSocketsPerNetwork).toBeLessThanOrEqual(clientSocketsPerNode / 2);
    },
  );

  it.each([
    [128, 0],
    [1_024, 4],
    [20_000, 64],
    [Number.MAX_SAFE_INTEGER, 64],
  ])('leave %i descriptors for %i pipes', (descriptors, pipes) => {
    expect(pipesWithin(fitToDescriptors(defaultLimits, descriptors), descriptors)).toBe(pipes);
  });

  it('allow 224 tunnels with 1,024 descriptors, and use all but those of pipes', () => {
    const limits = fitToDescriptors(defaultLimits, 1_024);
    expect(limits).toMatchObject({
      tunnelsPerNode: 224,
      associationsPerNode: 44,
      clientSocketsPerNode: 368,
      halfOpenPerNode: 97,
    });
    expect(limits).toMatchObject({
      dnsPortsPerNode: 23,
      dnsTcpClientsPerNode: 23,
      dnsUpstreamSockets: 46,
      extraDialsPerNode: 28,
    });
    expect(descriptorsFor(limits)).toBe(1_024 - 2 * 4);
  });

  it('allow one tunnel with very few descriptors', () => {
    expect(fitToDescriptors(defaultLimits, 10)).toMatchObject({ tunnelsPerNode: 1, clientSocketsPerNode: 1 });
  });

  it('are logged at the start if they were lowered, with the required number of descriptors', () => {
    const { log, lines } = startLog();
    warnAboutDescriptorLimit(log, defaultLimits, defaultLimits, 1_000_000);
    warnAboutDescriptorLimit(log, defaultLimits, fitToDescriptors(defaultLimits, 1_024), 1_024);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 40,
      descriptors: 1_024,
      wantedDescriptors: 61_644,
      tunnels: 224,
      dnsPorts: 23,
    });
  });

  it('are derived from the limit of this process', () => {
    expect(descriptorLimit()).toBeGreaterThan(100);
  });
});

describe('the descriptor watch', () => {
  it('counts every exhaustion and logs one per minute', () => {
    const { log, lines } = startLog();
    let [counted, now] = [0, 0];
    const open = failingWith(exhaustion);
    const watch = new DescriptorWatch({
      log,
      onExhausted: () => (counted += 1),
      logEveryMs: 60_000,
      open,
      now: () => now,
    });
    for (now = 0; now <= 60_000; now += 1_000) watch.check();
    expect([counted, lines.length]).toEqual([61, 2]);
  });

  it('logs nothing while descriptors are left, and rethrows other errors', () => {
    const { log, lines } = startLog();
    let counted = 0;
    const settings = { log, onExhausted: () => (counted += 1), logEveryMs: 60_000 };
    new DescriptorWatch(settings).check();
    const denied = failingWith(new Error('EACCES'));
    expect(() => new DescriptorWatch({ ...settings, open: denied }).check()).toThrow('EACCES');
    expect([counted, lines.length]).toEqual([0, 0]);
  });
});
