/** Sweeps that the offline program has signed, on real nodes of Ethereum: the list from a watcher, the result from the chain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEvmWatcher } from '../../src/payments/chains/evm.ts';
import { createSweepSource } from '../../src/payments/sweep/sweep-source.ts';
import { networks } from '../../src/payments/sweep/networks.ts';
import { type Anvil, mintOf, startAnvil } from '../chains/anvil.ts';
import { EVM_ACCOUNT, EVM_ADDRESSES, EVM_TREASURY, holdingsFile, USDT } from '../holdings.ts';
import { signList } from '../offline-signing.ts';

const [FIRST, SECOND] = EVM_ADDRESSES;
const ETHER = 10n ** 18n;

describe.each(['ethereum', 'bsc'] as const)('on %s', (chain) => {
  const usdtUnits = 250n * 10n ** BigInt(networks[chain].usdtDecimals);
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil(chain);
    // Where it is on the main network.
    await anvil.rpc('anvil_setCode', USDT[chain], await anvil.rpc('eth_getCode', anvil.token, 'latest'));
  });
  afterAll(() => anvil.end());

  const coinOf = async (owner: string) => BigInt(await anvil.rpc('eth_getBalance', owner, 'latest'));
  const usdtOf = async (owner: string) => {
    const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`;
    return BigInt(await anvil.rpc('eth_call', { to: USDT[chain], data }, 'latest'));
  };

  it('USDT and the coin arrive, the sender is the derived address, and the fee stays below what was said', async () => {
    await anvil.send(mintOf(USDT[chain], SECOND, usdtUnits));
    await anvil.send({ to: FIRST, value: ETHER });
    await anvil.send({ to: SECOND, value: ETHER / 100n });
    await anvil.mine(30);
    const watcher = createEvmWatcher({ chain, urls: [anvil.url], usdtContract: USDT[chain] });
    const signal = AbortSignal.timeout(20_000);
    const held = EVM_ADDRESSES.map((address, index) => ({ account: EVM_ACCOUNT, index, address, assets: [] }));
    const list = await watcher.describeHoldings(held, signal);
    const { sweeps } = await signList(holdingsFile(list), [EVM_TREASURY, EVM_TREASURY, 'sign'], new Date());
    const source = createSweepSource(chain, anvil.url);
    for (const each of sweeps) expect(await source.post(each, signal)).toBe('TAKEN');
    for (const each of sweeps) expect(await source.post(each, signal)).toBe('KNOWN');
    await anvil.mine(2);
    for (const each of sweeps) {
      const { transactionId, from } = each;
      expect(await source.find(each, signal)).toMatchObject({ isSuccessful: true });
      // The node recovers the sender with its own code.
      const transaction = await anvil.rpc<{ from: string }>('eth_getTransactionByHash', transactionId);
      expect(transaction.from).toBe(from.toLowerCase());
    }
    const native = sweeps.filter(({ contract }) => contract === undefined);
    expect(native.map(({ from }) => from)).toEqual([FIRST, SECOND]);
    expect(await coinOf(EVM_TREASURY)).toBe(native.reduce((sum, { units }) => sum + units, 0n));
    expect([await usdtOf(EVM_TREASURY), await usdtOf(SECOND)]).toEqual([usdtUnits, 0n]);
    expect(await coinOf(FIRST)).toBeLessThan(ETHER - native[0]!.units);
    // It can be in the chain once.
    expect(await source.post(sweeps[0]!, signal)).toMatchObject({
      refusal: expect.stringContaining('nonce'),
    });
  });
});
