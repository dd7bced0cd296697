import { describe, expect, it } from 'vitest';
import { Credit, type CreditGrant, type Totals } from './credit.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const UNACKNOWLEDGED_MAX = 4 * MIB;

function open(start: CreditGrant & Partial<Totals>) {
  const events: string[] = [];
  const record = (name: string) => () => void events.push(name);
  const listener = { due: record('due'), spent: record('spent'), ended: record('ended') };
  const credit = new Credit({ usedBytes: 0, uploadedBytes: 0, ...start }, UNACKNOWLEDGED_MAX, listener);
  const download = (bytes: number) => credit.take('toClient', bytes);
  return { credit, download, events };
}

describe('credit', () => {
  it('counts no byte beyond the grant', () => {
    const { credit, download } = open({ grantedBytes: 100, state: 'open' });
    expect([download(60), download(60), download(60)]).toEqual([60, 40, 0]);
    expect(credit.usedBytes).toBe(100);
  });

  it('counts a datagram completely or not at all', () => {
    const { credit } = open({ grantedBytes: 100, state: 'open' });
    const taken = [60, 60, 40, 1].map((bytes) => credit.takeWhole('toExit', bytes));
    expect(taken).toEqual([true, false, true, false]);
    expect(credit.report()).toEqual({ usedBytes: 100, uploadedBytes: 100 });
  });

  it('requests one report when too little is left for a datagram', () => {
    const { credit, events } = open({ grantedBytes: 1_000, state: 'open' });
    for (let count = 0; count < 3; count += 1) credit.takeWhole('toExit', 1_200);
    expect(events).toEqual(['due']);
    credit.report();
    credit.merge({ grantedBytes: 3_000, state: 'open' });
    expect(credit.takeWhole('toExit', 1_200)).toBe(true);
  });

  it('requests no report when a datagram exceeds the rest of a final grant', () => {
    const { credit, events } = open({ grantedBytes: 1_000, state: 'final' });
    expect([credit.takeWhole('toExit', 1_200), events]).toEqual([false, []]);
    expect(credit.takeWhole('toExit', 800)).toBe(true);
  });

  it('counts uploads as a part of the total, up to the grant', () => {
    const { credit } = open({ grantedBytes: 100, state: 'open', usedBytes: 10, uploadedBytes: 4 });
    credit.take('toExit', 30);
    credit.take('toClient', 50);
    credit.take('toExit', 30);
    expect(credit.report()).toEqual({ usedBytes: 100, uploadedBytes: 44 });
  });

  it('requests one report when half of the remaining grant is used', () => {
    const { credit, download, events } = open({ grantedBytes: MIB, state: 'open' });
    download(MIB / 2 - 1);
    expect(events).toEqual([]);
    download(1);
    download(10);
    expect(events).toEqual(['due']);
    credit.report();
    credit.merge({ grantedBytes: 2 * MIB, state: 'open' });
    download(0.75 * MIB - 11);
    expect(events).toEqual(['due']);
    download(11);
    expect(events).toEqual(['due', 'due']);
  });

  it('requests a report after a quarter of the unacknowledged window, however much is left, even with a final grant', () => {
    for (const state of ['open', 'final'] as const) {
      const { credit, download, events } = open({ grantedBytes: 50 * MIB, state });
      for (const count of [1, 2]) {
        download(UNACKNOWLEDGED_MAX / 4 - 1);
        expect(events).toHaveLength(count - 1);
        download(1);
        expect(events).toHaveLength(count);
        credit.acknowledge(credit.report().usedBytes);
      }
    }
  });

  it('stops at the unacknowledged window, and continues after each acknowledgement', () => {
    const { credit, download, events } = open({ grantedBytes: 50 * MIB, state: 'open', usedBytes: MIB });
    expect(download(9 * MIB)).toBe(UNACKNOWLEDGED_MAX);
    expect([credit.leftBytes, download(1)]).toEqual([0, 0]);
    const woken: string[] = [];
    credit.whenGranted(() => woken.push('woken'));
    const { usedBytes } = credit.report();
    credit.merge({ grantedBytes: 60 * MIB, state: 'open' });
    credit.acknowledge(usedBytes - 10);
    expect([woken, credit.leftBytes]).toEqual([['woken'], UNACKNOWLEDGED_MAX - 10]);
    // A repeated or late acknowledgement changes nothing.
    credit.acknowledge(MIB);
    expect(credit.leftBytes).toBe(UNACKNOWLEDGED_MAX - 10);
    credit.acknowledge(usedBytes);
    expect(download(9 * MIB)).toBe(UNACKNOWLEDGED_MAX);
    expect(events).toEqual(['due', 'due']);
  });

  it('follows changes of the unacknowledged window, and never takes bytes back', () => {
    const { credit, download } = open({ grantedBytes: 50 * MIB, state: 'open' });
    download(9 * MIB);
    credit.allowUnacknowledged(6 * MIB);
    expect(download(9 * MIB)).toBe(2 * MIB);
    credit.allowUnacknowledged(MIB);
    expect([credit.leftBytes, credit.usedBytes]).toEqual([0, 6 * MIB]);
  });

  it('is not spent while an acknowledgement is missing', async () => {
    const { credit, download, events } = open({ grantedBytes: 5 * MIB, state: 'final' });
    download(9 * MIB);
    await Promise.resolve();
    expect([events, credit.isSpent]).toEqual([['due'], false]);
    credit.acknowledge(credit.report().usedBytes);
    download(9 * MIB);
    await Promise.resolve();
    expect([events, credit.isSpent]).toEqual([['due', 'spent'], true]);
  });

  it('requests no report for the last few bytes before they are used', () => {
    const { credit, download, events } = open({ grantedBytes: 60 * KIB, state: 'open' });
    download(60 * KIB - 1);
    expect(events).toEqual([]);
    download(1);
    expect(events).toEqual(['due']);
    credit.report();
    download(1);
    expect(events).toEqual(['due']);
  });

  it('ignores repeated and late responses', () => {
    const { credit } = open({ grantedBytes: 100, state: 'open' });
    for (const grantedBytes of [300, 200, 300, 0]) credit.merge({ grantedBytes, state: 'open' });
    expect(credit.leftBytes).toBe(300);
  });

  it('ignores the state of an outdated response', async () => {
    const { credit, download, events } = open({ grantedBytes: 100, state: 'open' });
    credit.merge({ grantedBytes: 300, state: 'open' });
    credit.merge({ grantedBytes: 200, state: 'final' });
    expect(credit.state).toBe('open');
    download(300);
    await Promise.resolve();
    expect(events).not.toContain('spent');
    credit.merge({ grantedBytes: 0, state: 'ended' });
    expect(events).toContain('ended');
  });

  it('announces that it is spent after the last bytes were counted', async () => {
    const { download, events } = open({ grantedBytes: 10, state: 'final' });
    download(20);
    expect(events).toEqual([]);
    await Promise.resolve();
    expect(events).toEqual(['spent']);
  });

  it('is spent when an exhausted grant becomes final, and continues when it grows', async () => {
    const { credit, download, events } = open({ grantedBytes: 10, state: 'open' });
    download(10);
    credit.merge({ grantedBytes: 10, state: 'final' });
    credit.merge({ grantedBytes: 20, state: 'open' });
    await Promise.resolve();
    expect(events).toEqual(['due']);
    expect(credit.leftBytes).toBe(10);
  });

  it('calls each waiting callback once when bytes are available', () => {
    const { credit, download } = open({ grantedBytes: 10, state: 'open' });
    const woken: string[] = [];
    download(10);
    credit.whenGranted(() => woken.push('one'));
    credit.whenGranted(() => woken.push('cancelled'))();
    credit.merge({ grantedBytes: 10, state: 'open' });
    expect(woken).toEqual([]);
    credit.merge({ grantedBytes: 11, state: 'open' });
    credit.merge({ grantedBytes: 12, state: 'open' });
    expect(woken).toEqual(['one']);
  });

  it('counts nothing after the end, even if more is received', () => {
    const { credit, download, events } = open({ grantedBytes: 100, state: 'open' });
    credit.merge({ grantedBytes: 100, state: 'ended' });
    credit.merge({ grantedBytes: 500, state: 'open' });
    expect(download(1)).toBe(0);
    expect(events).toEqual(['ended']);
  });

  it('is up to date while everything is acknowledged and no tunnel waits', () => {
    const { credit, download } = open({ grantedBytes: 100, state: 'open' });
    const states = [credit.isUpToDate];
    download(100);
    states.push(credit.isUpToDate);
    credit.acknowledge(100);
    states.push(credit.isUpToDate);
    const cancel = credit.whenGranted(() => {});
    states.push(credit.isUpToDate);
    cancel();
    expect([...states, credit.isUpToDate]).toEqual([true, false, true, false, true]);
  });

  it('continues from an earlier total', () => {
    const { credit, download } = open({ grantedBytes: 150, state: 'open', usedBytes: 100 });
    expect(download(80)).toBe(50);
    expect(credit.usedBytes).toBe(150);
  });
});
