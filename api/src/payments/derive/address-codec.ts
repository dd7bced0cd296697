/** How the addresses of an account are derived, written and read. Chains of one space share a codec. */
import { HDKey } from '@scure/bip32';
import assert from 'node:assert/strict';
import { type AccountKey, parseAccountKey } from './account-key.ts';

export interface AddressCodec {
  keyKind: AccountKey['kind'];
  /** Of a text in the settings. @throws InvalidAccountKey */
  parseKey: (text: string) => AccountKey;
  /** Takes one or two milliseconds. */
  derive: (account: AccountKey, index: bigint) => string;
  /** How a wallet names the address. */
  describeIndex: (index: bigint) => string;
  /**
   * The form in which addresses are stored and shown, of one that a person has typed or pasted: its checksum is checked, except for
   * hexadecimal digits in lower case, which have none.
   * @returns undefined if it is no address of the space
   */
  parse: (text: string) => string | undefined;
  /** Of the same account on a test network, where that has a form of its own. */
  isTestForm?: (text: string) => boolean;
}

const BIP32_INDEX_END = 2n ** 31n;

/** `0/i` below an extended key, which every wallet shows as its receiving addresses. */
export function extendedKeyAddresses(
  encode: (publicKey: Uint8Array) => string,
  parse: AddressCodec['parse'],
): AddressCodec {
  return {
    keyKind: 'XPUB',
    parseKey: parseAccountKey,
    derive(account, index) {
      assert(account.kind === 'XPUB');
      assert(index >= 0n && index < BIP32_INDEX_END, `no address has the index ${index}`);
      return encode(HDKey.fromExtendedKey(account.xpub).deriveChild(0).deriveChild(Number(index)).publicKey!);
    },
    describeIndex: (index) => `0/${index}`,
    parse,
  };
}
