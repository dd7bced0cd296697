import { bech32 } from '@scure/base';

const PUBLIC_KEY_HASH_BYTES = 20;

/**
 * The output script of a P2WPKH address, hexadecimal: scripts identify payments, since nodes show addresses in several ways.
 * @throws Error if it is not such an address of the network
 */
export function witnessScript(address: string, prefix: string): string {
  const decoded = bech32.decode(address as `${string}1${string}`);
  const [version, ...words] = decoded.words;
  const program = bech32.fromWords(words);
  if (decoded.prefix !== prefix || version !== 0 || program.length !== PUBLIC_KEY_HASH_BYTES) {
    throw new Error(`${address} is not an address that begins with ${prefix}1q and pays to a public key hash`);
  }
  return `0014${Buffer.from(program).toString('hex')}`;
}
