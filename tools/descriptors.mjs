// @ts-check
import { execFileSync } from 'node:child_process';
import { Problem } from './problem.mjs';

/** For hundreds of associations with their clients in one process, or a thousand DNS ports over UDP and TCP. */
const NEEDED = 4096;

/** The hard limit of open files, to which Node raises its own. @returns {number} */
export function readDescriptorLimit() {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim();
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** The product copes with few descriptors; tests with thousands of sockets would wait for minutes. @param {number} limit @throws Problem */
export function requireDescriptors(limit) {
  if (limit >= NEEDED) return;
  throw new Problem(
    `The tests need ${NEEDED} open files in one process, and the hard limit of this shell is ${limit} (ulimit -Hn): raise it.`,
  );
}
