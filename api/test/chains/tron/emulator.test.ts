/** The emulator by itself: what it serves passes the checks that real blocks pass, and it refuses what java-tron refuses. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { blockSchema } from '../../../src/payments/chains/tron/answers.ts';
import { headerBytes, provesTransactions, sha256 } from '../../../src/payments/chains/tron/block-proof.ts';
import { honest } from './behaviour.ts';
import { TronChain } from './chain.ts';
import { encode } from './contracts.ts';
import { createKey, recoverSigner, sign } from './keys.ts';
import { startTronNode, type TronNode } from './node.ts';
import type { PrintedBlock } from './printing.ts';
import { encodeTransaction, type SignedTransaction, signTransaction, toHex } from './transactions.ts';

const UNITS = 25_000_000n;
let chain: TronChain;
let node: TronNode;
let to: string;
beforeAll(async () => {
  chain = new TronChain();
  node = await startTronNode(chain);
});
afterAll(() => node.close());
beforeEach(() => {
  node.behaviour = honest();
  to = createKey().address;
});

async function post<Result = Record<string, unknown>>(path: string, body: object = {}): Promise<Result> {
  const response = await fetch(node.url + path, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  return (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : `${response.status} ${text}`) as Result;
}
const rpc = async (method: string, ...params: unknown[]) =>
  post<{ result: never; error: { code: number; message: string } }>('/jsonrpc', { id: 1, method, params });

const bank = () => chain.bank.address;
const trx = (units = UNITS) => ({ kind: 'TRX', owner: bank(), to, units }) as const;
const call = (data: string, contract = chain.contracts.usdt, owner = bank()) =>
  ({ kind: 'CALL', owner, contract, value: 0n, data }) as const;
const broadcast = ({ id, rawData, signatures }: SignedTransaction, changes: object = {}) =>
  post('/wallet/broadcasttransaction', {
    txID: id,
    raw_data_hex: toHex(rawData),
    signature: signatures.map(toHex),
    ...changes,
  });
const block = (height: number) => post<PrintedBlock>('/wallet/getblock', { id_or_num: String(height), detail: true });
const resultOf = (id: string) => chain.find(id)?.executed.result;

describe('the emulator of TRON', () => {
  it('serves blocks that prove themselves, signed by 27 witnesses', async () => {
    chain.send(chain.bank, trx());
    chain.send(chain.bank, call(encode.transfer(to, UNITS)));
    chain.mine(27);
    const witnesses = new Set<string>();
    for (let { height } = chain.head; height > chain.head.height - 27; height -= 1) {
      const printed = await block(height);
      const { raw, transactions } = blockSchema.parse(printed);
      const signature = Buffer.from(printed.block_header.witness_signature, 'hex');
      expect(recoverSigner(sha256(headerBytes(raw)), signature)).toBe(raw.witness_address);
      expect(provesTransactions(raw.txTrieRoot, transactions)).toBe(true);
      expect(raw.parentHash).toBe(chain.blocks[height - 1]!.id);
      witnesses.add(raw.witness_address);
    }
    expect(witnesses.size).toBe(27);
    expect(chain.head.height - chain.solidHeight).toBe(18);
  });

  it('leaves out what is zero, and answers {} for what is not there', async () => {
    chain.mine();
    const empty = chain.blocks.findLast(({ transactions }) => transactions.length === 0)!;
    const printed = await block(empty.height);
    expect(printed).not.toHaveProperty('transactions');
    expect(blockSchema.parse(printed).raw.txTrieRoot).toBe('00'.repeat(32));
    expect(await post('/wallet/getblock', { id_or_num: '999999' })).toEqual({});
    expect(await post('/wallet/getaccount', { address: to })).toEqual({});
    expect(await post('/wallet/getblockbylimitnext', { startNum: 1, endNum: 102 })).toEqual({});
    expect(await post('/wallet/getblockbylimitnext', { startNum: 2, endNum: 2 })).toEqual({});
    const { block: blocks } = await post<{ block: unknown[] }>('/wallet/getblockbylimitnext', {
      startNum: 1,
      endNum: 4,
    });
    expect(blocks).toHaveLength(3);
  });

  it('refuses what is signed by another key, changed, expired, known, without a recent block or not covered', async () => {
    const signed = signTransaction(chain.bank, chain.build(trx()));
    const other = signTransaction(chain.bank, chain.build(trx(1n)));
    const poor = createKey();
    chain.endow(poor.address, 5n);
    const cases: [string, SignedTransaction, object?][] = [
      ['SIGERROR', signTransaction(poor, chain.build(trx()))],
      ['SIGERROR', { ...signed, signatures: [new Uint8Array(65)] }],
      ['SIGERROR', { ...signed, signatures: other.signatures }],
      ['SIGERROR', { ...signed, signatures: [] }],
      ['SIGERROR', signed, { txID: other.id }],
      ['TAPOS_ERROR', signTransaction(chain.bank, chain.build(trx(), { referenceId: '00'.repeat(32) }))],
      ['TRANSACTION_EXPIRATION_ERROR', signTransaction(chain.bank, chain.build(trx(), { expiresMs: 1 }))],
      ['CONTRACT_VALIDATE_ERROR', signTransaction(poor, chain.build({ ...trx(), owner: poor.address }))],
      ['CONTRACT_VALIDATE_ERROR', signTransaction(chain.bank, chain.build(call('', to)))],
    ];
    for (const [code, transaction, changes] of cases)
      expect(await broadcast(transaction, changes)).toMatchObject({ code });
    expect(await broadcast(signed)).toEqual({ result: true, txid: signed.id });
    expect(await broadcast(signed)).toMatchObject({ code: 'DUP_TRANSACTION_ERROR' });
    const transaction = toHex(encodeTransaction(other));
    expect(await post('/wallet/broadcasthex', { transaction })).toEqual({ result: true, txid: other.id });
    chain.mine();
    expect([signed, other].map(({ id }) => resultOf(id))).toEqual(['SUCCESS', 'SUCCESS']);
  });

  it('moves TRX, tokens of TRC-10 and of TRC-20, and shows what is solid', async () => {
    chain.send(chain.bank, trx());
    chain.send(chain.bank, { ...trx(7n), kind: 'TRC10', asset: 'USDT' });
    const id = chain.send(chain.bank, call(encode.transfer(to, UNITS)));
    chain.mine();
    const balance = {
      owner_address: bank(),
      contract_address: chain.contracts.usdt,
      function_selector: 'balanceOf(address)',
    };
    const held = (root: string) =>
      post(`/${root}/triggerconstantcontract`, { ...balance, parameter: to.slice(2).padStart(64, '0') });
    const found = { constant_result: [UNITS.toString(16).padStart(64, '0')] };
    expect(await held('wallet')).toMatchObject(found);
    expect(await post('/wallet/getaccount', { address: to })).toMatchObject({ balance: Number(UNITS) });
    expect(await post('/walletsolidity/getaccount', { address: to })).toEqual({});
    expect(await post('/walletsolidity/gettransactioninfobyid', { value: id })).toEqual({});
    expect(await post('/wallet/gettransactioninfobyid', { value: id })).toMatchObject({ log: [{}] });
    chain.mine(20);
    expect(await held('walletsolidity')).toMatchObject(found);
    expect(await post('/walletsolidity/gettransactioninfobyid', { value: id })).toMatchObject({
      id,
      receipt: { result: 'SUCCESS' },
      log: [{ address: chain.contracts.usdt.slice(2) }],
    });
  });

  it('runs calls of contracts: for others, in batches, refused, too expensive, by the blacklist', () => {
    const { usdt, payer } = chain.contracts;
    const payouts = [
      { to, units: 1n },
      { to, units: 2n },
    ];
    const owner = createKey();
    chain.endow(owner.address, 10n ** 9n, UNITS);
    const frozen = createKey();
    chain.endow(frozen.address, 10n ** 9n, UNITS);
    const send = (data: string, contract = usdt, options = {}) => chain.send(chain.bank, call(data, contract), options);
    chain.send(owner, call(encode.approve(payer, 2n), usdt, owner.address));
    chain.send(owner, call(encode.approve(bank(), 2n), usdt, owner.address));
    const ids = {
      batch: send(encode.payTokens(usdt, payouts), payer),
      failingBatch: send(encode.payTokensAndFail(usdt, payouts), payer),
      forOther: send(encode.transferFrom(owner.address, to, 2n)),
      relayed: send(encode.relay(usdt, owner.address, to, 2n), payer),
      tooMuch: send(encode.transferFrom(owner.address, to, 1n)),
      cheap: send(encode.transfer(to, 1n), usdt, { feeLimit: 1_000_000n }),
      freeze: send(encode.addBlackList(frozen.address)),
      frozen: chain.send(frozen, call(encode.transfer(to, 1n), usdt, frozen.address)),
      internal: send(encode.pay([{ to, units: 5n }]), payer),
    };
    chain.mine();
    expect(Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, resultOf(id)]))).toEqual({
      batch: 'SUCCESS',
      failingBatch: 'REVERT',
      forOther: 'SUCCESS',
      relayed: 'SUCCESS',
      tooMuch: 'REVERT',
      cheap: 'OUT_OF_ENERGY',
      freeze: 'SUCCESS',
      frozen: 'REVERT',
      internal: 'SUCCESS',
    });
    expect(chain.find(ids.batch)!.executed.logs).toHaveLength(2);
    expect(chain.find(ids.failingBatch)!.executed.logs).toEqual([]);
    expect(chain.find(ids.internal)!.executed.internalTransfers).toMatchObject([{ to, units: 5n }]);
    expect(chain.find(ids.internal)!.executed.logs).toEqual([]);
  });

  it('includes a transaction at another place after a fork, never forks solid blocks, and stops to be solid', () => {
    chain.mine();
    const id = chain.send(chain.bank, call(encode.transfer(to, UNITS)));
    const kept = chain.send(chain.bank, trx());
    chain.mine(2);
    const before = chain.find(id)!;
    const ids = new Set(chain.blocks.slice(-2).map((each) => each.id));
    chain.fork(2, [id]);
    expect(chain.blocks.some((each) => ids.has(each.id))).toBe(false);
    expect([resultOf(id), resultOf(kept)]).toEqual([undefined, 'SUCCESS']);
    chain.includeAgain(id);
    chain.mine();
    const after = chain.find(id)!;
    expect(after.block.height).not.toBe(before.block.height);
    expect(after.index).toBeGreaterThan(before.index);
    expect(() => chain.fork(19)).toThrow('solid');
    const { solidHeight } = chain;
    chain.activeWitnesses = 18;
    chain.mine(200);
    // Those who made blocks before have built on a few more.
    expect(chain.solidHeight - solidHeight).toBeLessThan(20);
    const stopped = chain.solidHeight;
    chain.mine(10);
    expect(chain.solidHeight).toBe(stopped);
    chain.activeWitnesses = 27;
    chain.mine(27);
    expect(chain.head.height - chain.solidHeight).toBe(18);
  });

  it('has the limits and refusals of its JSON-RPC interface', async () => {
    expect(await rpc('eth_chainId')).toMatchObject({ result: '0x2b6653dc' });
    for (const tag of ['safe', 'pending'])
      expect(await rpc('eth_getLogs', { fromBlock: tag, toBlock: 'latest' })).toMatchObject({
        error: { code: -32602 },
      });
    expect(await rpc('eth_getBalance', `0x${to.slice(2)}`, '0x1')).toMatchObject({ error: { code: -32602 } });
    const topics = [null, null, Array.from({ length: 1001 }, () => '0x')];
    const range = { fromBlock: '0x0', toBlock: '0x1' };
    expect(await rpc('eth_getLogs', { ...range, topics })).toMatchObject({
      error: { message: 'exceed max topics: 1000' },
    });
    node.behaviour.logHeightsMax = 1;
    expect(await rpc('eth_getLogs', range)).toMatchObject({ error: { message: 'exceed max block range: 1' } });
    const batch = Array.from({ length: 101 }, (_, id) => ({ id, method: 'eth_chainId', params: [] }));
    expect(await post('/jsonrpc', batch)).toMatchObject({ error: { code: -32005 } });
  });

  it('numbers the logs of a block throughout', async () => {
    const { payer, usdt } = chain.contracts;
    const payouts = [
      { to, units: 1n },
      { to, units: 2n },
    ];
    chain.send(chain.bank, call(encode.transfer(createKey().address, 1n)));
    const id = chain.send(chain.bank, call(encode.payTokens(usdt, payouts), payer));
    chain.mine();
    const { result } = await rpc('eth_getTransactionReceipt', `0x${id}`);
    const logs = (result as { logs: { logIndex: string; blockHash: string }[] }).logs;
    expect(logs.map(({ logIndex }) => Number(logIndex)).at(-1)).toBeGreaterThan(1);
    expect(logs[0]!.blockHash).toBe(`0x${chain.head.id}`);
    node.behaviour.receiptsBehind = 1;
    expect(await rpc('eth_getTransactionReceipt', `0x${id}`)).toMatchObject({ result: null });
  });

  it.each([
    ['ERROR', 'throttling', 'lack of computing resources'],
    ['FORBIDDEN', 'throttling', 'suspended for 30s'],
    ['HTML', 'page', '502 <html>'],
  ] as const)('refuses as nodes and providers do: %s', async (value, name, text) => {
    Object.assign(node.behaviour, { [name]: value });
    expect(JSON.stringify(await post('/wallet/getblock'))).toContain(text);
    expect(JSON.stringify(await rpc('eth_chainId'))).toContain(text);
  });

  it('says what is turned off, and what a lite node does not have', async () => {
    Object.assign(node.behaviour, { disabled: new Set(['/jsonrpc']), firstHeight: 10 });
    expect(await rpc('eth_chainId')).toBe('404 this API is unavailable due to config');
    expect(await block(9)).toBe('200 this API is closed because this node is a lite fullnode');
    expect(await post('/wallet/nosuchpath')).toBe('404 <html>Not Found</html>');
  });

  it('keeps the signatures of others apart from its own', () => {
    const [a, b] = [createKey(), createKey()];
    const hash = sha256(Uint8Array.of(1));
    expect(recoverSigner(hash, sign(a, hash))).toBe(a.address);
    expect(recoverSigner(hash, sign(b, hash))).not.toBe(a.address);
    expect(recoverSigner(hash, new Uint8Array(64))).toBeUndefined();
  });
});
