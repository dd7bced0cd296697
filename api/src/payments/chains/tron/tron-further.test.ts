/**
 * Two of three sources of TRON hide a payment by a contract, whose bytes prove nothing; the third is asked every five minutes.
 * @module-tag thorough
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { honest } from '../../../../test/chains/tron/behaviour.ts';
import { openTron } from '../../../../test/chains/tron/open-tron.ts';
import { CONTRADICTION } from '../sources.ts';
import { BLOCKS_REMEMBERED } from './cursor.ts';
import { toHexAddress } from './network.ts';

const STEP_MS = 5 * 60_000 + 1;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(1);
});
afterEach(() => void vi.useRealTimers());

it('names it within five minutes, and reports it once one of them admits it', async () => {
  const { chain, nodes, addresses, observer, send, makeFinal } = await openTron({ sources: 3 });
  const [address] = addresses;
  const bare = toHexAddress(address).slice(2);
  for (const { behaviour } of nodes.slice(0, 2))
    behaviour.changeLogs = (logs) => logs.filter(({ topics }) => !topics[2]!.endsWith(bare));
  await makeFinal();
  send.usdtBatch({ address, units: 5n });
  await makeFinal();
  expect(observer.finalTo(address)).toEqual([]);
  vi.advanceTimersByTime(STEP_MS);
  chain.mine(4);
  const { warnings } = await observer.poll();
  const name = new URL(nodes[2]!.url).host;
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`${CONTRADICTION}.*${name}.*transfers of USDT`))]);
  chain.mine(4);
  expect((await observer.poll()).warnings).toEqual(warnings);
  nodes[1]!.behaviour = honest();
  vi.advanceTimersByTime(STEP_MS);
  chain.mine(4);
  expect((await observer.poll()).warnings).toEqual([]);
  expect(observer.finalTo(address)).toMatchObject([{ units: 5n, output: 0 }]);
});

it('reports it also when more blocks have passed than a cursor remembers', async () => {
  const { chain, nodes, addresses, observer, send, makeFinal } = await openTron({ sources: 3 });
  const [address] = addresses;
  const bare = toHexAddress(address).slice(2);
  for (const { behaviour } of nodes.slice(0, 2))
    behaviour.changeLogs = (logs) => logs.filter(({ topics }) => !topics[2]!.endsWith(bare));
  await makeFinal();
  send.usdtBatch({ address, units: 5n });
  await makeFinal();
  vi.advanceTimersByTime(STEP_MS);
  await observer.poll();
  chain.mine(2 * BLOCKS_REMEMBERED);
  await observer.catchUp();
  nodes[1]!.behaviour = honest();
  vi.advanceTimersByTime(STEP_MS);
  chain.mine(4);
  await observer.catchUp();
  expect(observer.finalTo(address)).toMatchObject([{ units: 5n, output: 0 }]);
});
