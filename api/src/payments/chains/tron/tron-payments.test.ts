/**
 * What is a payment on TRON, and what only looks like one.
 * @module-tag thorough
 */
import { describe, expect, it } from 'vitest';
import { encode } from '../../../../test/chains/tron/contracts.ts';
import { createKey } from '../../../../test/chains/tron/keys.ts';
import { openTron } from '../../../../test/chains/tron/open-tron.ts';
import { encodeTronAddress } from '../../derive/tron-address.ts';
import { toHexAddress } from './network.ts';

const UNITS = 25_000_000n;
const signal = new AbortController().signal;

describe('payments in USDT on TRON', () => {
  it('are the logs, of calls by anyone: the sender, an authorised one, a batch, a relayer', async () => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    const [to, { usdt, payer }] = [toHexAddress(address), chain.contracts];
    const owner = createKey();
    chain.endow(owner.address, 10n ** 9n, 100n * UNITS);
    for (const spender of [chain.bank.address, payer]) {
      const data = encode.approve(spender, 10n * UNITS);
      chain.send(owner, { kind: 'CALL', owner: owner.address, contract: usdt, value: 0n, data });
    }
    const ids = [
      send.usdt({ address, units: 1n }),
      send.call(usdt, encode.transferFrom(owner.address, to, 2n)),
      send.usdtBatch({ address, units: 3n }),
      send.call(payer, encode.relay(usdt, owner.address, to, 4n)),
    ];
    await makeFinal();
    const found = observer
      .finalTo(address)
      .map(({ transactionId, units, asset, sender }) => ({ transactionId, units, asset, sender }));
    const senders = [chain.bank.address, owner.address, payer, owner.address].map((one) =>
      encodeTronAddress(Buffer.from(one, 'hex')),
    );
    expect(found.toSorted((a, b) => Number(a.units - b.units))).toEqual(
      ids.map((transactionId, index) => {
        return { transactionId, units: BigInt(index + 1), asset: 'USDT', sender: senders[index] };
      }),
    );
  });

  it('are two if one transaction pays an address twice, and no third one after a fork puts it elsewhere', async () => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    chain.mine();
    const id = send.usdtBatch({ address, units: 1n }, { address: addresses[1], units: 9n }, { address, units: 2n });
    chain.mine(3);
    await observer.poll();
    const outputs = () =>
      observer.paymentsTo(address).map(({ transactionId, output, units }) => [transactionId, output, units]);
    const expected = [
      [id, 0, 1n],
      [id, 2, 2n],
    ];
    expect(outputs()).toEqual(expected);
    const before = chain.find(id)!;
    chain.fork(3, [id]);
    await observer.poll();
    expect(outputs()).toEqual([]);
    chain.includeAgain(id);
    await makeFinal();
    expect(chain.find(id)!.index).not.toBe(before.index);
    expect(outputs()).toEqual(expected);
    expect(observer.finalUnits(address)).toBe(3n);
  });

  it.each(['REVERT', 'OUT_OF_ENERGY', 'OUT_OF_TIME'] as const)('are none if the call ends with %s', async (result) => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    chain.forcedResult = result;
    const id = send.usdt({ address, units: UNITS });
    chain.mine();
    chain.forcedResult = undefined;
    await makeFinal();
    // It is in a block and has paid a fee.
    expect(chain.find(id)!.executed).toMatchObject({ result, fee: expect.any(BigInt) });
    expect(observer.paymentsTo(address)).toEqual([]);
  });

  it('are none if a contract of the same name or code sends, or nothing is sent', async () => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    const payout = { address, units: UNITS };
    const { forgedToken, otherToken } = chain.contracts;
    for (let count = 0; count < 20; count += 1) send.usdt({ address, units: 0n });
    for (const contract of [forgedToken, otherToken]) send.token(contract, payout);
    for (const name of ['TRX', 'USDT']) send.trc10(name, payout);
    await makeFinal();
    expect(observer.paymentsTo(address)).toEqual([]);
  });
});

describe('payments in TRX', () => {
  it('are reported as TRX, also if another coin was to be paid', async () => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    send.trx({ address, units: 100_000_000n });
    await makeFinal();
    const sender = encodeTronAddress(Buffer.from(chain.bank.address, 'hex'));
    expect(observer.finalTo(address)).toMatchObject([{ asset: 'TRX', units: 100_000_000n, output: 0, sender }]);
  });

  it('are none if the result is missing, even if the balance has grown', async () => {
    const { chain, addresses, observer, send, makeFinal } = await openTron();
    const [address] = addresses;
    chain.lacksResults = true;
    send.trx({ address, units: UNITS });
    chain.mine();
    chain.lacksResults = false;
    await makeFinal();
    expect(observer.paymentsTo(address)).toEqual([]);
  });

  it('are none if a contract sends them or the operator does; what addresses hold shows both', async () => {
    const funding = createKey();
    const fundingAddresses = [encodeTronAddress(Buffer.from(funding.address, 'hex'))];
    const { chain, addresses, observer, send, watcher, makeFinal } = await openTron({ fundingAddresses });
    const [byContract, byOperator] = addresses;
    send.trxByContract({ address: byContract, units: UNITS });
    chain.endow(funding.address, 10n ** 9n);
    const transfer = { kind: 'TRX', owner: funding.address, units: UNITS } as const;
    chain.send(funding, { ...transfer, to: toHexAddress(byOperator) });
    await makeFinal();
    expect(addresses.flatMap(observer.paymentsTo)).toEqual([]);
    const { units } = await watcher.balances('TRX', addresses, signal);
    expect([...units.values()]).toEqual([UNITS, UNITS]);
  });
});
