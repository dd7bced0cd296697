/** The emulator of TRON whose blocks come by themselves, with two sources: for the product with its worker. */
import { TronChain } from '../chains/tron/chain.ts';
import type { Payout } from '../chains/local-chain.ts';
import { startTronNode } from '../chains/tron/node.ts';
import { buildUsdt, loadTronWeb, sendSigned } from './tronweb.ts';

/** Faster than TRON's 3 s, so that nobody waits a minute for a solid block. Their times run ahead of the clock. */
const BLOCK_EVERY_MS = 300;
const FIRST_BLOCKS = 45;
const PAYER_KEY = '01'.repeat(32);
const PAYER_UNITS = 10n ** 12n;

/** The account m/44'/195'/0' of the seed phrase `abandon` x 11 + `about`. */
const TRON_ACCOUNT = {
  key: 'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
  firstAddress: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
};

export interface MovingTron {
  /** From a wallet of tronweb. @returns the id of the transaction */
  pay: Record<'TRX' | 'USDT_TRC20', (payout: Payout) => Promise<string>>;
  /** Of the operator. */
  settings: Record<string, string>;
  end: () => Promise<void>;
}

export async function startMovingTron(): Promise<MovingTron> {
  const chain = new TronChain({ startMs: Date.now() - FIRST_BLOCKS * 3000 });
  const nodes = [await startTronNode(chain), await startTronNode(chain)] as const;
  const client = new (await loadTronWeb())({ fullHost: nodes[0].url, privateKey: PAYER_KEY });
  const { base58, hex } = client.defaultAddress;
  chain.endow(hex.toLowerCase(), PAYER_UNITS, PAYER_UNITS);
  const timer = setInterval(() => chain.mine(), BLOCK_EVERY_MS);
  return {
    pay: {
      TRX: async ({ address, units }) =>
        sendSigned(client, await client.transactionBuilder.sendTrx(address, Number(units), base58)),
      USDT_TRC20: async ({ address, units }) => sendSigned(client, await buildUsdt(client, address, Number(units))),
    },
    settings: {
      PAY_TRON_XPUB: TRON_ACCOUNT.key,
      PAY_TRON_ADDRESS_0: TRON_ACCOUNT.firstAddress,
      PAY_TRON_URLS: nodes.map(({ url }) => url).join(),
    },
    async end() {
      clearInterval(timer);
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
}
