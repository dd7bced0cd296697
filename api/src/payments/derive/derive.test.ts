import { createBase58check } from '@scure/base';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { InvalidAccountKey, parseAccountKey } from './account-key.ts';
import { deriveAddress, isSameAddress, toChecksumAddress } from './addresses.ts';

/** The accounts of the seed phrase `abandon` x 11 + `about`. The first is also the vector of BIP84. */
const XPUB_BTC =
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V';
const ZPUB_BTC =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
const XPUB_LTC =
  'xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE';
const XPUB_EVM =
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt';

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
function withVersion(key: string, version: number, depth = 3): string {
  const bytes = base58check.decode(key);
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, version);
  bytes[4] = depth;
  return base58check.encode(bytes);
}

describe('deriveAddress', () => {
  test.each([
    ['btc', XPUB_BTC, ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g']],
    ['btc', ZPUB_BTC, ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g']],
    ['ltc', XPUB_LTC, ['ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', 'ltc1qwlezpr3890hcp6vva9twqh27mr6edadreqvhnn']],
    ['evm', XPUB_EVM, ['0x9858EfFD232B4033E47d90003D41EC34EcaEda94', '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0']],
  ] as const)('derives the published addresses of %s from %s', (space, key, addresses) => {
    const account = parseAccountKey(key);
    expect([0n, 1n].map((index) => deriveAddress(space, account, index))).toEqual(addresses);
  });

  test('refuses an index beyond the last one', () => {
    expect(() => deriveAddress('btc', parseAccountKey(XPUB_BTC), 2n ** 31n)).toThrow('no address');
    expect(() => deriveAddress('btc', parseAccountKey(XPUB_BTC), -1n)).toThrow('no address');
  });
});

describe('parseAccountKey', () => {
  test.each([
    ['ypub', 0x04_9d_7c_b2],
    ['zpub', 0x04_b2_47_46],
    ['Ltub', 0x01_9d_a4_62],
    ['Mtub', 0x01_b2_6e_f6],
  ])('takes a %s for the same account as the xpub', (prefix, version) => {
    const key = withVersion(XPUB_LTC, version);
    expect(key.startsWith(prefix)).toBe(true);
    expect(parseAccountKey(` ${key}\n`)).toEqual(parseAccountKey(XPUB_LTC));
  });

  test.each([
    ['xprv', withVersion(XPUB_BTC, 0x04_88_ad_e4)],
    ['yprv', withVersion(XPUB_BTC, 0x04_9d_78_78)],
    ['zprv', withVersion(XPUB_BTC, 0x04_b2_43_0c)],
    ['Ltpv', withVersion(XPUB_BTC, 0x01_9d_9c_fe)],
    ['Mtpv', withVersion(XPUB_BTC, 0x01_b2_67_92)],
    ['tprv', withVersion(XPUB_BTC, 0x04_35_83_94)],
    ['half an xprv', 'xprv9s21ZrQH143K3QTDL4LXw2F7HEK'],
    ['WIF', 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn'],
    ['uncompressed WIF', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'],
    ['WIF of Litecoin', 'T33ydQRKp4FCW5LCLLUB7deioUMoveiwekdwUwyfRDeGZm76aUjV'],
    ['64 hexadecimal digits', 'e284129cc0922579a535bbf4d1a3b25773090d28c909bc0fed73b5e0222cc372'],
    ['the same with 0x', '0xE284129CC0922579A535BBF4D1A3B25773090D28C909BC0FED73B5E0222CC372'],
    ['12 words', `${'abandon '.repeat(11)}about`],
    ['24 words', `${'abandon '.repeat(23)}art`],
  ])('refuses a private key: %s, and does not repeat it', (_, key) => {
    expect(() => parseAccountKey(key)).toThrow(/is private/);
    expect(() => parseAccountKey(key)).not.toThrow(key.slice(0, 12));
  });

  test.each([
    ['a key of the wrong depth', withVersion(XPUB_BTC, 0x04_88_b2_1e, 4), /depth 4/],
    ['a master key', withVersion(XPUB_BTC, 0x04_88_b2_1e, 0), /depth 0/],
    ['a typing error', `${XPUB_BTC.slice(0, -1)}W`, /checksum/],
    ['a tpub', withVersion(XPUB_BTC, 0x04_35_87_cf), /is not an xpub/],
    ['an address', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', /checksum/],
    ['nothing', '', /checksum/],
  ])('refuses %s', (_, key, message) => {
    expect(() => parseAccountKey(key)).toThrow(InvalidAccountKey);
    expect(() => parseAccountKey(key)).toThrow(message);
  });

  test('distinguishes accounts', () => {
    const fingerprints = [XPUB_BTC, XPUB_LTC, XPUB_EVM].map((key) => parseAccountKey(key).fingerprint);
    expect(new Set(fingerprints).size).toBe(3);
    expect(fingerprints[0]).toMatch(/^[0-9a-f]{16}$/);
  });
});

test('a pasted address is compared with its checksum, unless it is in lower case', () => {
  const address = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
  expect(toChecksumAddress(address.toLowerCase())).toBe(address);
  expect(isSameAddress('evm', address, ` ${address.toLowerCase()} `)).toBe(true);
  expect(isSameAddress('evm', address, '0x9858EfFD232B4033E47d90003D41EC34EcaEdA94')).toBe(false);
  expect(isSameAddress('btc', 'bc1qcr8te4', 'BC1QCR8TE4')).toBe(true);
  expect(isSameAddress('btc', 'bc1qcr8te4', 'bc1qcr8te5')).toBe(false);
});
