/** tronweb as an independent client of the emulator of TRON: what it builds, signs and reads is what the watcher finds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHexAddress, USDT_ADDRESS } from '../../src/payments/chains/tron/network.ts';
import { createTronWatcher } from '../../src/payments/chains/tron/tron-watcher.ts';
import { parseAccountKey } from '../../src/payments/derive/account-key.ts';
import { deriveAddress } from '../../src/payments/derive/addresses.ts';
import { createObserver } from '../chains/observer.ts';
import { TronChain } from '../chains/tron/chain.ts';
import { randomTronAddress } from '../chains/tron/local-tron.ts';
import { startTronNode, type TronNode } from '../chains/tron/node.ts';
import { buildUsdt, loadTronWeb, sendSigned, type TronClient, type TronWeb } from './tronweb.ts';

const WORDS = `${'abandon '.repeat(11)}about`;
/** The account m/44'/195'/0' of these words. */
const ACCOUNT = parseAccountKey(
  'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
);
const ADDRESSES = 20;
const UNITS = 25_000_000;
const BLOCKS_UNTIL_FINAL = 22;

let tronWeb: TronWeb;
let chain: TronChain;
let nodes: TronNode[];
let client: TronClient;
beforeAll(async () => {
  tronWeb = await loadTronWeb();
  chain = new TronChain();
  nodes = [await startTronNode(chain), await startTronNode(chain)];
  client = new tronWeb({ fullHost: nodes[0]!.url, privateKey: '01'.repeat(32) });
  chain.endow(client.defaultAddress.hex.toLowerCase(), 10n ** 12n, 10n ** 12n);
});
afterAll(() => Promise.all(nodes.map((node) => node.close())));

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
    const ids = [await sendSigned(client, trx), await sendSigned(client, await buildUsdt(client, address, UNITS))];
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
    const other = await client.trx.sign(await buildUsdt(client, to, UNITS));
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
