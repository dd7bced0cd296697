/**
 * Fields that a stranger controls: no value of them stops a chain, and none makes money. TON has its own (ton/stranger-fields.test.ts).
 * @module-tag thorough
 */
import { expect, it } from 'vitest';
import { createRandom } from '../../../tools/random.ts';
import { scaled } from '../../../tools/test-scale.ts';
import { createEvmWatcher } from '../../src/payments/chains/evm.ts';
import { toHexAddress } from '../../src/payments/chains/tron/network.ts';
import { witnessScript } from '../../src/payments/chains/utxo-node.ts';
import { createUtxoWatcher } from '../../src/payments/chains/utxo-rpc.ts';
import { createFakeEvmChain, hashOf, serveEvm } from './fake-evm.ts';
import { createFakeUtxoChain, type FakeTransaction, genesisHash, serveUtxo, toId } from './fake-utxo.ts';
import { createObserver } from './observer.ts';
import { createStrangers } from './stranger-evm.ts';
import {
  strangeInputs,
  strangePooled,
  strangeScript,
  strangeTransaction,
  strangeUnits,
  type StrangeOutput,
} from './stranger-utxo.ts';
import { startFakeNode } from './test-node.ts';
import { encode } from './tron/contracts.ts';
import { openTron } from './tron/open-tron.ts';
import { sendStrange, strangeResult } from './tron/stranger.ts';

const SEEDS = Array.from({ length: scaled(1, 12) }, (_, index) => index + 1);

const identify = (payments: readonly { transactionId: string; output: number; units: bigint }[]) =>
  payments.map(({ transactionId, output, units }) => `${transactionId} ${output} ${units}`).toSorted();

it.each(SEEDS.flatMap((seed) => [['ethereum', seed] as const, ['bsc', seed] as const]))(
  'on %s whatever strangers send, what was paid is reported and nothing else, seed %i',
  { tags: ['long'] },
  async (name, seed) => {
    const random = createRandom(seed);
    const [ours, other] = ['0a', '0b'].map((byte) => `0x${byte.repeat(20)}`) as [string, string];
    const chain = createFakeEvmChain({ chainId: name === 'ethereum' ? 1 : 56 });
    const methods = createStrangers(random, ours)(serveEvm(chain));
    const urls = await Promise.all([0, 1].map(async () => (await startFakeNode(methods)).url));
    const watcher = createEvmWatcher({ chain: name, urls, usdtContract: chain.token });
    const observer = createObserver(watcher, new Set([ours]), ({ block }, { head }) => {
      return block!.height <= head.finalizedHeight!;
    });
    await observer.poll();
    for (let height = 1001; height <= 1020; height += 1) {
      if (random.below(2) === 0) chain.transfers.push({ height, to: ours, units: BigInt(random.below(3)) });
      if (name === 'ethereum' && random.below(2) === 0) chain.ether.push({ height, from: other, to: ours, units: 7n });
    }
    for (const headHeight of [1010, 1025, 1060]) {
      Object.assign(chain, { headHeight, finalizedHeight: headHeight - 30 });
      const { warnings } = await observer.poll();
      expect(warnings).toEqual([]);
    }
    await observer.catchUp();
    const paid = chain.transfers.flatMap(({ units }, index) =>
      units > 0n ? [{ transactionId: hashOf(`transfer ${index}`), output: index, units }] : [],
    );
    const ether = chain.ether.map(({ units }, index) => ({
      transactionId: hashOf(`ether ${index}`),
      output: 0,
      units,
    }));
    expect(identify(observer.allFinal())).toEqual(identify([...paid, ...ether]));
  },
);

