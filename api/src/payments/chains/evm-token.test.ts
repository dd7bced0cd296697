import { expect, test } from 'vitest';
import { createFakeEvmChain, serveEvm } from '../../../test/chains/fake-evm.ts';
import { Refusal } from '../../../test/chains/fake-node.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createEvmWatcher } from './evm.ts';

const { signal } = new AbortController();
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
const revert = () => {
  throw new Refusal(3, 'execution reverted');
};
const refuse = () => {
  throw new Refusal(-32601, 'the method eth_call does not exist');
};

/** @param answers of each source */
async function readDecimals(...answers: (() => string)[]) {
  const chain = createFakeEvmChain({});
  const nodes = await Promise.all(
    answers.map((answer) => startFakeNode({ ...serveEvm(chain), eth_call: () => answer() })),
  );
  const watcher = createEvmWatcher({ chain: 'bsc', urls: nodes.map(({ url }) => url), usdtContract: chain.token });
  return watcher.tokenDecimals!(signal);
}

test.each([
  ['those of a token', () => word(18), 18],
  ['none where there is no contract', () => '0x', undefined],
  ['none of a contract that is no token', revert, undefined],
])('reads %s', async (_, answer, decimals) => {
  expect(await readDecimals(answer)).toBe(decimals);
});

test('a source that refuses to call contracts says nothing about the token', async () => {
  await expect(readDecimals(refuse)).rejects.toMatchObject({ reason: 'INVALID_RESPONSE' });
});

test('two sources must agree', async () => {
  await expect(
    readDecimals(
      () => word(6),
      () => word(18),
    ),
  ).rejects.toMatchObject({ reason: 'DISAGREEING' });
});
