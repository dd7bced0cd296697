import { describe, expect, it } from 'vitest';
import { descriptorsForFlows } from '../descriptors.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { isWithinFairShare } from './fair-share.ts';

const limits: Limits = { ...defaultLimits, tunnelsPerNode: 100, associationsPerNode: 50 };
const TUNNEL = { tunnels: 1, associations: 0 };
const ASSOCIATION = { tunnels: 1, associations: 1 };
const idle = { node: { tunnels: 0, associations: 0 }, connections: 4, descriptors: 0 };

const own = (tunnels: number, associations = 0) => ({ tunnels, associations });

describe('the fair share of a connection', () => {
  it('has no effect below 80 % of the tunnels of the node', () => {
    expect(isWithinFairShare(limits, TUNNEL, { ...idle, node: own(79), own: own(76) })).toBe(true);
  });

  it('is an equal part of the tunnels above 80 %', () => {
    const node = own(80);
    expect(isWithinFairShare(limits, TUNNEL, { ...idle, node, own: own(24) })).toBe(true);
    expect(isWithinFairShare(limits, TUNNEL, { ...idle, node, own: own(25) })).toBe(false);
  });

  it('always contains the first flow of a connection', () => {
    const busy = { node: own(99, 49), connections: 1_000, descriptors: descriptorsForFlows(limits) };
    expect(isWithinFairShare(limits, ASSOCIATION, { ...busy, own: own(0) })).toBe(true);
    expect(isWithinFairShare(limits, TUNNEL, { ...busy, own: own(1) })).toBe(false);
  });

  it('limits associations by their own limit, which does not affect tunnels', () => {
    const node = own(40, 40);
    expect(isWithinFairShare(limits, ASSOCIATION, { ...idle, node, own: own(13, 13) })).toBe(false);
    expect(isWithinFairShare(limits, ASSOCIATION, { ...idle, node, own: own(13, 11) })).toBe(true);
    expect(isWithinFairShare(limits, TUNNEL, { ...idle, node, own: own(13, 13) })).toBe(true);
  });

  it('is an equal part of the descriptors when 80 % of them are in use', () => {
    const descriptors = Math.ceil(descriptorsForFlows(limits) * 0.8);
    const share = Math.floor(descriptorsForFlows(limits) / idle.connections);
    const busy = { ...idle, node: own(70), descriptors };
    expect(isWithinFairShare(limits, TUNNEL, { ...busy, own: own(share - 1) })).toBe(true);
    expect(isWithinFairShare(limits, TUNNEL, { ...busy, own: own(share) })).toBe(false);
    expect(isWithinFairShare(limits, TUNNEL, { ...busy, descriptors: descriptors - 1, own: own(share) })).toBe(true);
  });
});
