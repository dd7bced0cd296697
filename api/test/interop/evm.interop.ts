import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEvmNode } from '../../src/payments/chains/evm-node.ts';
import { readProvenBalance } from '../../src/payments/chains/evm-proof.ts';
import { createEvmWatcher } from '../../src/payments/chains/evm.ts';
import { type Anvil, encodePay, randomAddress, startAnvil, startEther, startUsdt } from '../chains/anvil.ts';
import { createObserver } from '../chains/observer.ts';
import { describeWatcher } from '../chains/watcher-contract.ts';

const signal = new AbortController().signal;
/** No memory pool is watched. */
const lacking = ['REPLACEMENTS'] as const;

describeWatcher('ether', startEther, lacking);
describeWatcher('USDT on Ethereum, with 6 decimals', () => startUsdt('ethereum'), lacking);
describeWatcher('USDT on BSC, with 18 decimals', () => startUsdt('bsc'), lacking);

describe('ether that arrives without a transaction of its own', () => {
  const units = 10n ** 17n;
  const blocksUntilFinal = 12;
  let anvil: Anvil;

  beforeAll(async () => {
    anvil = await startAnvil('ethereum');
  }, 120_000);
  afterAll(() => anvil?.end());

  async function observe(addresses: string[], fundingAddresses: string[] = []) {
    const { url, token } = anvil;
    const watcher = createEvmWatcher({ chain: 'ethereum', urls: [url], usdtContract: token, fundingAddresses });
    const observer = createObserver(watcher, new Set(addresses), ({ block }, { head }) => {
      return block!.height <= head.finalizedHeight!;
    });
    await observer.poll();
    return observer;
  }
  const payFromContract = (...addresses: string[]) => {
    const payouts = addresses.map((address) => ({ address, units }));
    return anvil.send({ to: anvil.payer, value: units * BigInt(addresses.length), data: encodePay(payouts) });
  };

  it('is one payment per block and address, regardless of the ranges that are read', async () => {
    const [a, b] = [randomAddress(), randomAddress()];
    const [slow, fast] = [await observe([a, b]), await observe([a, b])];
    await payFromContract(a, b);
    await anvil.mine(1);
    await fast.poll();
    await payFromContract(a);
    await anvil.send({ to: a, value: units });
    for (let block = 0; block < blocksUntilFinal; block += 1) {
      await anvil.mine(1);
      await fast.poll();
    }
    await slow.catchUp();
    await fast.catchUp();
    expect(slow.finalUnits(a)).toBe(units * 3n);
    expect(slow.finalUnits(b)).toBe(units);
    const ids = slow.finalTo(a).map(({ transactionId }) => transactionId);
    expect(ids.filter((id) => id.startsWith('balance:'))).toHaveLength(2);
    expect(new Set(fast.finalTo(a).map(({ transactionId }) => transactionId))).toEqual(new Set(ids));
  });

  it('is reported when its block is safe, before it is final', async () => {
    const address = randomAddress();
    const observer = await observe([address]);
    await payFromContract(address);
    await anvil.mine(6);
    await observer.catchUp();
    expect(observer.includedUnits(address)).toBe(units);
    expect(observer.finalUnits(address)).toBe(0n);
    await anvil.mine(blocksUntilFinal);
    await observer.catchUp();
    expect(observer.finalTo(address)).toMatchObject([{ units }]);
  });

  it('is proven by the root of the states', async () => {
    const address = randomAddress();
    await payFromContract(address);
    await anvil.mine(1);
    const node = createEvmNode(anvil.url);
    const { number, stateRoot } = (await node.header('latest', signal))!;
    for (const [owner, balance] of [
      [address, units],
      [randomAddress(), 0n],
    ] as const) {
      const proof = await node.accountProof(owner, number, signal);
      expect(readProvenBalance(stateRoot, owner, proof!)).toBe(balance);
    }
  });

  it('is found although the same range contains its sweep', async () => {
    const address = randomAddress();
    const observer = await observe([address]);
    await payFromContract(address);
    await anvil.mine(1);
    await anvil.rpc('anvil_impersonateAccount', address);
    const sweep = { from: address, to: anvil.sender, value: `0x${(units / 2n).toString(16)}` };
    await anvil.rpc('eth_sendTransaction', sweep);
    await anvil.mine(blocksUntilFinal);
    await observer.catchUp();
    expect(observer.finalTo(address)).toMatchObject([{ asset: 'ETH', units }]);
  });

  it('is not a payment if the operator sends it to pay for a sweep', async () => {
    const address = randomAddress();
    const observer = await observe([address], [anvil.sender]);
    await anvil.send({ to: address, value: units });
    await anvil.mine(blocksUntilFinal);
    await observer.catchUp();
    expect(observer.paymentsTo(address)).toEqual([]);
  });
});
