/** tronweb as an independent client of the emulator of TRON: what it builds, signs and reads is what the watcher finds. */
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHexAddress, USDT_ADDRESS } from '../../src/payments/chains/tron/network.ts';
import { createTronWatcher } from '../../src/payments/chains/tron/tron-watcher.ts';
import { parseAccountKey } from '../../src/payments/derive/account-key.ts';
import { deriveAddress } from '../../src/payments/derive/addresses.ts';
import { binary } from '../chains/local-node.ts';
import { createObserver } from '../chains/observer.ts';
import { TronChain } from '../chains/tron/chain.ts';
import { randomTronAddress } from '../chains/tron/local-tron.ts';
import { startTronNode, type TronNode } from '../chains/tron/node.ts';

/** The parts of tronweb that are used here. */
interface Transaction {
  txID: string;
  raw_data_hex: string;
  signature?: string[];
}

interface Client {
  defaultAddress: { base58: string; hex: string };
  transactionBuilder: {
    sendTrx: (to: string, units: number, from: string) => Promise<Transaction>;
    triggerSmartContract: (
      contract: string,
      signature: string,
      options: object,
      parameters: object[],
      from: string,
    ) => Promise<{ transaction: Transaction }>;
    triggerConstantContract: (
      contract: string,
      signature: string,
      options: object,
      parameters: object[],
      from: string,
    ) => Promise<{ constant_result: string[] }>;
  };
  trx: {
    sign: (transaction: Transaction) => Promise<Transaction>;
    sendRawTransaction: (transaction: Transaction) => Promise<{ result?: boolean; code?: string }>;
    getBlock: (height: number) => Promise<{ blockID: string; transactions: Transaction[] }>;
    getTransaction: (id: string) => Promise<Transaction>;
    getTransactionInfo: (id: string) => Promise<{ id?: string; log?: object[] }>;
    getBalance: (address: string) => Promise<number>;
  };
}

interface TronWebModule {
  TronWeb: {
    new (options: { fullHost: string; privateKey: string }): Client;
    fromMnemonic: (words: string, path: string) => { address: string };
  };
}

const WORDS = `${'abandon '.repeat(11)}about`;
/** The account m/44'/195'/0' of these words. */
const ACCOUNT = parseAccountKey(
  'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
);
const ADDRESSES = 20;
const UNITS = 25_000_000;
const BLOCKS_UNTIL_FINAL = 22;

let tronWeb: TronWebModule['TronWeb'];
let chain: TronChain;
let nodes: TronNode[];
let client: Client;
beforeAll(async () => {
  ({ TronWeb: tronWeb } = (await import(pathToFileURL(binary('TRONWEB')).href)) as TronWebModule);
  chain = new TronChain();
  nodes = [await startTronNode(chain), await startTronNode(chain)];
  client = new tronWeb({ fullHost: nodes[0]!.url, privateKey: '01'.repeat(32) });
  chain.endow(client.defaultAddress.hex.toLowerCase(), 10n ** 12n, 10n ** 12n);
});
afterAll(() => Promise.all(nodes.map((node) => node.close())));

/** @returns what tronweb has built for a transfer of USDT */
async function buildUsdt(to: string): Promise<Transaction> {
  const parameters = [
    { type: 'address', value: to },
    { type: 'uint256', value: UNITS },
  ];
  const options = { feeLimit: 100_000_000, txLocal: true };
  const { base58 } = client.defaultAddress;
  const { transactionBuilder } = client;
  const signature = 'transfer(address,uint256)';
  const built = await transactionBuilder.triggerSmartContract(USDT_ADDRESS, signature, options, parameters, base58);
  return built.transaction;
}

async function sendAll(...transactions: Transaction[]): Promise<string[]> {
  const ids: string[] = [];
  for (const transaction of transactions) {
    const signed = await client.trx.sign(transaction);
    expect(await client.trx.sendRawTransaction(signed)).toMatchObject({ result: true });
    ids.push(signed.txID);
  }
  return ids;
}

describe('tronweb', () => {
  it('pays in TRX and USDT: the watcher finds both, and tronweb reads them back when they are solid', async () => {
    const address = randomTronAddress();
    const watcher = createTronWatcher({ urls: nodes.map(({ url }) => url), now: chain.now });
    const observer = createObserver(watcher, new Set([address]), ({ block }, { head }) => {
      return block!.height <= head.finalizedHeight!;
    });
    await observer.poll();
    const { base58 } = client.defaultAddress;
    const trx = await client.transactionBuilder.sendTrx(address, UNITS, base58);
    const ids = await sendAll(trx, await buildUsdt(address));
    chain.mine();
    const { height } = chain.head;
    const block = await client.trx.getBlock(height);
    expect(block.blockID).toBe(chain.head.id);
    expect(block.transactions.map(({ txID }) => txID)).toEqual(expect.arrayContaining(ids));
    expect(await client.trx.getTransactionInfo(ids[1]!)).toEqual({});
    chain.mine(BLOCKS_UNTIL_FINAL);
    await observer.catchUp();
    expect(observer.finalTo(address).map(({ asset, transactionId, units }) => [asset, transactionId, units])).toEqual([
      ['TRX', ids[0], BigInt(UNITS)],
      ['USDT', ids[1], BigInt(UNITS)],
    ]);
    expect(await client.trx.getTransactionInfo(ids[1]!)).toMatchObject({ id: ids[1], log: [{}] });
    expect(await client.trx.getTransaction(ids[0]!)).toMatchObject({ txID: ids[0], raw_data_hex: trx.raw_data_hex });
    expect(await client.trx.getBalance(address)).toBe(UNITS);
    const owner = [{ type: 'address', value: address }];
    const { constant_result } = await client.transactionBuilder.triggerConstantContract(
      USDT_ADDRESS,
      'balanceOf(address)',
      {},
      owner,
      base58,
    );
    expect(BigInt(`0x${constant_result[0]!}`)).toBe(BigInt(UNITS));
  });

  it('is refused if it sends another signature or another id', async () => {
    const to = randomTronAddress();
    const { base58 } = client.defaultAddress;
    const signed = await client.trx.sign(await client.transactionBuilder.sendTrx(to, UNITS, base58));
    const other = await client.trx.sign(await buildUsdt(to));
    const forged = [
      { ...signed, signature: ['00'.repeat(65)] },
      { ...signed, signature: other.signature! },
      { ...signed, txID: '11'.repeat(32) },
    ];
    for (const transaction of forged) {
      const response = await fetch(`${nodes[0]!.url}/wallet/broadcasttransaction`, {
        method: 'POST',
        body: JSON.stringify(transaction),
      });
      expect(await response.json()).toMatchObject({ code: 'SIGERROR' });
    }
    chain.mine();
    expect(chain.valuesAt(chain.head.height).get(`trx ${toHexAddress(to)}`)).toBe(0n);
  });

  it('derives the addresses that the shop derives from the public key of the account', () => {
    for (let index = 0; index < ADDRESSES; index += 1) {
      const { address } = tronWeb.fromMnemonic(WORDS, `m/44'/195'/0'/0/${index}`);
      expect(deriveAddress('tron', ACCOUNT, BigInt(index))).toBe(address);
    }
  });
});
