/** Generated chains of Ethereum and BSC, for tests with hostile sources. */
import type { Random } from '../../../tools/random.ts';
import { createEvmWatcher } from '../../src/payments/chains/evm.ts';
import { createFakeEvmChain, type FakeEther, type FakeEvmChain, foreignAddress, hashOf, serveEvm } from './fake-evm.ts';
import { listenAsNode } from './fake-node.ts';
import type { GeneratedChain } from './hostile-sources.ts';
import { listenHonestly } from './honest-nodes.ts';
import { pretends } from './lies.ts';
import { PATIENT_MS } from './patience.ts';

const DAY_MS = 86_400_000;

export async function openEvm(name: 'ethereum' | 'bsc', chainId: number): Promise<GeneratedChain> {
  const ours = ['0a', '0b', '0c'].map((byte) => `0x${byte.repeat(20)}`);
  const chain = createFakeEvmChain({ chainId, foreignTransactions: 2, headAt: new Date(Date.now() - DAY_MS / 2) });
  const other = createFakeEvmChain({ chainId: 5, forkAt: () => 'other', headHeight: 1200, finalizedHeight: 1190 });
  const nodes = await listenHonestly(serveEvm(chain), serveEvm(other));
  const empty: PropertyDescriptorMap = { transfers: { value: [] }, ether: { value: [] } };
  const hiding = await listenAsNode(serveEvm(Object.create(chain, empty) as FakeEvmChain));
  const move = (blocks: number) => {
    chain.headHeight += blocks;
    chain.headAt = new Date(chain.headAt.getTime() + blocks * 12_000);
    Object.assign(chain, { safeHeight: chain.headHeight - 16, finalizedHeight: chain.headHeight - 32 });
  };
  const blockAt = (height: number) => ({
    height,
    time: new Date(Math.floor(chain.headAt.getTime() / 1000) * 1000 - (chain.headHeight - height) * 12_000),
  });
  return {
    ...nodes,
    hiding: hiding.node.url,
    end() {
      nodes.end();
      hiding.close();
    },
    addresses: new Set(ours),
    createWatcher: (urls) =>
      createEvmWatcher({ chain: name, urls, usdtContract: chain.token, headAgeMaxMs: DAY_MS, timeoutMs: PATIENT_MS }),
    isFinal: ({ block }, { head }) => block!.height <= head.finalizedHeight!,
    advance(random) {
      const before = chain.headHeight;
      move(5 + random.below(20));
      for (let payment = random.below(5); payment > 0; payment -= 1) {
        const height = before + 1 + random.below(chain.headHeight - before);
        const [to, units] = [random.pick(ours), BigInt(1 + random.below(1000))];
        if (name === 'bsc' || random.below(2) === 0) chain.transfers.push({ height, to, units });
        else chain.ether.push(anyEther(random, { height, to, units }, ours));
      }
    },
    makeFinal: () => move(60),
    truths: () => [
      ...chain.transfers.map(({ height, to, units }, index) => ({
        asset: 'USDT',
        transactionId: hashOf(`transfer ${index}`),
        output: index,
        address: to,
        units,
        block: blockAt(height),
      })),
      ...etherTruths(chain.ether, ours).map(({ height, ...truth }) => ({ ...truth, block: blockAt(height) })),
    ],
    lies: {
      'pretends that we were paid': pretends(ours.map((one) => [foreignAddress(0), one])),
      'hides what we were paid': pretends(ours.map((one) => [one, foreignAddress(0)])),
      'raises a balance': ({ topic, payload }) =>
        topic === 'eth_call' || topic === 'eth_getBalance' ? raise(payload as string) : (payload ?? null),
    },
  };
}

/** A payment, one by a contract, or a sweep. */
function anyEther(random: Random, one: Pick<FakeEther, 'height' | 'to' | 'units'>, ours: readonly string[]): FakeEther {
  if (random.below(4) === 0) return { ...one, from: random.pick(ours), to: foreignAddress(1) };
  return { ...one, from: foreignAddress(2), isInternal: random.below(2) === 0 };
}

function etherTruths(ether: readonly FakeEther[], ours: readonly string[]) {
  const direct = ether.flatMap(({ height, to, units, isInternal = false }, index) => {
    if (isInternal || !ours.includes(to)) return [];
    return [{ asset: 'ETH', transactionId: hashOf(`ether ${index}`), output: 0, address: to, units, height }];
  });
  const internal = new Map<string, (typeof direct)[number]>();
  for (const { height, to, units, isInternal = false } of ether) {
    if (!isInternal) continue;
    const transactionId = `balance:${height}:${to}`;
    const known = internal.get(transactionId)?.units ?? 0n;
    internal.set(transactionId, { asset: 'ETH', transactionId, output: 0, address: to, units: units + known, height });
  }
  return [...direct, ...internal.values()];
}

/** Adds one to the last number. */
function raise(hex: string): string {
  const at = Math.max(2, hex.length - 64);
  return hex.slice(0, at) + (BigInt(`0x${hex.slice(at)}`) + 1n).toString(16).padStart(hex.length - at, '0');
}
