/** What the virtual machine really does with messages to our accounts, and how both versions of toncenter show it. */
import { Address, beginCell, Cell, contractAddress, type Transaction } from '@ton/core';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deriveJettonWallet } from '../../../src/payments/chains/ton/jetton-wallet.ts';
import { type Facade, startFacade } from './facade.ts';
import { bodies, operationOf, walletCodeHash, walletState } from './jetton.ts';
import { rawAddress, TON, TonChain } from './ton-chain.ts';
import type { PrintedTransaction } from './v3-printing.ts';

let chain: TonChain;
let facade: Facade;
beforeAll(async () => {
  chain = await TonChain.start();
  facade = await startFacade(chain);
});
afterAll(() => facade.close());

const newAddress = () => new Address(0, randomBytes(32));
const on = (address: Address, transactions: readonly Transaction[]) =>
  transactions.filter((one) => rawAddress(one.address) === address.toRawString());

/** The facts by which payments are told from what only looks like them. */
function factsOf({ description, outMessages }: Transaction) {
  if (description.type !== 'generic') throw new Error('not an ordinary transaction');
  const { computePhase, aborted } = description;
  return {
    aborted,
    exit: computePhase.type === 'vm' ? computePhase.exitCode : computePhase.reason,
    bounces: outMessages.values().filter(({ info }) => info.type === 'internal' && info.bounced).length,
  };
}

async function readV3<Answer>(path: string): Promise<Answer> {
  return (await (await fetch(facade.url + path)).json()) as Answer;
}

async function readV2<Result>(path: string): Promise<Result> {
  const { result } = (await (await fetch(facade.urlOfV2 + path)).json()) as { result: Result };
  return result;
}

it('keeps what was sent without the bounce flag to an address without a contract, and returns what was sent with it', async () => {
  const [kept, returned, dust] = [newAddress(), newAddress(), newAddress()];
  const [keeping] = on(kept, await chain.send({ to: kept, value: 2n * TON }));
  expect(factsOf(keeping!)).toEqual({ aborted: true, exit: 'no-state', bounces: 0 });
  const [returning] = on(returned, await chain.send({ to: returned, value: TON, bounce: true }));
  expect(factsOf(returning!)).toEqual({ aborted: true, exit: 'no-state', bounces: 1 });
  const [staying] = on(dust, await chain.send({ to: dust, value: 1000n, bounce: true }));
  expect(factsOf(staying!)).toMatchObject({ aborted: true, bounces: 0 });
  chain.mine();
  const balances = [kept, returned, dust].map((address) => chain.stateOf(address.toRawString()).balance);
  expect(balances).toEqual([2n * TON, 0n, 1000n]);
});

it('credits tokens on the wallet of the owner, who need not notice', async () => {
  const owner = newAddress();
  const wallet = chain.walletOf(owner);
  const silent = await chain.send(chain.tokenTransfer(owner, 5_000_000n));
  expect(on(owner, silent)).toEqual([]);
  expect(on(wallet, silent).map(factsOf)).toEqual([{ aborted: false, exit: 0, bounces: 0 }]);
  const unnoticed = await chain.send(chain.tokenTransfer(owner, 6_000_000n, 1n));
  expect(on(owner, unnoticed).map(factsOf)).toMatchObject([{ aborted: true }]);
  const noticed = await chain.send(chain.tokenTransfer(owner, 7_000_000n, TON / 20n));
  const [notification] = on(owner, noticed);
  expect(operationOf(notification!.inMessage!)).toBe(0x7362d09c);
  expect(on(wallet, await chain.send({ to: chain.master, value: TON, body: mint(owner, 1n) }))).toHaveLength(1);
  chain.mine();
  expect(await tokensOf(wallet)).toBe(18_000_001n);
});

const mint = (owner: Address, units: bigint) => bodies.mint(owner, TON / 10n, { units, from: null });

async function tokensOf(wallet: Address): Promise<bigint> {
  const { stackReader } = await chain.blockchain.runGetMethod(wallet, 'get_wallet_data');
  return stackReader.readBigNumber();
}

