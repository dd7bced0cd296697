import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultLimits, type Limits } from '../limits.ts';
import { toCause, TunnelFailure, type FailureCause } from '../statuses.ts';
import { createDial } from './dial.ts';
import { DialAbort, type Exit, type ExitStream } from './exit.ts';

const V4 = [1, 2, 3, 4, 5, 6, 7].map((last) => Uint8Array.of(192, 0, 2, last));
const V6 = [1, 2].map((last) => Uint8Array.from({ length: 16 }, (_, index) => (index === 15 ? last : 0x20)));
const target = { host: { kind: 'name' as const, name: 'a.test' }, port: 443 };

/** The last byte of an address with its family, such as `4.1`. */
const label = (address: Uint8Array) => `${address.length === 4 ? 4 : 6}.${address.at(-1)}`;

interface Attempt {
  readonly label: string;
  readonly timeoutMs: number;
  readonly abort: DialAbort;
  readonly stream: { side: { close: () => void } };
  connect(): Promise<void>;
  fail(cause: FailureCause): Promise<void>;
}

/** An exit whose dials the test settles. Like all exits, it fails a dial that is aborted. */
function openExit(addresses: readonly Uint8Array[], limits: { readonly [Name in keyof Limits]?: number } = {}) {
  const attempts: Attempt[] = [];
  const exit = {
    attemptDelayMs: defaultLimits.connectionAttemptDelayMs,
    connect: ({ address }: { address: Uint8Array }, timeoutMs: number, abort: DialAbort) =>
      new Promise<ExitStream>((fulfil, reject) => {
        const stream = { side: { close: vi.fn<() => void>() }, local: () => undefined } as unknown as ExitStream;
        const fail = (cause: FailureCause) => reject(new TunnelFailure(cause));
        abort.whenAborted(() => fail('dial-timeout'));
        attempts.push({
          label: label(address),
          timeoutMs,
          abort,
          stream,
          connect: () => settled(() => fulfil(stream)),
          fail: (cause) => settled(() => fail(cause)),
        });
      }),
  } as unknown as Exit;
  const extraDials = { count: 0 };
  const operator = { refuses: false };
  const guard = {
    addressesFor: () => Promise.resolve([...addresses]),
    isAllowed: () => true,
    isRefused: () => operator.refuses,
    revision: 0,
  };
  const dial = createDial({ guard, limits: { ...defaultLimits, ...limits }, extraDials });
  /** @returns reads the outcome, undefined as long as there is none */
  const begin = async (abort = new DialAbort()) => {
    let outcome: ExitStream | string | undefined;
    dial(exit, target, abort).then(
      (stream) => (outcome = stream),
      (error: unknown) => (outcome = toCause(error)),
    );
    await vi.advanceTimersByTimeAsync(0);
    return () => outcome;
  };
  return { begin, attempts, extraDials, operator, dialled: () => attempts.map((attempt) => attempt.label) };
}

async function settled(settle: () => void): Promise<void> {
  settle();
  await vi.advanceTimersByTimeAsync(0);
}

