/** A chain of TRON with payments, for the tests with hostile sources. */
import type { Random } from '../../../../tools/random.ts';
import { toHexAddress } from '../../../src/payments/chains/tron/network.ts';
import { createTronWatcher } from '../../../src/payments/chains/tron/tron-watcher.ts';
import type { GeneratedChain, Truth } from '../hostile-sources.ts';
import { pretends } from '../lies.ts';
import { TronChain } from './chain.ts';
import { createSender, randomTronAddress } from './local-tron.ts';
import { startTronNode } from './node.ts';
import { PATIENT_MS } from '../patience.ts';

const HONEST = 3;
const OTHER_CHAIN_ID = 3_448_148_188;
const BLOCKS_UNTIL_FINAL = 22;

export async function openGeneratedTron(): Promise<GeneratedChain> {
  const chain = new TronChain();
  const send = createSender(chain);
  const honest = await Promise.all(Array.from({ length: HONEST }, () => startTronNode(chain)));
  const other = await startTronNode(new TronChain(), { chainId: OTHER_CHAIN_ID });
  const ours = [randomTronAddress(), randomTronAddress()];
  const foreign = randomTronAddress();
  const paid: Omit<Truth, 'block'>[][] = [];
  const truths: Truth[] = [];

  /** A transfer of TRX, of USDT, or several of USDT in one transaction, of which some pay others. */
  function pay(random: Random): void {
    const anyPayout = () => ({ address: random.pick([...ours, foreign]), units: BigInt(1 + random.below(1000)) });
    if (random.below(2) === 0) {
      const payout = anyPayout();
      paid.push([{ asset: 'TRX', transactionId: send.trx(payout), output: 0, ...payout }]);
      return;
    }
    const payouts = Array.from({ length: 1 + random.below(3) }, anyPayout);
    const transactionId = send.usdtBatch(...payouts);
    paid.push(payouts.map((payout, output) => ({ asset: 'USDT', transactionId, output, ...payout })));
  }
  /** What was sent is in the first one. */
  function mine(blocks: number): void {
    chain.mine();
    const block = { height: chain.head.height, time: new Date(chain.head.timeMs) };
    for (const payment of paid.splice(0).flat()) if (payment.address !== foreign) truths.push({ ...payment, block });
    chain.mine(blocks);
  }

  return {
    urls: honest.map(({ url }) => url),
    elsewhere: other.url,
    addresses: new Set(ours),
    createWatcher: (urls) =>
      createTronWatcher({ urls, now: chain.now, timeoutMs: PATIENT_MS, requestsPerSecond: 1000 }),
    isFinal: ({ block }, { head }) => block!.height <= head.finalizedHeight!,
    advance(random) {
      for (let payment = random.below(5); payment > 0; payment -= 1) pay(random);
      mine(1 + random.below(8));
    },
    makeFinal: () => mine(BLOCKS_UNTIL_FINAL),
    truths: () => truths,
    lies: {
      'pretends that we were paid': pretends(ours.map((one) => [bareHex(foreign), bareHex(one)])),
      'hides what we were paid': pretends(ours.map((one) => [bareHex(one), bareHex(foreign)])),
    },
    end: () => [...honest, other].map((node) => node.close()),
  };
}

/** 20 bytes, as in topics; with 41 before it, as in transactions. */
const bareHex = (address: string) => toHexAddress(address).slice(2);
