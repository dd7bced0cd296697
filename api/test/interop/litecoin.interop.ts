import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Litecoin, startLitecoin } from '../chains/litecoind.ts';
import { createObserver, type Observer } from '../chains/observer.ts';
import { describeWatcher } from '../chains/watcher-contract.ts';

describeWatcher('Litecoin', async () => (await startLitecoin()).chain);

describe('the watcher of Litecoin: replaced and orphaned transactions', () => {
  let litecoin: Litecoin;
  let address: string;
  let foreign: string;
  let observer: Observer;

  beforeAll(async () => {
    litecoin = await startLitecoin();
  }, 120_000);
  afterAll(() => litecoin?.chain.end());

  beforeEach(async () => {
    const { chain } = litecoin;
    [address, foreign] = [await chain.newAddress(), await chain.newAddress()];
    observer = createObserver(chain.createWatcher(), new Set([address]), chain.isFinal);
    await observer.poll();
  });

  const paySeen = async () => {
    const { chain } = litecoin;
    const transactionId = await chain.pay({ address, units: chain.units });
    await observer.catchUp();
    expect(observer.paymentsTo(address)).toHaveLength(1);
    return transactionId;
  };
  const makeFinal = async () => {
    await litecoin.chain.mine(litecoin.chain.blocksUntilFinal);
    await observer.catchUp();
  };

  it('drops a payment that was replaced by one to a foreign address', async () => {
    const transactionId = await paySeen();
    await litecoin.chain.replace!(transactionId, { address: foreign, units: litecoin.chain.units });
    await observer.catchUp();
    expect(observer.paymentsTo(address)).toEqual([]);
    await makeFinal();
    expect(observer.finalUnits(address)).toBe(0n);
  });

  it('counts a payment once that was replaced by one with a higher fee', async () => {
    const { chain } = litecoin;
    const first = await paySeen();
    const second = await chain.replace!(first, { address, units: chain.units });
    await observer.catchUp();
    expect(observer.paymentsTo(address).map((payment) => payment.transactionId)).toEqual([second]);
    await makeFinal();
    expect(observer.finalTo(address)).toMatchObject([{ transactionId: second, units: chain.units }]);
  });

  it('keeps a payment that an empty block leaves waiting, and drops it when it loses a conflict', async () => {
    const { chain, generateEmpty } = litecoin;
    const transactionId = await paySeen();
    await generateEmpty(foreign);
    await observer.catchUp();
    expect(observer.paymentsTo(address)).toHaveLength(1);
    await chain.replace!(transactionId, { address: foreign, units: chain.units });
    await chain.mine(1);
    await observer.catchUp();
    expect(observer.paymentsTo(address)).toEqual([]);
  });

  it('drops a payment of an orphaned block that loses a conflict afterwards', async () => {
    const { chain } = litecoin;
    const transactionId = await paySeen();
    await chain.mine(3);
    await observer.catchUp();
    expect(observer.includedUnits(address)).toBe(chain.units);
    await chain.reorganise(3, transactionId);
    await observer.catchUp();
    // It waits in the memory pool again.
    expect(observer.paymentsTo(address).map(({ block }) => block)).toEqual([undefined]);
    await chain.replace!(transactionId, { address: foreign, units: chain.units });
    await makeFinal();
    expect(observer.paymentsTo(address)).toEqual([]);
    expect(observer.finalUnits(address)).toBe(0n);
  });

  it('requires 24 confirmations for peg-outs from MWEB, and 100 for mined coins', async () => {
    const { rpc } = litecoin;
    await rpc('sendtoaddress', address, 1);
    await rpc('generatetoaddress', 1, address);
    await observer.catchUp();
    const confirmations = observer.paymentsTo(address).map((payment) => payment.confirmationsMin);
    expect(new Set(confirmations)).toEqual(new Set([24, 100]));
  });
});
