/** The chain of TON in memory whose blocks come by themselves, with two sources: for the product with its worker. */
import { Address, type Transaction } from '@ton/core';
import { startFacade } from '../chains/ton/facade.ts';
import { walletCodeHash } from '../chains/ton/jetton.ts';
import type { Payout } from '../chains/local-chain.ts';
import { TonChain } from '../chains/ton/ton-chain.ts';

const BLOCK_EVERY_MS = 1000;
/** Faster than the clock, so that nobody waits a minute for the addresses without open invoices. */
const BLOCK_SECONDS = 10;

/** The public key and the first address of the seed of 32 bytes of 7. */
const ACCOUNT = {
  key: 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c',
  firstAddress: 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w',
};

export interface MovingTon {
  /** From a wallet of `@ton/sandbox`. */
  pay: Record<'TON' | 'USDT_TON', (payout: Payout) => Promise<Transaction[]>>;
  /** Of the operator. */
  settings: Record<string, string>;
  end: () => Promise<void>;
}

export async function startMovingTon(): Promise<MovingTon> {
  const chain = await TonChain.start();
  const [index, node] = [await startFacade(chain), await startFacade(chain)];
  chain.mineAt(Math.floor(Date.now() / 1000));
  const mine = () => chain.mineAt(chain.head.time + BLOCK_SECONDS);
  const timer = setInterval(mine, BLOCK_EVERY_MS);
  return {
    pay: {
      TON: ({ address, units }) => chain.send({ to: Address.parse(address), value: units }),
      USDT_TON: ({ address, units }) => chain.send(chain.tokenTransfer(Address.parse(address), units)),
    },
    settings: {
      PAY_TON_PUBLIC_KEY: ACCOUNT.key,
      PAY_TON_ADDRESS_0: ACCOUNT.firstAddress,
      PAY_TON_URLS: [index.url, node.urlOfV2].join(),
      PAY_USDT_TON_WALLET_CODE: walletCodeHash,
    },
    async end() {
      clearInterval(timer);
      await Promise.all([index, node].map((source) => source.close()));
    },
  };
}