describe('a destination with several addresses', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is reached 250 ms later if the first is silent; the loser is closed', async () => {
    const { begin, attempts, extraDials, dialled } = openExit([V4[0]!, V6[0]!]);
    const outcome = await begin();
    await vi.advanceTimersByTimeAsync(249);
    expect(dialled()).toEqual(['4.1']);
    await vi.advanceTimersByTimeAsync(1);
    expect([dialled(), extraDials.count]).toEqual([['4.1', '6.1'], 1]);
    await attempts[1]!.connect();
    expect(outcome()).toBe(attempts[1]!.stream);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([attempts[0]!.abort.isAborted, extraDials.count, dialled()]).toEqual([true, 0, ['4.1', '6.1']]);
  });

  it('is dialled in both families in turn, at most at six addresses', async () => {
    const { begin, attempts, dialled } = openExit([...V4, ...V6]);
    const outcome = await begin();
    for (let index = 0; index < 6; index += 1) await attempts[index]!.fail('connection-refused');
    expect(dialled()).toEqual(['4.1', '6.1', '4.2', '6.2', '4.3', '4.4']);
    expect(outcome()).toBe('connection-refused');
  });

  it('is reached by the first connection; a second one at the same time is closed', async () => {
    const { begin, attempts } = openExit(V4.slice(0, 2));
    const outcome = await begin();
    await vi.advanceTimersByTimeAsync(250);
    const connecting = attempts[1]!.connect();
    await attempts[0]!.connect();
    await connecting;
    expect(outcome()).toBe(attempts[1]!.stream);
    expect(attempts[0]!.stream.side.close).toHaveBeenCalledOnce();
    expect(attempts[1]!.stream.side.close).not.toHaveBeenCalled();
  });

  it('has at most three dials at once; another one starts when one has failed', async () => {
    const { begin, attempts, dialled } = openExit(V4.slice(0, 5));
    await begin();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(dialled()).toHaveLength(3);
    await attempts[0]!.fail('dial-timeout');
    expect(dialled()).toHaveLength(4);
  });

  it('is dialled sequentially while the node has too many additional dials', async () => {
    const { begin, attempts, extraDials, dialled } = openExit(V4.slice(0, 2), { extraDialsPerNode: 1 });
    await begin();
    await vi.advanceTimersByTimeAsync(250);
    const other = await begin();
    await vi.advanceTimersByTimeAsync(3_000);
    expect([dialled(), extraDials.count]).toEqual([['4.1', '4.2', '4.1'], 1]);
    await attempts[2]!.fail('connection-refused');
    await attempts[3]!.connect();
    expect(other()).toBe(attempts[3]!.stream);
  });

  it('gives each address but the last 4 s, and fails as the first has failed', async () => {
    const { begin, attempts } = openExit(V4.slice(0, 2));
    const outcome = await begin();
    await vi.advanceTimersByTimeAsync(250);
    expect(attempts.map(({ timeoutMs }) => timeoutMs)).toEqual([4_000, 15_000]);
    await attempts[1]!.fail('network-unreachable');
    await attempts[0]!.fail('connection-refused');
    expect(outcome()).toBe('connection-refused');
  });

  it('is given up at once when the client leaves', async () => {
    const abort = new DialAbort();
    const { begin, attempts, extraDials, dialled } = openExit(V4.slice(0, 5));
    const outcome = await begin(abort);
    await vi.advanceTimersByTimeAsync(250);
    abort.abort();
    await vi.advanceTimersByTimeAsync(5_000);
    expect([dialled().length, attempts.every((attempt) => attempt.abort.isAborted)]).toEqual([2, true]);
    expect([outcome(), extraDials.count]).toEqual(['dial-timeout', 0]);
  });

  it('is given up at once when the upstream proxy does not work', async () => {
    const { begin, attempts, dialled } = openExit(V4.slice(0, 3));
    const outcome = await begin();
    await attempts[0]!.fail('upstream-unreachable');
    expect([outcome(), dialled()]).toEqual(['upstream-unreachable', ['4.1']]);
  });
});

describe('a destination with one address', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is dialled once, with the abort of the client and the whole time', async () => {
    const abort = new DialAbort();
    const { begin, attempts } = openExit([V4[0]!]);
    const outcome = await begin(abort);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempts.map((attempt) => [attempt.abort, attempt.timeoutMs])).toEqual([[abort, 15_000]]);
    await attempts[0]!.connect();
    expect(outcome()).toBe(attempts[0]!.stream);
  });

  it('is closed when the operator has refused it while it was dialled', async () => {
    const { begin, attempts, operator } = openExit([V4[0]!]);
    const outcome = await begin();
    operator.refuses = true;
    await attempts[0]!.connect();
    expect(outcome()).toBe('destination-refused');
    expect(attempts[0]!.stream.side.close).toHaveBeenCalledOnce();
  });
});
