/** The main network of TRON. Hexadecimal addresses have 21 bytes, the first of which is 41, as in its transactions. */
import { decodeTronAddress } from '../../derive/tron-address.ts';
import { tron } from './chain.ts';

/** The answer of `eth_chainId`: the end of the id of block 0. Test networks have others. */
export const MAINNET_CHAIN_ID = 728_126_428;
/** The contract of Tether. */
export const USDT_ADDRESS = tron.token.usualContract;
/** The same, 21 bytes. */
export const TETHER = toHexAddress(USDT_ADDRESS);

/** @throws Error if it is no address of TRON */
export function toHexAddress(address: string): string {
  const bytes = decodeTronAddress(address);
  if (!bytes) throw new Error(`${address} is no address of TRON`);
  return Buffer.from(bytes).toString('hex');
}
