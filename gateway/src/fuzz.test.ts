import { describe, expect, it } from 'vitest';
import { acceleratorFile, relays } from '../test/accelerator.ts';
import { fuzz } from '../test/fuzz/fuzz.ts';
import { compareRelays } from '../test/fuzz/relays/relays.ts';
import { scaled } from '../../tools/test-scale.ts';

/** `npm run fuzz` runs more inputs, or a single one; the build server runs 100,000. */
const INPUTS = scaled(200, 2_000);
const RELAY_INPUTS = scaled(60, 1_000);
const SEED = 1;
const DIALLED_SHARE_MIN = 0.2;
const TIMEOUT_MS = 600_000;

describe.each(relays)('the public port with relay %s', (relay) => {
  it(
    `handles ${INPUTS} inputs of seed ${SEED}: valid, mutated, split, pipelined, slow, and disconnecting clients`,
    { tags: ['long'], timeout: TIMEOUT_MS },
    async () => {
      const report = await fuzz({ seed: SEED, inputs: INPUTS, batch: INPUTS, relay });
      expect(report.faults).toEqual([]);
      expect(report.inputs).toBe(INPUTS);
      expect(report.dialled).toBeGreaterThan(INPUTS * DIALLED_SHARE_MIN);
    },
  );
});

// Without a compiler, test/accelerator.ts says so.
describe.runIf(acceleratorFile !== undefined)('native code', () => {
  it(
    `shows the same in ${RELAY_INPUTS} cases of seed ${SEED} as TypeScript: bytes, ends, usage, reasons, refusals and metrics`,
    { tags: ['long'], timeout: TIMEOUT_MS },
    async () => {
      const report = await compareRelays({ seed: SEED, inputs: RELAY_INPUTS });
      expect(report.faults).toEqual([]);
      expect(report.inputs).toBeGreaterThan(RELAY_INPUTS);
      expect(report.acceleratedMax).toBeGreaterThan(0);
    },
  );
});
