import { describe, expect, it } from 'vitest';
import { fuzzDatagrams } from '../../test/fuzz/datagrams.ts';
import { scaled } from '../../../tools/test-scale.ts';

/** `FUZZ_DATAGRAMS=200000` runs more of them. */
const INPUTS = Number(process.env['FUZZ_DATAGRAMS'] ?? scaled(500, 20_000));
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const RELAYED_SHARE_MIN = 0.4;
const TIMEOUT_MS = 600_000;

describe('a UDP association', () => {
  it(
    `handles ${INPUTS} datagrams of seed ${SEED}: valid, mutated, random, and from strangers`,
    { tags: ['long'], timeout: TIMEOUT_MS },
    async () => {
      const { faults, datagrams, relayed, seconds, before, after } = await fuzzDatagrams({
        seed: SEED,
        inputs: INPUTS,
      });
      expect(faults).toEqual([]);
      expect(datagrams).toBeGreaterThanOrEqual(INPUTS);
      expect(relayed).toBeGreaterThan(INPUTS * RELAYED_SHARE_MIN);
      const megabytes = [before, after].map(({ heapBytes }) => (heapBytes / 1e6).toFixed(1));
      const sockets = `descriptors ${before.descriptors} and ${after.descriptors}`;
      console.log(`${datagrams} datagrams in ${seconds.toFixed(1)} s, heap ${megabytes.join(' and ')} MB, ${sockets}`);
    },
  );
});
