import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../test/gateway-harness.ts';
import { ENDS, FRAMINGS, runTransfer, type Transfer, TUNNELS } from '../test/transfers.ts';

/** docs/gateway.md, "Ends": a read, the system's send buffer, and what Node's HTTP client and server buffer. */
const LOST_BEHIND_RESET_BYTES_MAX = (256 + 4096 + 256) * 1024;
const RUNS = 150;
/** No transfer begins after this time, so that a slow machine makes fewer of them. */
const TIME_MS = 6_000;

const transfers: fc.Arbitrary<Transfer> = fc
  .record({
    protocol: fc.constantFrom(...TUNNELS, ...FRAMINGS),
    direction: fc.constantFrom('download', 'upload'),
    version: fc.constantFrom('1.0', '1.1'),
    pieceBytes: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 30_000 })), {
      minLength: 1,
      maxLength: 6,
    }),
    isPaced: fc.boolean(),
    end: fc.constantFrom(...ENDS),
    grantStepBytes: fc.constantFrom(700, 5_000, 60_000, 1_000_000),
    paidShare: fc.oneof(fc.constant(1), fc.double({ min: 0.05, max: 0.99, noNaN: true })),
  })
  .map((transfer): Transfer => {
    const { protocol, direction } = transfer;
    // A request has no body that only the end of the connection ends, and none in chunks in HTTP/1.0.
    if (direction === 'upload' && protocol === 'close-delimited') return { ...transfer, protocol: 'length' };
    if (direction === 'upload' && protocol === 'chunked') return { ...transfer, version: '1.1' };
    return transfer;
  });

/** What the outcome of a transfer breaks of the rules in docs/gateway.md. */
async function broken(harness: Harness, transfer: Transfer): Promise<string[]> {
  const { sent, received, isClean, countedBytes, overheadBytes } = await runTransfer(harness, transfer);
  const lostBytes = overheadBytes === undefined ? 0 : countedBytes - overheadBytes - received.length;
  const lostBytesMax = transfer.end === 'rst' || transfer.end === 'disconnect' ? LOST_BEHIND_RESET_BYTES_MAX : 0;
  const rules = {
    'a prefix arrives': received.equals(sent.subarray(0, received.length)),
    'a clean end is behind everything': !isClean || received.length === sent.length,
    'what was sent and paid for ends cleanly': isClean || !mustBeClean(transfer),
    'what was broken off does not end cleanly': !isClean || !mustBeCut(transfer),
    'what arrives is counted': lostBytes >= 0,
    'what is counted arrives, up to the bound': lostBytes <= lostBytesMax,
  };
  return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [rule]));
}

const isFramed = ({ protocol }: Transfer) => FRAMINGS.some((framing) => framing === protocol);

/** Everything was sent and paid for, and whoever answers a request stays until its end. */
function mustBeClean(transfer: Transfer): boolean {
  const { end, paidShare, direction } = transfer;
  const isOrderly = end === 'fin' || (end === 'half-close' && !(direction === 'upload' && isFramed(transfer)));
  return isOrderly && paidShare === 1;
}

/** Where a message has no end of its own, a sender that breaks off never looks like one that has finished. */
function mustBeCut(transfer: Transfer): boolean {
  const hasEndOfItsOwn = isFramed(transfer) && transfer.protocol !== 'close-delimited';
  return !hasEndOfItsOwn && ['rst', 'disconnect'].includes(transfer.end);
}

describe.each(['pump', 'streams'] as const)('any transfer over %s', (relay) => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ relay, limits: { updateIntervalMs: 10, lingerMs: 20, loginFailuresPerMinute: 0 } });
  });
  afterAll(() => harness.stop());

  it('delivers a prefix, all of it if the end is clean, and counts what it delivers', async () => {
    const lastStartAt = performance.now() + TIME_MS;
    const run = async (transfer: Transfer) => (performance.now() < lastStartAt ? broken(harness, transfer) : []);
    const property = fc.asyncProperty(transfers, async (transfer) => {
      expect(await run(transfer)).toEqual([]);
    });
    await fc.assert(property, { numRuns: RUNS, timeout: 20_000 });
  }, 60_000);
});
