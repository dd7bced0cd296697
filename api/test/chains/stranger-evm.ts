/** What a sender may put into a transaction of Ethereum, and a contract into its logs. */
import type { Random } from '../../../tools/random.ts';
import { TRANSFER_TOPIC } from '../../src/payments/chains/evm-node.ts';
import { hashOf } from './fake-evm.ts';
import type { Methods } from './fake-node.ts';

const VALUES = [0n, 1n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 64n, 2n ** 255n, 2n ** 256n - 1n];
const TYPES = ['0x0', '0x1', '0x2', '0x3', '0x4', '0x7e', '0x7f'];
const KINDS = ['FAILED', 'CREATION', 'NO_RECIPIENT', 'NOTHING', 'OTHERS'] as const;

const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const word = (text: string) => `0x${text.slice(2).padStart(64, '0')}`;
const list = <Item>(random: Random, max: number, make: () => Item): Item[] =>
  Array.from({ length: random.below(max + 1) }, make);

const digits = (random: Random, bytes: number) =>
  `0x${Array.from({ length: bytes }, () => random.below(256).toString(16).padStart(2, '0')).join('')}`;
const anyBytes = (random: Random) => digits(random, random.pick([0, 1, 31, 32, 33, 64, 700]));
const anyHash = (random: Random) => digits(random, 32);
const anyAddress = (random: Random) => digits(random, 20);

/** Fields beside hash, sender, recipient and value. */
function strangeFields(random: Random): Record<string, unknown> {
  const value = () => hex(random.pick(VALUES));
  const all = {
    type: random.pick(TYPES),
    input: anyBytes(random),
    nonce: hex(2n ** 64n - 2n),
    gas: value(),
    gasPrice: value(),
    maxFeePerGas: value(),
    maxPriorityFeePerGas: value(),
    accessList: list(random, 3, () => ({
      address: anyAddress(random),
      storageKeys: list(random, 3, () => anyHash(random)),
    })),
    maxFeePerBlobGas: value(),
    blobVersionedHashes: list(random, 6, () => anyHash(random)),
    authorizationList: list(random, 2, () => ({ chainId: value(), address: anyAddress(random), nonce: value() })),
    v: value(),
    r: value(),
    s: value(),
    yParity: '0x1',
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.below(4) > 0));
}

/** Logs of other contracts than the token. Some imitate transfers of the token to us. */
function strangeLogs(random: Random, ours: string, place: object): Record<string, unknown>[] {
  return list(random, 20, () => {
    const imitated = [TRANSFER_TOPIC, word(anyAddress(random)), word(ours)];
    const topics = random.below(3) === 0 ? imitated : list(random, 4, () => anyHash(random));
    const data = random.below(3) === 0 ? word(hex(random.pick(VALUES))) : anyBytes(random);
    return { ...place, address: anyAddress(random), topics, data, logIndex: hex(1000 + random.below(2 ** 31)) };
  });
}

interface Strange {
  transaction: Record<string, unknown>;
  receipt: Record<string, unknown>;
}

/** A transaction that pays us nothing, whatever it looks like. */
function strangeTransaction(random: Random, ours: string, blockHash: string, height: number): Strange {
  const kind = random.pick(KINDS);
  const hash = anyHash(random);
  const [from, to, value] = [anyAddress(random), ours, hex(random.pick(VALUES))];
  const shape = {
    FAILED: { to, value },
    CREATION: { to: null, value },
    NO_RECIPIENT: { value },
    NOTHING: { to, value: '0x0' },
    OTHERS: { to: anyAddress(random), value },
  }[kind];
  const place = { blockHash, blockNumber: hex(height), transactionHash: hash };
  return {
    transaction: { hash, from, ...shape, ...strangeFields(random) },
    receipt: {
      ...place,
      status: kind === 'FAILED' ? '0x0' : '0x1',
      gasUsed: hex(random.pick(VALUES)),
      effectiveGasPrice: hex(random.pick(VALUES)),
      ...(random.below(2) === 0 && { blobGasUsed: hex(random.pick(VALUES)), blobGasPrice: hex(random.pick(VALUES)) }),
      contractAddress: kind === 'CREATION' ? anyAddress(random) : null,
      logs: strangeLogs(random, ours, place),
    },
  };
}

interface Block {
  number: string;
  hash: string;
  transactions?: Record<string, unknown>[];
}

function remember<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** Adds transactions and fields of strangers to an honest chain. All nodes that use one result say the same. */
export function createStrangers(random: Random, ours: string) {
  const blocks = new Map<string, Strange[]>();
  const receipts = new Map<string, unknown>();
  const fields = new Map<string, object>();
  const fieldsOf = (hash: string) => remember(fields, hash, () => strangeFields(random));

  return (methods: Methods): Methods => ({
    ...methods,
    eth_getBlockByNumber(tag: never, isFull: never) {
      const block = methods['eth_getBlockByNumber']!(tag, isFull) as Block | null;
      if (!block?.transactions) return block;
      const strange = remember(blocks, block.hash, () =>
        list(random, 6, () => strangeTransaction(random, ours, block.hash, Number(block.number))),
      );
      for (const { transaction, receipt } of strange) receipts.set(String(transaction['hash']), receipt);
      const own = block.transactions.map((one) => ({ ...fieldsOf(String(one['hash'])), ...one }));
      return { ...block, transactions: [...strange.map(({ transaction }) => transaction), ...own] };
    },
    eth_getTransactionReceipt(hash: never) {
      const honest = methods['eth_getTransactionReceipt']!(hash) as { blockHash: string; logs: object[] } | null;
      if (!honest) return receipts.get(hash) ?? null;
      return remember(receipts, hash, () => {
        const place = { blockHash: honest.blockHash, blockNumber: '0x1', transactionHash: hash };
        return {
          ...honest,
          type: random.pick(TYPES),
          contractAddress: null,
          logsBloom: hashOf('bloom'),
          // A transaction that only sends ether has none.
          logs:
            honest.logs.length > 0
              ? [...strangeLogs(random, ours, place), ...honest.logs, ...strangeLogs(random, ours, place)]
              : [],
        };
      });
    },
  });
}
