import { describe, expect, it } from 'vitest';
import { Credit, type CreditAnswer } from './credit.ts';

function open(start: CreditAnswer, usedBytes = 0) {
  const clock = { now: 0 };
  const events: string[] = [];
  const note = (name: string) => () => void events.push(name);
  const noted = { low: note('low'), spent: note('spent'), ended: note('ended') };
  const credit = new Credit({ ...start, usedBytes }, noted, () => clock.now);
  return { credit, events, clock };
}

describe('credit', () => {
  it('gives no byte beyond the grant', () => {
    const { credit } = open({ grantedBytes: 100, state: 'open' });
    expect([credit.take(60), credit.take(60), credit.take(60)]).toEqual([60, 40, 0]);
    expect(credit.usedBytes).toBe(100);
  });

  it('asks for more once at 80 percent of each grant when little is used', () => {
    const { credit, events, clock } = open({ grantedBytes: 100, state: 'open' });
    credit.take(79);
    expect(events).toEqual([]);
    credit.take(1);
    credit.take(10);
    expect(events).toEqual(['low']);
    clock.now = 60_000;
    credit.merge({ grantedBytes: 190, state: 'open' });
    credit.take(79);
    expect(events).toEqual(['low']);
    credit.take(1);
    expect(events).toEqual(['low', 'low']);
  });

  it('asks earlier when a tenth of a second may need more than the rest', () => {
    const { credit, events, clock } = open({ grantedBytes: 1_000, state: 'open' });
    credit.take(900);
    clock.now = 1_000; // 900 bytes per second, so 90 are needed ahead; then a hundred times as many.
    credit.merge({ grantedBytes: 1_200, state: 'open' });
    credit.take(209);
    expect(events).toEqual(['low']);
    credit.take(1);
    expect(events).toEqual(['low', 'low']);
    clock.now = 1_001;
    credit.merge({ grantedBytes: 2_110, state: 'open' });
    credit.take(49);
    expect(events).toEqual(['low', 'low']);
    credit.take(1);
    expect(events).toEqual(['low', 'low', 'low']);
  });

  it('covers reads only while all of them fit, and revokes them when others use their bytes', () => {
    const { credit } = open({ grantedBytes: 1_000, state: 'open' });
    const revoked: string[] = [];
    const read = (name: string) => ({ bytes: 400, revoked: () => void revoked.push(name) });
    const [one, two, three] = [read('one'), read('two'), read('three')];
    expect([one, two, three].map((each) => credit.cover(each))).toEqual([true, true, false]);
    credit.uncover(one);
    expect(credit.cover(three)).toBe(true);
    credit.take(200);
    expect(revoked).toEqual([]);
    credit.take(1);
    expect(revoked).toEqual(['two', 'three']);
    expect([credit.cover(one), credit.cover(two)]).toEqual([true, false]);
  });

  it('is not changed by repeated or late answers', () => {
    const { credit } = open({ grantedBytes: 100, state: 'open' });
    for (const grantedBytes of [300, 200, 300, 0]) credit.merge({ grantedBytes, state: 'open' });
    expect(credit.leftBytes).toBe(300);
  });

  it('says that it is spent after the last bytes were taken', async () => {
    const { credit, events } = open({ grantedBytes: 10, state: 'final' });
    credit.take(20);
    expect(events).toEqual([]);
    await Promise.resolve();
    expect(events).toEqual(['spent']);
  });

  it('is spent when an answer makes an exhausted grant final, and goes on when it does not', async () => {
    const { credit, events } = open({ grantedBytes: 10, state: 'open' });
    credit.take(10);
    credit.merge({ grantedBytes: 10, state: 'final' });
    credit.merge({ grantedBytes: 20, state: 'open' });
    await Promise.resolve();
    expect(events).toEqual(['low']);
    expect(credit.leftBytes).toBe(10);
  });

  it('wakes those who wait when bytes are left, once', () => {
    const { credit } = open({ grantedBytes: 10, state: 'open' });
    const woken: string[] = [];
    credit.take(10);
    credit.whenGranted(() => woken.push('one'));
    credit.whenGranted(() => woken.push('cancelled'))();
    credit.merge({ grantedBytes: 10, state: 'open' });
    expect(woken).toEqual([]);
    credit.merge({ grantedBytes: 11, state: 'open' });
    credit.merge({ grantedBytes: 12, state: 'open' });
    expect(woken).toEqual(['one']);
  });

  it('gives nothing after the end, whatever comes later', () => {
    const { credit, events } = open({ grantedBytes: 100, state: 'open' });
    credit.merge({ grantedBytes: 100, state: 'ended' });
    credit.merge({ grantedBytes: 500, state: 'open' });
    expect(credit.take(1)).toBe(0);
    expect(events).toEqual(['ended']);
  });

  it('counts on from an earlier total', () => {
    const { credit } = open({ grantedBytes: 150, state: 'open' }, 100);
    expect(credit.take(80)).toBe(50);
    expect(credit.usedBytes).toBe(150);
  });
});
