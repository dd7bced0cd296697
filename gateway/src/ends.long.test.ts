/** @module-tag long */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relays } from '../test/accelerator.ts';
import { type Harness, startHarness } from '../test/gateway-harness.ts';
import { ENDS, FRAMINGS, runTransfer, type Transfer, TUNNELS } from '../test/transfers.ts';

/** docs/gateway.md, "Ends": one read, the kernel's send buffer, and the buffers of Node's HTTP client and server. */
const LOST_AFTER_RESET_BYTES_MAX = (256 + 4096 + 256) * 1024;
const RUNS = 150;

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
    // A request body cannot be close-delimited, and an HTTP/1.0 request cannot be chunked.
    if (direction === 'upload' && protocol === 'close-delimited') return { ...transfer, protocol: 'length' };
    if (direction === 'upload' && protocol === 'chunked') return { ...transfer, version: '1.1' };
    return transfer;
  });

/** @returns the rules of docs/gateway.md that the outcome of a transfer breaks */
async function brokenRules(harness: Harness, transfer: Transfer): Promise<string[]> {
  const { sent, received, isClean, countedBytes, overheadBytes } = await runTransfer(harness, transfer);
  const lostBytes = overheadBytes === undefined ? 0 : countedBytes - overheadBytes - received.length;
  const lostBytesMax = transfer.end === 'rst' || transfer.end === 'disconnect' ? LOST_AFTER_RESET_BYTES_MAX : 0;
  const rules = {
    'a prefix arrives': received.equals(sent.subarray(0, received.length)),
    'a clean end comes after all bytes': !isClean || received.length === sent.length,
    'a complete and paid transfer ends cleanly': isClean || !mustBeClean(transfer),
    'an aborted transfer does not end cleanly': !isClean || !mustBeReset(transfer),
    'delivered bytes are counted': lostBytes >= 0,
    'counted bytes are delivered, up to the bound': lostBytes <= lostBytesMax,
  };
  return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [rule]));
}

const isFramed = ({ protocol }: Transfer) => FRAMINGS.some((framing) => framing === protocol);

/** All bytes were sent and paid for, and the client waits until the end of the response. */
function mustBeClean(transfer: Transfer): boolean {
  const { end, paidShare, direction } = transfer;
  const isOrderly = end === 'fin' || (end === 'half-close' && !(direction === 'upload' && isFramed(transfer)));
  return isOrderly && paidShare === 1;
}

/** If a message is not self-delimiting, an aborting sender must never look like a finished one. */
function mustBeReset(transfer: Transfer): boolean {
  const isSelfDelimiting = isFramed(transfer) && transfer.protocol !== 'close-delimited';
  return !isSelfDelimiting && ['rst', 'disconnect'].includes(transfer.end);
}

describe.each(relays)('any transfer with relay %s', (relay) => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ relay, limits: { updateIntervalMs: 10, lingerMs: 20, loginFailuresPerMinute: 0 } });
  });
  afterAll(() => harness.stop());

  it('delivers a prefix, everything before a clean end, and counts the delivered bytes', async () => {
    const property = fc.asyncProperty(transfers, async (transfer) => {
      expect(await brokenRules(harness, transfer)).toEqual([]);
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});
