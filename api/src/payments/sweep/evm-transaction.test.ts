/** @module-tag thorough */
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../tools/random.ts';
import { readEvmTransaction, signEvmTransaction } from './evm-transaction.ts';
import { readSigned } from './read-signed.ts';
import { decodeRlp } from './rlp.ts';
import { InvalidTransaction } from './sweep.ts';
import { encodeTokenCall } from './token-call.ts';

/** `m/44'/60'/0'/0/0` of the seed words `abandon` x 11 + `about`, and what the library ethers 6 signs with it. */
const KEY = Buffer.from('1ab42cc412b618bdea3a599e3c9bae199ebf030895b039e9db1e30dafb12b727', 'hex');
const FROM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const TO = '0x52908400098527886E0F7030069857D2E4169EE7';
const ETHER =
  '0x02f87301078459682f008506fc23ac008252089452908400098527886e0f7030069857d2e4169ee788112210f47de9811580c001a0ad235f989ec8eaff8c5336913cf2d70c2d0956baeb93ac6a435d0fce8841c736a022dc8dce6af277c3f7e12b88be13ed863fb2fee5f1bf563907c346820d1d6d07';
const USDT =
  '0x02f8b138808459682f008506fc23ac00830186a09455d398326f99059ff775485246999027b319795580b844a9059cbb00000000000000000000000052908400098527886e0f7030069857d2e4169ee700000000000000000000000000000000000000000000000821ab0d4414980000c080a032ec0567c5f0b2f4c03d02dfd274fd68a8fd492fcf03f2f8cf3415c0505316b6a067935f8ab8daaf2c3cdd9dc260e276057f9e777b699f47371df646dbf37d600d';

const fee = { maxPriorityFeePerGas: 1_500_000_000n, maxFeePerGas: 30_000_000_000n };
const ether = {
  ...fee,
  chainId: 1n,
  nonce: 7n,
  gasLimit: 21_000n,
  to: TO,
  value: 1_234_567_890_123_456_789n,
  data: new Uint8Array(),
};
const usdt = {
  ...fee,
  chainId: 56n,
  nonce: 0n,
  gasLimit: 100_000n,
  to: '0x55d398326f99059fF775485246999027B3197955',
  value: 0n,
  data: encodeTokenCall({ to: TO.slice(2).toLowerCase(), units: 150n * 10n ** 18n }),
};

test('signs the same bytes as another library', () => {
  expect(signEvmTransaction(ether, KEY)).toBe(ETHER);
  expect(signEvmTransaction(usdt, KEY)).toBe(USDT);
});

describe('reading', () => {
  test('recovers all fields and the sender', () => {
    expect(readEvmTransaction(ETHER)).toEqual({
      ...ether,
      data: Buffer.alloc(0),
      from: FROM,
      hash: expect.any(String),
    });
    expect(readSigned.bsc(USDT)).toEqual({
      chain: 'bsc',
      from: FROM,
      to: TO,
      contract: usdt.to,
      units: 150n * 10n ** 18n,
      feeLimitUnits: 3_000_000_000_000_000n,
      nonce: 0n,
      expiresAt: undefined,
      transactionId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
  });

  test('refuses a transaction of another chain', () => {
    expect(() => readSigned.ethereum(USDT)).toThrow('it is for the chain 56, not for Ethereum (1)');
  });

  test('refuses calls other than a transfer, such as an approval', () => {
    const data = Buffer.from(usdt.data);
    data.write('095ea7b3', 'hex');
    expect(() => readSigned.bsc(signEvmTransaction({ ...usdt, data }, KEY))).toThrow('other than a transfer');
    expect(() => readSigned.bsc(signEvmTransaction({ ...usdt, value: 1n }, KEY))).toThrow('other than a transfer');
    const dirty = Buffer.from(usdt.data);
    dirty[4] = 1;
    expect(() => readSigned.bsc(signEvmTransaction({ ...usdt, data: dirty }, KEY))).toThrow('other than a transfer');
  });

  test.each([
    ['', 'type 2'],
    ['0x', 'type 2'],
    ['0x02', 'type 2'],
    ['0x01c0', 'type 2'],
    ['0x02c0', 'other fields'],
    ['0x0280', 'RLP'],
    ['0x02ff', 'RLP'],
    ['0x02ffffffffffffffffff', 'RLP'],
    ['0x02f8ff', 'RLP'],
    [`${ETHER}00`, 'RLP'],
    [ETHER.toUpperCase().replace('0X', '0x'), 'type 2'],
  ])('refuses %s', (raw, message) => {
    expect(() => readEvmTransaction(raw)).toThrow(InvalidTransaction);
    expect(() => readEvmTransaction(raw)).toThrow(message);
  });

  test('no list nests without an end', () => {
    expect(() => decodeRlp(Buffer.from(`${'c3'.repeat(1000)}c2c1c0`, 'hex'))).toThrow(RangeError);
  });

  test('a changed bit makes it unreadable, or the transaction of somebody else', () => {
    const random = createRandom(41);
    for (let round = 0; round < 300; round += 1) {
      const bytes = Buffer.from(ETHER.slice(2), 'hex');
      const position = random.below(bytes.length);
      bytes[position]! ^= 1 << random.below(8);
      expect(readSender(`0x${bytes.toString('hex')}`), `bit of byte ${position}`).not.toBe(FROM);
    }
  });
});

function readSender(raw: string): string | undefined {
  try {
    return readEvmTransaction(raw).from;
  } catch (error) {
    if (error instanceof InvalidTransaction) return undefined;
    throw error;
  }
}
