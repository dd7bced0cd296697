import { describe, expect, it } from 'vitest';
import { createFakeEvmChain, serveEvm } from '../../../test/chains/fake-evm.ts';
import { type Methods, Refusal } from '../../../test/chains/fake-node.ts';
import { createFakeToken, type FakeToken, serveToken } from '../../../test/chains/fake-token.ts';
import { startFakeNode } from '../../../test/chains/test-node.ts';
import { createEvmWatcher } from './evm.ts';

const signal = new AbortController().signal;
const contract = `0x${'70'.repeat(20)}`;
/** As a wallet shows it. */
const ours = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const other = '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0';

const transfers = [{ height: 995, to: `0x${'12'.repeat(20)}`, units: 1n }];

async function openWatcher(token: FakeToken, changes: Methods = {}, chainId = 1) {
  const chain = createFakeEvmChain({ chainId, transfers, token: contract });
  const methods = {
    ...serveEvm(chain),
    ...serveToken(token),
    eth_getBalance: () => '0x0',
    eth_gasPrice: () => '0x3b9aca00',
    eth_maxPriorityFeePerGas: () => '0x5f5e100',
    eth_getTransactionCount: (address: string) => (address === ours ? '0x3' : '0x0'),
    ...changes,
  };
  const node = await startFakeNode(methods);
  const name = chainId === 1 ? 'ethereum' : 'bsc';
  return createEvmWatcher({ chain: name, urls: [node.url], usdtContract: contract });
}

const refuse = () => {
  throw new Refusal(-32601, 'the method is not available');
};

async function problems(token: Partial<FakeToken>, changes?: Methods) {
  const watcher = await openWatcher(createFakeToken(token), changes);
  const findings = await watcher.check(signal);
  return findings
    .filter(({ isOk }) => !isOk)
    .map(({ need, isRequired }) => `${need}${isRequired ? '' : ' (optional)'}`);
}

describe('the check of a source', () => {
  it('finds nothing at one that serves everything', async () => {
    expect(await problems({})).toEqual([]);
  });

  it.each<[string, Partial<FakeToken>, Methods, string[]]>([
    ['refuses logs', {}, { eth_getLogs: refuse }, ['eth_getLogs', 'logs of the token (optional)']],
    [
      'refuses calls of contracts',
      {},
      { eth_call: refuse },
      ['eth_call of Multicall3', 'contract of USDT', 'state of USDT (optional)'],
    ],
    ['has not indexed logs', {}, { eth_getLogs: () => [] }, ['logs of the token (optional)']],
    ['has no archive', {}, { eth_getBalance: refuse }, ['states of old blocks (optional)']],
    ['has an archive without proofs', {}, { eth_getProof: refuse }, ['states of old blocks (optional)']],
    ['has no receipts', {}, { eth_getTransactionReceipt: () => null }, []],
    ['serves another network', {}, { eth_chainId: () => '0x5' }, ['newest block']],
    ['is asked for a token with other decimals', { decimals: 18 }, {}, ['contract of USDT']],
    ['is asked for a token that its issuer has paused', { isPaused: true }, {}, ['state of USDT (optional)']],
    ['is asked for a token that was replaced', { isDeprecated: true }, {}, ['state of USDT (optional)']],
  ])('that %s says so', async (_title, token, changes, expected) => {
    expect(await problems(token, changes)).toEqual(expected);
  });

  it('asks each source by itself, also if one cannot be reached', async () => {
    const chain = createFakeEvmChain({ chainId: 56, transfers, token: contract });
    const node = await startFakeNode({ ...serveEvm(chain), ...serveToken(createFakeToken({ decimals: 18 })) });
    const urls = ['http://127.0.0.1:1', node.url];
    const watcher = createEvmWatcher({ chain: 'bsc', urls, usdtContract: contract });
    const findings = await watcher.check(signal);
    expect(findings.map(({ source, isOk }) => [source, isOk])).toEqual([
      ['127.0.0.1:1', false],
      ...Array.from({ length: 6 }, () => [new URL(node.url).host, true]),
    ]);
  });
});

describe('the list for a sweep', () => {
  const held = [ours, other].map((address, index) => ({ account: '00', index, address, assets: [] }));

  it('has the balances, those of the coin for the fee too, nonces, a fee, and which addresses are frozen', async () => {
    const token = createFakeToken({
      units: { [ours.toLowerCase()]: 50n, [other.toLowerCase()]: 7n },
      coins: { [ours.toLowerCase()]: 10n ** 18n },
      frozen: [other.toLowerCase()],
    });
    expect(await (await openWatcher(token)).describeHoldings(held, signal)).toEqual({
      chain: 'ethereum',
      chainId: 1,
      fee: { maxFeePerGas: '2000000000', maxPriorityFeePerGas: '100000000' },
      addresses: [
        {
          account: '00',
          index: 0,
          address: ours,
          nonce: 3,
          assets: [
            { asset: 'ETH', units: '1000000000000000000' },
            { asset: 'USDT', contract, units: '50' },
          ],
          notes: [],
        },
        {
          account: '00',
          index: 1,
          address: other,
          nonce: 0,
          assets: [{ asset: 'USDT', contract, units: '7' }],
          notes: ['The issuer of USDT has frozen this address: its USDT cannot be moved.'],
        },
      ],
    });
  });

  it('of BSC names BNB, and does without a suggested tip and without a token that can freeze', async () => {
    const token = createFakeToken({ coins: { [ours.toLowerCase()]: 5n }, frozen: undefined });
    const watcher = await openWatcher(token, { eth_maxPriorityFeePerGas: refuse }, 56);
    expect(await watcher.describeHoldings(held.slice(0, 1), signal)).toMatchObject({
      chain: 'bsc',
      fee: { maxPriorityFeePerGas: '1000000000' },
      addresses: [{ assets: [{ asset: 'BNB', units: '5' }], notes: [] }],
    });
  });
});

describe('a cursor for a rescan', () => {
  it('continues after a final block, and there is none at a later one', async () => {
    const watcher = await openWatcher(createFakeToken());
    const poll = await watcher.poll(await watcher.cursorAt(980, signal), new Set([transfers[0]!.to]), signal);
    expect(poll).toMatchObject({ orphanedBlockHashes: [], payments: [{ units: 1n }], scannedHeight: 998 });
    await expect(watcher.cursorAt(991, signal)).rejects.toMatchObject({ reason: 'LAGGING' });
  });
});
