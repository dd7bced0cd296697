import { Address } from '@ton/core';
import type { KeyPair } from '@ton/crypto';
import type { Random } from '../../../../tools/random.ts';
import { createTonWatcher } from '../../../src/payments/chains/ton/ton-watcher.ts';
import { startHostileProxy } from '../hostile-proxy.ts';
import type { LocalServer } from '../local-server.ts';
import { tonLies } from '../ton/generated-ton.ts';
import { type Facade, startFacade } from '../ton/facade.ts';
import { optionsFor } from '../ton/local-ton.ts';
import { sweepWallet } from '../ton/sweep-wallet.ts';
import { TonChain } from '../ton/ton-chain.ts';
import { on } from '../ton/two-sources.ts';
import { createSwept, type Paid, type RandomChain, shuffle, START } from './random-chain.ts';
import { PATIENT_MS } from '../patience.ts';

const HONEST = 3;
const TEST_NETWORK = -3;
const WALLETS_MAX = 50;

/** @param account of the operator, who sweeps with it */
export async function openRandomTon(random: Random, account: KeyPair): Promise<RandomChain> {
  const chain = await TonChain.start(START.getTime() / 1000);
  const swept = createSwept();
  const honest = await Promise.all(Array.from({ length: HONEST }, () => startFacade(chain)));
  const elsewhere = await startFacade(chain, { globalId: TEST_NETWORK });
  const liar = await startHostileProxy(rootOf(honest[0]!), rootOf(elsewhere));
  const [version, otherVersion] = shuffle(['v2', 'v3'], random);
  const urls = [`${liar.url}/api/${version}`, `${rootOf(honest[1]!)}/api/${otherVersion}`, honest[2]!.url];
  const funding = await chain.blockchain.treasury('funding');
  const paid: Paid[] = [];
  const heldIn = (currency: string, owner: Address) =>
    currency === 'TON' ? chain.stateOf(owner.toRawString()).balance : chain.tokensOf(owner);

  return {
    chain: 'ton',
    liar,
    swept,
    liesAbout: () => tonLies,
    createWatcher: () =>
      createTonWatcher({
        urls: shuffle(urls, random),
        ...optionsFor(chain),
        fundingAddresses: [funding.address.toString()],
        timeoutMs: PATIENT_MS,
      }),
    async pay({ currency, address, units }) {
      const to = Address.parse(address);
      const isCoin = currency === 'TON';
      const transactions = await chain.send(isCoin ? { to, value: units } : chain.tokenTransfer(to, units));
      const [arrival] = on(isCoin ? to : chain.walletOf(to), transactions);
      paid.push({ currency, address, units, transactionId: arrival!.hash().toString('hex') });
    },
    advance: () => chain.mine(1 + random.below(12)),
    async sweep(currency, address) {
      const owner = Address.parse(address);
      // Payments that wait for their block were executed before the sweep.
      chain.mine();
      if (heldIn(currency, owner) === 0n) return;
      // The wallet of a token pays its fees with TON, which are swept with what it holds.
      for (const one of ['TON', 'USDT_TON'] as const) swept.add({ currency: one, address, units: heldIn(one, owner) });
      await sweepWallet(chain, { account, owner, funding, walletsMax: WALLETS_MAX });
      chain.mine();
    },
    makeFinal: () => chain.mine(10),
    paid: () => paid,
    end: () => Promise.all([liar, ...honest, elsewhere].map((server: LocalServer | Facade) => server.close())),
  };
}

const rootOf = ({ url }: Facade): string => new URL(url).origin;
