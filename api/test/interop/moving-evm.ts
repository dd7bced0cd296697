/** Chains of anvil whose blocks come by themselves, with USDT where it is on the main network. */
import { type Anvil, mintOf, startAnvil, transferOf } from '../chains/anvil.ts';

/** Final are blocks of this depth. */
const FIRST_BLOCKS = 12;
const MINE_EVERY_MS = 1000;
/** BSC is faster than Ethereum, and wants more of them. Their times run ahead of the clock. */
const blocksAtOnce = { ethereum: 1, bsc: 3 };
const SUPPLY = 10n ** 30n;

export interface MovingEvm extends Anvil {
  /** @returns the id of the transaction */
  payUsdt: (address: string, units: bigint) => Promise<string>;
}

/** @param token the default of the settings */
export async function startMovingEvm(chain: 'ethereum' | 'bsc', token: string): Promise<MovingEvm> {
  const anvil = await startAnvil(chain);
  await anvil.rpc('anvil_setCode', token, await anvil.rpc('eth_getCode', anvil.token, 'latest'));
  await anvil.send(mintOf(token, anvil.sender, SUPPLY));
  await anvil.mine(FIRST_BLOCKS);
  const mine = async () => {
    // Somebody uses the token all the time, or a check would doubt the node's index.
    await anvil.send(mintOf(token, anvil.sender, 1n));
    await anvil.mine(blocksAtOnce[chain]);
  };
  await mine();
  const timer = setInterval(() => void mine().catch(() => undefined), MINE_EVERY_MS);
  return {
    ...anvil,
    token,
    payUsdt: (address, units) => anvil.send(transferOf(token, address, units)),
    async end() {
      clearInterval(timer);
      await anvil.end();
    },
  };
}
