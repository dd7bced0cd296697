/** Native segwit addresses (P2WPKH) of Bitcoin and Litecoin. */
import { NETWORK, p2wpkh } from '@scure/btc-signer';
import { extendedKeyAddresses } from './address-codec.ts';

/** @param prefix of the network (BIP 173) */
export const witnessAddresses = (prefix: string) =>
  extendedKeyAddresses(
    (publicKey) => p2wpkh(publicKey, { ...NETWORK, bech32: prefix }).address,
    (address) => address.toLowerCase(),
  );