it.each(SEEDS.flatMap((seed) => [['bitcoin', seed] as const, ['litecoin', seed] as const]))(
  'on %s whatever strangers send, what was paid is reported and nothing else, seed %i',
  { tags: ['long'] },
  async (name, seed) => {
    const random = createRandom(seed);
    const [prefix, address] =
      name === 'bitcoin'
        ? ['bc', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu']
        : ['ltc', 'ltc1qcr8te4kr609gcawutmrza0j4xv80jy8z4nqduv'];
    const ours = Buffer.from(witnessScript(address, prefix), 'hex');
    const paid: { transactionId: string; output: number; units: bigint }[] = [];
    const transactions = new Map<number, FakeTransaction[]>();
    const add = (height: number, first: readonly StrangeOutput[] = [], form?: 'MWEB') => {
      const outputs = [...first];
      for (let count = 1 + random.below(5); count > 0; count -= 1) {
        const isOurs = random.below(4) === 0;
        const units = isOurs ? random.pick([0n, 1n, 21n * 10n ** 14n]) : strangeUnits(random);
        outputs.push({ script: isOurs ? ours : strangeScript(random, ours), units });
      }
      const transaction = strangeTransaction(random, outputs, form);
      transactions.set(height, [...(transactions.get(height) ?? []), transaction]);
      for (const [output, { script, units }] of outputs.entries())
        if (script.equals(ours) && units > 0n) paid.push({ transactionId: toId(transaction.id), output, units });
    };
    for (let height = 1001; height <= 1010; height += 1) {
      for (let count = 1 + random.below(4); count > 0; count -= 1) add(height);
      const mweb = { script: Buffer.concat([Buffer.from([0x58, 0x20]), Buffer.alloc(32, 7)]), units: 5n };
      if (name === 'litecoin') add(height, [mweb], 'MWEB');
    }
    const transactionsAt = (height: number) => transactions.get(height) ?? [];
    const chain = createFakeUtxoChain({ transactionsAt });
    for (let count = 0; count < 20; count += 1)
      chain.pool.set(
        random
          .below(2 ** 31)
          .toString(16)
          .padStart(64, '0'),
        strangePooled(random, ours),
      );
    const methods = serveUtxo(chain);
    const pooled = (id: never) => ({ ...(methods['getrawtransaction']!(id) as object), vin: strangeInputs(random) });
    const serve = () => startFakeNode({ ...methods, getrawtransaction: pooled });
    const urls = await Promise.all([0, 1].map(async () => (await serve()).url));
    const network = { genesisHash, addressPrefix: prefix };
    const watcher = createUtxoWatcher({ chain: name, urls, network });
    const observer = createObserver(watcher, new Set([address]), ({ block }, { head }) => {
      return head.height - block!.height >= 5;
    });
    await observer.poll();
    for (const headHeight of [1003, 1010, 1020]) {
      chain.headHeight = headHeight;
      const { warnings } = await observer.poll();
      expect(warnings).toEqual([]);
    }
    expect(identify(observer.allFinal())).toEqual(identify(paid));
  },
);

it.each(SEEDS.map((seed) => ['TRON', seed] as const))(
  'on %s whatever strangers send, what was paid is reported and nothing else, seed %i',
  { tags: ['long'] },
  async (_, seed) => {
    const random = createRandom(seed);
    const { chain, addresses, observer, makeFinal } = await openTron();
    const to = toHexAddress(addresses[0]);
    const owner = chain.bank.address;
    const call = (contract: string, data: string) => ({ kind: 'CALL', owner, contract, value: 0n, data }) as const;
    const { usdt, otherToken, forgedToken, payer } = chain.contracts;
    const randomHex = (bytes: number) =>
      Array.from({ length: bytes }, () => random.below(256).toString(16).padStart(2, '0')).join('');
    const sent: { id: string; units: bigint }[] = [];
    for (let count = 1; count <= 40; count += 1) {
      const units = BigInt(random.below(3));
      const transfer = encode.transfer(to, units);
      chain.resultFields = strangeResult(random);
      const [contract, paid] = random.pick([
        [{ kind: 'TRX', owner, to, units: units + 1n } as const, units + 1n],
        [{ kind: 'TRC10', asset: 'USDT', owner, to, units: 1n } as const, 0n],
        [call(usdt, transfer), units],
        [call(usdt, transfer + randomHex(random.below(70))), units],
        // The first 12 bytes of the recipient mean nothing.
        [call(usdt, transfer.slice(0, 8) + randomHex(12) + transfer.slice(32)), units],
        [call(usdt, randomHex(random.below(100))), 0n],
        [call(otherToken, transfer), 0n],
        [call(forgedToken, transfer), 0n],
        [call(payer, encode.payTokensAndFail(usdt, [{ to, units: 1n }])), 0n],
        [call(payer, encode.payTokens(usdt, [{ to, units: units + 1n }])), units + 1n],
      ] as const);
      sent.push({ id: sendStrange(chain, contract, random, count), units: paid });
      if (random.below(3) > 0) continue;
      chain.mine();
      const { warnings } = await observer.poll();
      expect(warnings).toEqual([]);
    }
    await makeFinal();
    const succeeded = sent.filter(({ id, units }) => units > 0n && chain.find(id)?.executed.result === 'SUCCESS');
    expect(succeeded.length).toBeGreaterThan(0);
    const paid = succeeded.map(({ id, units }) => ({ transactionId: id, output: 0, units }));
    expect(identify(observer.allFinal())).toEqual(identify(paid));
  },
);
