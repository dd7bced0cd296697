import { describe, expect, it } from 'vitest';
import { Credit } from './credit.ts';
import type { Lease } from './lease.ts';

function open(grantedBytes: number) {
  const start = { usedBytes: 0, uploadedBytes: 0, grantedBytes, state: 'open' as const };
  const credit = new Credit(start, 1_000_000, { due: () => {}, spent: () => {}, ended: () => {} });
  const recalled: string[] = [];
  const counted: number[] = [];
  /** @param settles the bytes with which the holder settles the lease when it is recalled */
  const lease = (name: string, bytes: number, settles?: number): Lease | undefined => {
    const lease = credit.lease('toExit', bytes, {
      recalled: () => {
        recalled.push(name);
        if (settles !== undefined) lease?.settle(settles);
      },
      counted: (usedBytes) => counted.push(usedBytes),
    });
    return lease;
  };
  return { credit, lease, recalled, counted };
}

describe('a lease', () => {
  it('is granted only while all leases fit into the credit', () => {
    const { lease } = open(1_000);
    const one = lease('one', 400);
    expect([lease('two', 400) !== undefined, lease('three', 400)]).toEqual([true, undefined]);
    one?.settle(0);
    expect(lease('three', 400)).toBeDefined();
  });

  it('is counted once, when it is settled, and the unused rest is released', () => {
    const { credit, lease, counted } = open(1_000);
    const one = lease('one', 400);
    expect(credit.usedBytes).toBe(0);
    expect([one?.settle(300), one?.settle(300)]).toEqual([300, 0]);
    expect(credit.report()).toEqual({ usedBytes: 300, uploadedBytes: 300 });
    expect(counted).toEqual([300]);
    expect(credit.take('toClient', 1_000)).toBe(700);
  });

  it('is recalled only when others need its bytes', () => {
    const { credit, lease, recalled } = open(1_000);
    lease('one', 400, 0);
    lease('two', 400, 50);
    expect([credit.take('toClient', 200), recalled]).toEqual([200, []]);
    expect([credit.take('toClient', 1), recalled]).toEqual([1, ['one', 'two']]);
    expect(credit.usedBytes).toBe(251);
  });

  it('reserves its bytes until it is settled, and then wakes waiting tunnels', () => {
    const { credit, lease, recalled } = open(1_000);
    const one = lease('one', 600);
    expect(credit.take('toClient', 500)).toBe(400);
    expect([credit.take('toClient', 500), credit.takeWhole('toClient', 1)]).toEqual([0, false]);
    expect(recalled).toEqual(['one']);
    const woken: number[] = [];
    credit.whenGranted(() => woken.push(credit.take('toClient', 500)));
    one?.settle(250);
    expect([woken, credit.usedBytes]).toEqual([[350], 1_000]);
  });

  it('is recalled when the window shrinks below it', () => {
    const { credit, lease, recalled } = open(1_000);
    lease('one', 600, 0);
    credit.allowUnacknowledged(599);
    expect(recalled).toEqual(['one']);
  });

  it('counts forwarded bytes even if the connection has ended meanwhile', () => {
    const { credit, lease } = open(1_000);
    const one = lease('one', 600);
    credit.merge({ grantedBytes: 1_000, state: 'ended' });
    expect([one?.settle(200), credit.usedBytes]).toEqual([200, 200]);
  });
});
