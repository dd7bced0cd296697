import { describe, expect, it } from 'vitest';
import { fuzz } from '../test/fuzz/fuzz.ts';

/** `npm run fuzz` plays more of them, or one alone. */
const INPUTS = 50_000;
const SEED = 1;
const DIALLED_SHARE_MIN = 0.2;
/** Half a minute on two processors that do nothing else. */
const TIMEOUT_MS = 600_000;

describe('the public port', () => {
  it(
    `bears ${INPUTS} inputs of seed ${SEED}: legal, mutated, split, pipelined, slow, and from clients that vanish`,
    async () => {
      const report = await fuzz({ seed: SEED, inputs: INPUTS, batch: INPUTS / 2 });
      expect(report.faults).toEqual([]);
      expect(report.inputs).toBe(INPUTS);
      expect(report.dialled).toBeGreaterThan(INPUTS * DIALLED_SHARE_MIN);
    },
    TIMEOUT_MS,
  );
});
