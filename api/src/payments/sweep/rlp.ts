/** RLP, the encoding of Ethereum's transactions: byte strings and lists of them. https://ethereum.org/developers/docs/data-structures-and-encoding/rlp */

export type RlpItem = Uint8Array | readonly RlpItem[];

const STRING_OFFSET = 0x80;
const LIST_OFFSET = 0xc0;
/** A longer payload is preceded by the length of its length. */
const SHORT_MAX = 55;
/** Transactions of sweeps contain one list within another. */
const DEPTH_MAX = 3;

export function encodeRlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < STRING_OFFSET ? item : withLength(STRING_OFFSET, item);
  }
  return withLength(LIST_OFFSET, Buffer.concat(item.map(encodeRlp)));
}

/** Without leading zeros, 0 as nothing. */
export function encodeInteger(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return Uint8Array.from(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'));
}

export function decodeInteger(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** The caller encodes the result again and compares: other encodings of the same values are no transactions. @throws RangeError */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const { item, end } = readItem(bytes, 0, 0);
  if (end !== bytes.length) throw new RangeError('bytes follow the RLP item');
  return item;
}

function withLength(offset: number, payload: Uint8Array): Uint8Array {
  if (payload.length <= SHORT_MAX) return Buffer.concat([Uint8Array.of(offset + payload.length), payload]);
  const length = encodeInteger(BigInt(payload.length));
  return Buffer.concat([Uint8Array.of(offset + SHORT_MAX + length.length), length, payload]);
}

function readItem(bytes: Uint8Array, start: number, depth: number): { item: RlpItem; end: number } {
  const first = bytes[start];
  if (first === undefined || depth > DEPTH_MAX) throw new RangeError('the RLP item is incomplete or nested too deeply');
  if (first < STRING_OFFSET) return { item: bytes.subarray(start, start + 1), end: start + 1 };
  const isList = first >= LIST_OFFSET;
  const size = first - (isList ? LIST_OFFSET : STRING_OFFSET);
  const lengthBytes = Math.max(size - SHORT_MAX, 0);
  const payloadStart = start + 1 + lengthBytes;
  const length = lengthBytes === 0 ? size : Number(decodeInteger(bytes.subarray(start + 1, payloadStart)));
  const end = payloadStart + length;
  if (end > bytes.length) throw new RangeError('the RLP item is incomplete');
  if (!isList) return { item: bytes.subarray(payloadStart, end), end };
  const items: RlpItem[] = [];
  for (let position = payloadStart; position < end;) {
    const read = readItem(bytes.subarray(0, end), position, depth + 1);
    items.push(read.item);
    position = read.end;
  }
  return { item: items, end };
}
