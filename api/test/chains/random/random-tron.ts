import type { Random } from '../../../../tools/random.ts';
import { toHexAddress } from '../../../src/payments/chains/tron/network.ts';
import { createTronWatcher } from '../../../src/payments/chains/tron/tron-watcher.ts';
import { findCurrency } from '../../../src/payments/currencies.ts';
import { encodeTronAddress } from '../../../src/payments/derive/tron-address.ts';
import { startHostileProxy } from '../hostile-proxy.ts';
import { pretends } from '../lies.ts';
import { TronChain } from '../tron/chain.ts';
import { createSender } from '../tron/local-tron.ts';
import { startTronNode } from '../tron/node.ts';
import { createSwept, type Paid, type Plan, type RandomChain, shuffle, START } from './random-chain.ts';
import { PATIENT_MS } from '../patience.ts';

const HONEST = 3;
const OTHER_CHAIN_ID = 3_448_148_188;
const BLOCKS_UNTIL_FINAL = 22;
const FORK_DEPTH_MAX = 8;
/** Of others, as in topics and transactions: 20 bytes. */
const FOREIGN = 'ff'.repeat(20);

const bareHex = (address: string) => toHexAddress(address).slice(2);

export async function openRandomTron(random: Random): Promise<RandomChain> {
  const seed = String(random.below(2 ** 31));
  const chain = new TronChain({ startMs: START.getTime(), seed });
  const plan = createPlan(chain, random);
  const honest = await Promise.all(Array.from({ length: HONEST }, () => startTronNode(chain)));
  const elsewhere = new TronChain({ startMs: START.getTime(), seed: `elsewhere ${seed}` });
  const other = await startTronNode(elsewhere, { chainId: OTHER_CHAIN_ID });
  const liar = await startHostileProxy(honest[0]!.url, other.url);
  // Nobody reads which transactions have taken it.
  for (const { behaviour } of honest)
    behaviour.changeBalance = (units, { asset, owner }) =>
      units - plan.swept.of(findCurrency('tron', asset)!, encodeTronAddress(Buffer.from(owner, 'hex')));
  return {
    ...plan,
    chain: 'tron',
    liar,
    liesAbout: (addresses) => {
      const ours = addresses.map(bareHex);
      return [pretends(ours.map((one) => [FOREIGN, one])), pretends(ours.map((one) => [one, FOREIGN]))];
    },
    createWatcher: () =>
      createTronWatcher({
        urls: shuffle([liar.url, ...honest.slice(1).map(({ url }) => url)], random),
        now: chain.now,
        timeoutMs: PATIENT_MS,
        requestsPerSecond: 1000,
      }),
    end: () => Promise.all([liar, ...honest, other].map((server) => server.close())),
  };
}

function createPlan(chain: TronChain, random: Random): Plan {
  const send = createSender(chain);
  const swept = createSwept();
  const sent = new Map<string, Paid>();
  const lost: string[] = [];

  function includeAgain(percent: number): void {
    for (const id of lost.splice(0)) {
      if (random.below(100) < percent) chain.includeAgain(id);
      else lost.push(id);
    }
  }
  /** What an address has received in solid blocks. */
  function receivedBy(currency: string, address: string): bigint {
    return [...sent.values()]
      .filter((one) => one.currency === currency && one.address === address)
      .filter(({ transactionId }) => (chain.find(transactionId!)?.block.height ?? Infinity) <= chain.solidHeight)
      .reduce((total, { units }) => total + units, 0n);
  }

  return {
    swept,
    pay(payment) {
      const transactionId = payment.currency === 'TRX' ? send.trx(payment) : send.usdt(payment);
      sent.set(transactionId, { ...payment, transactionId });
      return Promise.resolve();
    },
    advance() {
      includeAgain(60);
      chain.mine(1 + random.below(8));
    },
    fork() {
      const depth = 1 + random.below(Math.min(FORK_DEPTH_MAX, chain.head.height - chain.solidHeight));
      const ids = chain.blocks.slice(-depth).flatMap(({ executions }) => executions.map(({ id }) => id));
      const dropped = ids.filter((id) => sent.has(id) && random.below(2) === 0);
      lost.push(...dropped);
      chain.fork(depth, dropped);
    },
    sweep(currency, address) {
      const units = receivedBy(currency, address) - swept.of(currency, address);
      swept.add({ currency, address, units });
      return Promise.resolve();
    },
    makeFinal() {
      includeAgain(100);
      chain.mine(BLOCKS_UNTIL_FINAL + 1);
    },
    paid: () => [...sent.values()],
  };
}
