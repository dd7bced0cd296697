/**
 * What is a payment, with the real virtual machine: traps that have cost other services money.
 * @module-tag thorough
 */
import { beginCell } from '@ton/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodies, walletState } from './jetton.ts';
import { randomTonAddress } from './local-ton.ts';
import { TON } from './ton-chain.ts';
import { on, startTwoSources, type TwoSources } from './two-sources.ts';

let ton: TwoSources;
beforeAll(async () => {
  ton = await startTwoSources();
});
afterAll(() => ton.close());

const signal = new AbortController().signal;

it('credits TON to an address without a contract, although its transaction is aborted', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const transactions = await ton.chain.send({ to: addresses[0]!, value: 2n * TON });
  ton.chain.mine();
  await observer.catchUp();
  const sender = ton.chain.bank.address.toString({ bounceable: false });
  expect(observer.finalTo(addresses[0]!.toString({ bounceable: false }))).toMatchObject([{ sender }]);
  expect(on(addresses[0]!, transactions)[0]!.description).toMatchObject({ aborted: true });
  expect(unitsOf(addresses[0]!)).toEqual([2n * TON]);
});

it('credits nothing of a bounceable transfer that went back, but the dust that stays and the next transfer', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(2);
  const [returned, dust] = addresses as [(typeof addresses)[0], (typeof addresses)[0]];
  await ton.chain.send({ to: returned, value: TON, bounce: true }, { to: dust, value: 1000n, bounce: true });
  ton.chain.mine();
  await observer.catchUp();
  expect(unitsOf(returned)).toEqual([]);
  // Too little for the message that would return it.
  expect(unitsOf(dust)).toEqual([1000n]);
  await ton.chain.send({ to: returned, value: 3n * TON });
  ton.chain.mine();
  await observer.catchUp();
  expect(unitsOf(returned)).toEqual([3n * TON]);
});

it('credits each transfer of USDT once, whatever it notifies, and TON that comes with it as TON', async () => {
  const { observer, addresses } = await ton.watch(1);
  const [owner] = addresses;
  await ton.chain.send(ton.chain.tokenTransfer(owner!, 5_000_000n));
  await ton.chain.send(ton.chain.tokenTransfer(owner!, 6_000_000n, 1n));
  await ton.chain.send(ton.chain.tokenTransfer(owner!, 7_000_000n, TON / 20n));
  ton.chain.mine();
  await observer.catchUp();
  const found = observer
    .finalTo(owner!.toString({ bounceable: false }))
    .map(({ asset, units, sender }) => [asset, units, sender]);
  const bank = ton.chain.bank.address.toString({ bounceable: false });
  expect(found).toHaveLength(4);
  expect(found).toEqual(
    expect.arrayContaining([
      ['USDT', 5_000_000n, bank],
      ['USDT', 6_000_000n, bank],
      ['USDT', 7_000_000n, bank],
      ['TON', TON / 20n, undefined],
    ]),
  );
});

it('credits USDT that the issuer mints to our address', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const body = bodies.mint(addresses[0]!, TON / 10n, { units: 8_000_000n, from: null });
  await ton.chain.send({ to: ton.chain.master, value: TON, body });
  ton.chain.mine();
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([8_000_000n]);
});

it('ignores forged notifications and forged transfers', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const [owner] = addresses;
  const wallet = ton.chain.walletOf(owner!);
  const mallory = await ton.chain.blockchain.treasury('mallory');
  const forged = bodies.internalTransfer({ units: 9_000_000n, from: mallory.address });
  await ton.chain.send(ton.chain.tokenTransfer(owner!, 1_000_000n));
  await ton.chain.sendFrom(
    mallory,
    { to: owner!, value: TON / 1000n, body: bodies.notification(9_000_000n, ton.chain.bank.address) },
    { to: wallet, value: TON, bounce: true, body: forged },
    // It deploys a wallet with a balance, which has another address.
    {
      to: wallet,
      value: TON,
      init: walletState(owner!, ton.chain.master, { balance: 10n ** 12n }),
      body: bodies.topUp(),
    },
  );
  ton.chain.mine();
  await observer.catchUp();
  expect(unitsOf(owner!)).toEqual([1_000_000n]);
});

it.each([
  ['that waits', { finality: 'pending' }],
  ['that is not final yet', { finality: 'confirmed' }],
  ['that is emulated', { emulated: true }],
  ['that is in no block yet', { mc_block_seqno: 0 }],
])('credits nothing of a transaction %s, and all when it is final', async (_, change) => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  ton.index.behaviour.changeTransaction = (printed) => ({ ...printed, ...change });
  await ton.chain.send(ton.chain.tokenTransfer(addresses[0]!, 5_000_000n));
  ton.chain.mine();
  await observer.poll();
  expect(unitsOf(addresses[0]!)).toEqual([]);
  ton.index.behaviour.changeTransaction = (printed) => printed;
  ton.chain.mine(3);
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([5_000_000n]);
});

it.each([
  ['release 1.2.5', { finality: undefined }],
  ['releases 1.2.6 to 1.2.8', { finality: 'unknown_3' }],
  ['releases after them', { finality: 'finalized' }],
])('credits what the index of %s calls final', async (_, change) => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  ton.index.behaviour.changeTransaction = (printed) => ({ ...printed, ...change }) as typeof printed;
  await ton.chain.send({ to: addresses[0]!, value: TON });
  await ton.chain.send(ton.chain.tokenTransfer(addresses[0]!, 5_000_000n));
  ton.chain.mine();
  await observer.catchUp();
  ton.index.behaviour.changeTransaction = (printed) => printed;
  expect(unitsOf(addresses[0]!)).toEqual([TON, 5_000_000n]);
});