it('refuses tokens from anybody but the wallets of others, with the exit codes of USDT', async () => {
  const [owner, locked] = [newAddress(), newAddress()];
  const wallet = chain.walletOf(owner);
  await chain.send(chain.tokenTransfer(owner, 1_000_000n));
  const forged = bodies.internalTransfer({ units: 9_000_000n, from: chain.bank.address });
  const mallory = await chain.blockchain.treasury('mallory');
  const refused = on(wallet, await chain.sendFrom(mallory, { to: wallet, value: TON, bounce: true, body: forged }));
  expect(refused.map(factsOf)).toEqual([{ aborted: true, exit: 74, bounces: 1 }]);

  const tooMuch = await chain.send(chain.tokenTransfer(owner, 10n ** 30n));
  expect(on(chain.walletOf(chain.bank.address), tooMuch).map(factsOf)).toMatchObject([{ aborted: true, exit: 47 }]);
  expect(on(wallet, tooMuch)).toEqual([]);

  await chain.send({
    to: chain.walletOf(locked),
    value: TON,
    init: walletState(locked, chain.master),
    body: bodies.topUp(),
  });
  await chain.send({ to: chain.master, value: TON, body: bodies.lock(locked, TON / 20n, 3) });
  const before = await tokensOf(chain.walletOf(chain.bank.address));
  const bounced = on(chain.walletOf(locked), await chain.send(chain.tokenTransfer(locked, 1_000_000n)));
  expect(bounced.map(factsOf)).toEqual([{ aborted: true, exit: 45, bounces: 1 }]);
  expect(await tokensOf(chain.walletOf(chain.bank.address))).toBe(before);
  chain.mine();
});

it('makes another address of a wallet that begins with a balance', () => {
  const owner = newAddress();
  const rich = contractAddress(0, walletState(owner, chain.master, { balance: 10n ** 12n }));
  expect(rich.equals(chain.walletOf(owner))).toBe(false);
});

it('shows a transaction only after a block contains it, and then the same in both versions', async () => {
  const address = newAddress();
  const [transaction] = on(address, await chain.send({ to: address, value: TON, body: 'a comment' }));
  const path = `/transactions?account=${address.toRawString()}&sort=asc&limit=10`;
  expect(await readV3(path)).toMatchObject({ transactions: [] });
  chain.mine();
  const { transactions } = await readV3<{ transactions: PrintedTransaction[] }>(path);
  const [printed] = transactions;
  expect(printed).toMatchObject({
    account: address.toRawString().toUpperCase(),
    hash: transaction!.hash().toString('base64'),
    mc_block_seqno: chain.head.seqno,
    orig_status: 'uninit',
    finality: 'finalized',
    in_msg: { value: String(TON), bounced: false, opcode: '0x00000000' },
    out_msgs: [],
  });
  const query = `?address=${address.toString()}&lt=${printed!.lt}&hash=${encodeURIComponent(printed!.hash)}&limit=1`;
  const [whole] = await readV2<{ data: string }[]>(`/getTransactions${query}`);
  expect(Cell.fromBase64(whole!.data).hash()).toEqual(transaction!.hash());
});

it('names the wallet of an owner in both versions as the watcher derives it', async () => {
  const owner = newAddress();
  const derived = deriveJettonWallet(owner.toString(), { master: chain.master.toString(), walletCode: walletCodeHash });
  const slice = beginCell().storeAddress(owner).endCell().toBoc().toString('base64');
  const call = async (url: string, stack: unknown) => {
    const body = JSON.stringify({ address: chain.master.toString(), method: 'get_wallet_address', stack });
    const response = await fetch(`${url}/runGetMethod`, { method: 'POST', body });
    return (await response.json()) as never;
  };
  const v3: { stack: [{ value: string }] } = await call(facade.url, [{ type: 'slice', value: slice }]);
  const v2: { result: { stack: [[string, { bytes: string }]] } } = await call(facade.urlOfV2, [['tvm.Slice', slice]]);
  const wallets = [v3.stack[0].value, v2.result.stack[0][1].bytes].map((text) =>
    Cell.fromBase64(text).beginParse().loadAddress().toRawString(),
  );
  expect(wallets).toEqual([derived, derived]);
});

const statusOf = async (url: string) => (await fetch(url)).status;

it('refuses as toncenter does', async () => {
  expect(await statusOf(`${facade.url}/transactions?account=nonsense`)).toBe(422);
  expect(await statusOf(`${facade.url}/unknown`)).toBe(404);
  facade.behaviour.accountsMax = 1;
  const two = [newAddress(), newAddress()].map((address) => `account=${address.toRawString()}`).join('&');
  expect(await statusOf(`${facade.url}/transactions?${two}`)).toBe(414);
  facade.behaviour.accountsMax = Infinity;
  const response = await fetch(`${facade.urlOfV2}/getTransactions?address=${newAddress().toString()}&lt=5`);
  expect(await response.json()).toMatchObject({ ok: false, error: 'LITE_SERVER_UNKNOWN: lt not in db', code: 500 });
});
