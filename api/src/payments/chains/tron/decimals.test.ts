import { expect, test } from 'vitest';
import { TronChain } from '../../../../test/chains/tron/chain.ts';
import { createToken } from '../../../../test/chains/tron/contracts.ts';
import { startTronNode } from '../../../../test/chains/tron/node.ts';
import { createTronWatcher } from './tron-watcher.ts';

const { signal } = new AbortController();

async function readDecimals(...chains: TronChain[]) {
  const nodes = await Promise.all(chains.map((chain) => startTronNode(chain)));
  const watcher = createTronWatcher({ urls: nodes.map(({ url }) => url), now: chains[0]!.now });
  return watcher.tokenDecimals!(signal);
}

function createChain(decimals?: number): TronChain {
  const chain = new TronChain();
  chain.programs.delete(chain.contracts.usdt);
  if (decimals !== undefined) chain.programs.set(chain.contracts.usdt, createToken({ decimals }));
  return chain;
}

test.each([[6], [18], [undefined]])('reads the decimals of the contract: %s', async (decimals) => {
  expect(await readDecimals(createChain(decimals))).toBe(decimals);
});

test('two sources must agree', async () => {
  await expect(readDecimals(createChain(6), createChain(18))).rejects.toMatchObject({ reason: 'DISAGREEING' });
});