it('credits a transaction whose logical time is smaller than one of an earlier block', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(2);
  const [first, second] = addresses as [(typeof addresses)[0], (typeof addresses)[0]];
  const early = on(first, await ton.chain.send({ to: first, value: TON }))[0]!;
  const late = on(second, await ton.chain.send({ to: second, value: 2n * TON }))[0]!;
  expect(early.lt).toBeLessThan(late.lt);
  ton.chain.mine(1, (transaction) => transaction !== early);
  await observer.catchUp();
  expect([first, second].map(unitsOf)).toEqual([[], [2n * TON]]);
  ton.chain.mine();
  await observer.catchUp();
  expect([first, second].map(unitsOf)).toEqual([[TON], [2n * TON]]);
});

it('credits equal payments of one sender in one second, each once', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const equal = { to: addresses[0]!, value: TON, body: 'the same text' };
  await ton.chain.send(equal, equal);
  const transfer = ton.chain.tokenTransfer(addresses[0]!, 5_000_000n);
  await ton.chain.send(transfer, transfer);
  ton.chain.mine();
  await observer.catchUp();
  await observer.poll();
  expect(unitsOf(addresses[0]!).map(String).toSorted()).toEqual(
    [TON, TON, 5_000_000n, 5_000_000n].map(String).toSorted(),
  );
});

it('credits a payment with any comment to the address that was paid', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const comments = [
    'invoice 12 of somebody else',
    beginCell()
      .storeUint(0, 32)
      .storeBuffer(Buffer.from([0xff, 0, 0xfe]))
      .endCell(),
    // Encrypted, of a value below that of other operations.
    beginCell().storeUint(0x2167da4b, 32).storeBuffer(Buffer.alloc(64, 7)).endCell(),
    beginCell().endCell(),
    beginCell().storeUint(1, 8).endCell(),
  ];
  await ton.chain.send(...comments.map((body) => ({ to: addresses[0]!, value: TON / 1000n, body })));
  ton.chain.mine();
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual(comments.map(() => TON / 1000n));
});

it('credits nothing when the issuer has locked our address, and the money goes back to the sender', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const [owner] = addresses;
  await ton.chain.send(ton.chain.tokenTransfer(owner!, 1_000_000n));
  await ton.chain.send({ to: ton.chain.master, value: TON, body: bodies.lock(owner!, TON / 20n, 3) });
  await ton.chain.send(ton.chain.tokenTransfer(owner!, 2_000_000n));
  ton.chain.mine();
  await observer.catchUp();
  expect(unitsOf(owner!)).toEqual([1_000_000n]);
});

it('credits neither what comes from our own addresses nor what wallets of tokens return', async () => {
  const funding = await ton.chain.blockchain.treasury('funding');
  const { observer, addresses, unitsOf } = await ton.watch(1, { fundingAddresses: [funding.address.toString()] });
  const [owner] = addresses;
  await ton.chain.sendFrom(funding, { to: owner!, value: TON });
  await ton.chain.send({ to: owner!, value: TON / 2n, body: bodies.excesses() });
  ton.chain.mine();
  await observer.catchUp();
  expect(unitsOf(owner!)).toEqual([]);
  // The daily comparison sees them: they are no payments, but the address holds them.
  const address = owner!.toString({ bounceable: false });
  const { units } = await ton.createWatcher().balances('TON', [address], signal);
  expect(units.get(address)).toBe((TON * 3n) / 2n);
});

it('credits a payment that was stuck between shards when it arrives, with the time of its arrival', async () => {
  const { observer, addresses, unitsOf } = await ton.watch(1);
  const transactions = await ton.chain.sendSlowly(60, { to: addresses[0]!, value: TON });
  const [arrival] = on(addresses[0]!, transactions);
  expect(arrival!.now - transactions[0]!.now).toBe(60);
  ton.chain.mine(1, (transaction) => transaction !== arrival);
  await observer.catchUp();
  expect(unitsOf(addresses[0]!)).toEqual([]);
  ton.chain.mine();
  await observer.catchUp();
  const [payment] = observer.finalTo(addresses[0]!.toString({ bounceable: false }));
  expect(payment).toMatchObject({ units: TON, arrivedAt: new Date(arrival!.now * 1000) });
});

it('names a payment by the hash of the transaction on our account, as explorers do', async () => {
  const { observer, addresses } = await ton.watch(1);
  const [transaction] = on(addresses[0]!, await ton.chain.send({ to: addresses[0]!, value: TON }));
  ton.chain.mine();
  await observer.catchUp();
  const [payment] = observer.finalTo(addresses[0]!.toString({ bounceable: false }));
  expect(payment).toMatchObject({
    transactionId: transaction!.hash().toString('hex'),
    output: 0,
    block: { height: ton.chain.head.seqno, hash: ton.chain.head.rootHash.toString('hex') },
  });
});

it('reads what an address without transactions holds', async () => {
  const address = randomTonAddress();
  for (const asset of ['TON', 'USDT'])
    expect((await ton.createWatcher().balances(asset, [address], signal)).units).toEqual(new Map([[address, 0n]]));
});
