import { createBase58check } from '@scure/base';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { InvalidAccountKey, parseAccountKey } from './account-key.ts';
import { deriveAddress, isSameAddress, parseAddress } from './addresses.ts';
import { toChecksumAddress } from './evm-address.ts';
import { parseTonAddress, toRawTonAddress } from './ton-address.ts';
import { parseWalletKey } from './wallet-key.ts';

/** The accounts of the seed phrase `abandon` x 11 + `about`. The first is also the vector of BIP84. */
const XPUB_BTC =
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V';
const ZPUB_BTC =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
const XPUB_LTC =
  'xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE';
const XPUB_EVM =
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt';
const XPUB_TRON =
  'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd';
/** Of the ed25519 seed of 32 bytes 07. */
const KEY_TON = 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c';

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
    ['tron', XPUB_TRON, ['TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK']],
  ] as const)('derives the published addresses of %s from %s', (space, key, addresses) => {
    const account = parseAccountKey(key);
    expect([0n, 1n].map((index) => deriveAddress(space, account, index))).toEqual(addresses);
  });

  test('derives the third address of TRON, too', () => {
    expect(deriveAddress('tron', parseAccountKey(XPUB_TRON), 2n)).toBe('TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx');
  });

  test.each([
    [
      0n,
      'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w',
      '0:2a6ee6b7ff41bfecafe383386325c7a895f4fe4ce346b18eb9c14a0152d6629c',
    ],
    [
      1n,
      'UQB1ytCc4RL_k7D205aH66FKYkwl7RtTZjDemB72J2lwRhvf',
      '0:75cad09ce112ff93b0f6d39687eba14a624c25ed1b536630de981ef627697046',
    ],
    [
      2n,
      'UQDVRL4mbYPt_f1XxtQuq3Z_vl-vsqJ2A7emXbCXySImaFZH',
      '0:d544be266d83edfdfd57c6d42eab767fbe5fafb2a27603b7a65db097c9222668',
    ],
    [
      1_000_000n,
      'UQBcRFe9zi9BuUAv5RFEAk0KKUrBcDKFJAJq2QWitbI8zq_G',
      '0:5c4457bdce2f41b9402fe51144024d0a294ac170328524026ad905a2b5b23cce',
    ],
  ])('derives wallet %d of TON as its libraries do', (index, friendly, raw) => {
    expect(deriveAddress('ton', parseWalletKey(KEY_TON), index)).toBe(friendly);
    expect(toRawTonAddress(parseTonAddress(friendly)!)).toBe(raw);
  });

  test.each([
    ['btc', parseAccountKey(XPUB_BTC), 2n ** 31n],
    ['tron', parseAccountKey(XPUB_TRON), 2n ** 31n],
    ['ton', parseWalletKey(KEY_TON), 1_448_500_457n],
    ['btc', parseAccountKey(XPUB_BTC), -1n],
    ['ton', parseWalletKey(KEY_TON), -1n],
  ] as const)('refuses an index beyond the last one: %s', (space, account, index) => {
    expect(() => deriveAddress(space, account, index)).toThrow('no address');
  });

  test('refuses the key of another kind', () => {
    expect(() => deriveAddress('tron', parseWalletKey(KEY_TON), 0n)).toThrow('no addresses of tron');
    expect(() => deriveAddress('ton', parseAccountKey(XPUB_TRON), 0n)).toThrow('no addresses of ton');
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

describe('parseWalletKey', () => {
  test.each([
    ['hexadecimal digits', KEY_TON],
    ['capital ones with 0x', `0x${KEY_TON.toUpperCase()}`],
    ['base64', Buffer.from(KEY_TON, 'hex').toString('base64')],
    ['base64url without padding', ` ${Buffer.from(KEY_TON, 'hex').toString('base64url')}\n`],
  ])('takes %s', (_, key) => {
    expect(parseWalletKey(key)).toMatchObject({ kind: 'ED25519', publicKey: KEY_TON });
    expect(parseWalletKey(key).fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each([
    ['24 words', `${'abandon '.repeat(23)}art`, /is private/],
    ['a secret key of 64 bytes', `${'07'.repeat(32)}${KEY_TON}`, /is private/],
    ['the same as base64', Buffer.from('07'.repeat(32) + KEY_TON, 'hex').toString('base64'), /is private/],
    ['a seed that is no point of the curve', '07'.repeat(32), /or private/],
    ['an xpub', XPUB_TRON, /is no public key/],
    ['an address', 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w', /is no public key/],
    ['nothing', '', /is no public key/],
  ])('refuses %s, and does not repeat it', (_, key, message) => {
    expect(() => parseWalletKey(key)).toThrow(InvalidAccountKey);
    expect(() => parseWalletKey(key)).toThrow(message);
    expect(() => parseWalletKey(key)).not.toThrow(key.slice(0, 12) || 'no key');
  });
});

describe('a written address', () => {
  const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  const friendly = 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w';

  test('of TRON is compared exactly', () => {
    expect(parseAddress('tron', ` ${tron}\n`)).toBe(tron);
    expect(isSameAddress('tron', tron, tron)).toBe(true);
  });

  test.each([
    ['a wrong checksum', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T'],
    ['lower case', tron.toLowerCase()],
    ['another prefix with a right checksum', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['20 bytes in hexadecimal digits that begin with 41', `41${'ab'.repeat(19)}`],
    ['the address of the same key on Ethereum', '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c'],
  ])('of TRON is refused with %s', (_, text) => {
    expect(parseAddress('tron', text)).toBeUndefined();
  });

  test.each([
    ['bounceable', 'EQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinKC1'],
    ['in the other alphabet of base64', friendly.replaceAll('_', '/').replaceAll('-', '+')],
    ['raw', '0:2A6EE6B7FF41BFECAFE383386325C7A895F4FE4CE346B18EB9C14A0152D6629C'],
  ])('of TON is the same: %s', (_, text) => {
    expect(parseAddress('ton', text)).toBe(friendly);
  });

  test.each([
    ['a wrong checksum', friendly.replace('Aqb', 'AqB')],
    ['another length', friendly.slice(1)],
    ['the flag of the test network', Buffer.concat([Buffer.from([0xd1]), Buffer.alloc(35)]).toString('base64url')],
    ['no account', '0:2a6e'],
  ])('of TON is refused with %s', (_, text) => {
    expect(parseAddress('ton', text)).toBeUndefined();
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
