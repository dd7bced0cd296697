/** @module-tag thorough */
import { describe, expect, test } from 'vitest';
import { encodeProtobuf, decodeProtobuf } from './protobuf.ts';
import { readSigned } from './read-signed.ts';
import { InvalidTransaction } from './sweep.ts';
import { encodeTokenCall } from './token-call.ts';
import { bandwidthOf, readTronTransaction, signTronTransaction, type TronTransaction } from './tron-transaction.ts';

/** `m/44'/195'/0'/0/0` of the seed words `abandon` x 11 + `about`, and what tronweb 6.5.1 signs with it. */
const KEY = Buffer.from('b5a4cea271ff424d7c31dc12a3e43e401df7a40d7412a15750f3f0b6b5449a28', 'hex');
const OWNER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const TO = 'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx';
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TRANSFER = {
  id: '6cadbb740aa1f990e7708bd1edff02d92fdca156896186dfbd2e22848fc5a431',
  raw: '0a02e7f0220885fc9d795829e08940e8b2aee7dd335a69080112650a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412340a1541c8599111f29c1e1e061265b4af93ea1f274ad78a121541f4f35fff5ca9ee43aca2c57ded9d9ec66ac42dd01880e497d01270e8d7f0bfdd33',
  signature:
    '0b67a6d9469dc6de7a1188d59858f8458cd70628bbcbbcc273861aee049d4419272129956e19e5a8a87cc21b01ee37f2b404dd6a9f940eeda0399d506da801fa1b',
};
const CALL = {
  id: '04e4ccc86a93f529f56c7a81d0723ef5361fef6acc9d6488569656e8acd72aa1',
  raw: '0a02e7f0220885fc9d795829e08940e8b2aee7dd335aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a1541c8599111f29c1e1e061265b4af93ea1f274ad78a121541a614f803b6fd780986a42c78ec9c7f77e6ded13c2244a9059cbb000000000000000000000000f4f35fff5ca9ee43aca2c57ded9d9ec66ac42dd00000000000000000000000000000000000000000000000000000000008f0d17f70e8d7f0bfdd339001e0c79f06',
  signature:
    'dca605e702d411630c84c89b873e540f2e8f01d9092c33bd7d9cf050114f53560b0bb60e03506f7b1aee5976cd2c6a88e8bc228ea879508bb6798e16ef99f7e71b',
};

const frame = {
  refBlockBytes: Buffer.from('e7f0', 'hex'),
  refBlockHash: Buffer.from('85fc9d795829e089', 'hex'),
  expiresAt: new Date(1_777_527_921_000),
  madeAt: new Date(1_777_445_121_000),
  owner: OWNER,
};
const transfer: TronTransaction = { ...frame, kind: 'TRANSFER', to: TO, amount: 5_000_000_000n, feeLimit: 0n };
const toDigits = 'f4f35fff5ca9ee43aca2c57ded9d9ec66ac42dd0';
const call: TronTransaction = {
  ...frame,
  kind: 'CALL',
  contract: USDT,
  data: encodeTokenCall({ to: toDigits, units: 149_999_999n }),
  feeLimit: 13_100_000n,
};

const hex = (text: string) => Buffer.from(text, 'hex');
const digits = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const wrap = (raw: Uint8Array, signature: string) =>
  digits(
    encodeProtobuf([
      [1, raw],
      [2, hex(signature)],
    ]),
  );

test('signs the same bytes as another library', () => {
  expect(signTronTransaction(transfer, KEY)).toBe(wrap(hex(TRANSFER.raw), TRANSFER.signature));
  expect(signTronTransaction(call, KEY)).toBe(wrap(hex(CALL.raw), CALL.signature));
});

test('a transfer of TRX uses the bandwidth that explorers show', () => {
  expect(bandwidthOf({ ...transfer, amount: 5_000_000n })).toBe(268);
  expect(bandwidthOf(transfer)).toBe(269);
  expect(bandwidthOf(call)).toBe(345);
});

describe('reading', () => {
  test('recovers all fields, the owner and the id', () => {
    const signed = signTronTransaction(transfer, KEY);
    const { transaction, from, id } = readTronTransaction(signed);
    expect(transaction).toEqual(transfer);
    expect([from, id]).toEqual([OWNER, TRANSFER.id]);
    expect(readSigned.tron(signTronTransaction(call, KEY))).toEqual({
      chain: 'tron',
      from: OWNER,
      to: TO,
      contract: USDT,
      units: 149_999_999n,
      feeLimitUnits: 13_100_000n,
      nonce: undefined,
      expiresAt: frame.expiresAt,
      transactionId: CALL.id,
    });
  });

  test('refuses a signature for the address of somebody else', () => {
    const signed = signTronTransaction({ ...transfer, owner: TO }, KEY);
    expect(() => readSigned.tron(signed)).toThrow(`${OWNER} has signed for ${TO}`);
  });

  test('refuses what it does not know: a permission, a memo, a second contract, call value, another order', () => {
    const raw = decodeProtobuf(hex(CALL.raw));
    const contract = raw.find(([number]) => number === 11)!;
    const withPermission = encodeProtobuf([...decodeProtobuf(contract[1] as Uint8Array), [5, 2n]]);
    const changed = [
      raw.map((field): typeof field => (field === contract ? [11, withPermission] : field)),
      [...raw.slice(0, 3), [10, hex('6d656d6f')] as typeof contract, ...raw.slice(3)],
      [...raw.slice(0, 4), contract, ...raw.slice(4)],
      raw.toReversed(),
    ];
    for (const fields of changed)
      expect(() => readTronTransaction(wrap(encodeProtobuf(fields), CALL.signature))).toThrow('more than a transfer');
  });

  test.each([
    ['', 'hexadecimal'],
    ['0', 'hexadecimal'],
    ['0x00', 'hexadecimal'],
    ['ff', 'incomplete'],
    ['0affffffffffffffffffff01', 'too large'],
    ['0aff01', 'incomplete'],
    ['0800', 'is a number'],
  ])('refuses %s', (raw, message) => {
    expect(() => readTronTransaction(raw)).toThrow(InvalidTransaction);
    expect(() => readTronTransaction(raw)).toThrow(message);
  });

  test('no changed byte is read as a transaction of the owner', () => {
    const signed = hex(signTronTransaction(call, KEY));
    for (let position = 0; position < signed.length; position += 1) {
      const bytes = Buffer.from(signed);
      bytes[position]! ^= 0x10;
      expect(readOwner(digits(bytes)), `byte ${position}`).not.toBe(OWNER);
    }
  });
});

function readOwner(raw: string): string | undefined {
  try {
    return readSigned.tron(raw).from;
  } catch (error) {
    if (error instanceof InvalidTransaction) return undefined;
    throw error;
  }
}
