/**
 * `npm run faults`: injects faults into the product or attacks it, and fails if customers or their money are affected.
 *
 * Usage: npm run faults -- [rounds=13] [seed=7] [only=gateway]
 *        npm run faults -- kind=sockets [seconds=60] [sockets=5000] [descriptors=1024] [addresses=500]
 */
import { kind } from './options.ts';

const kinds: Record<string, () => Promise<unknown>> = {
  programs: () => import('./run.ts'),
  sockets: () => import('./sockets.ts'),
};

const start = kinds[kind];
if (start) await start();
else {
  console.error(`"kind=${kind}" is unknown. Use one of ${Object.keys(kinds).join(', ')}`);
  process.exit(1);
}
