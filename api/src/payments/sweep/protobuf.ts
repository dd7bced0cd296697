/** The part of protobuf that transactions of TRON use: whole numbers and bytes. https://protobuf.dev/programming-guides/encoding/ */

export type ProtobufField = [number: number, value: bigint | Uint8Array];

const VARINT = 0n;
const LENGTH_DELIMITED = 2n;
const WIRE_BITS = 3n;
const GROUP_BITS = 7n;
const GROUP = 0x7fn;
const HAS_MORE = 0x80;
/** Of a 64-bit number. */
const VARINT_BITS_MAX = 63n;

/** Fields with their default value are left out, as protobuf requires. */
export function encodeProtobuf(fields: readonly ProtobufField[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'bigint') return value === 0n ? [] : [encodeKey(number, VARINT), encodeVarint(value)];
    if (value.length === 0) return [];
    return [encodeKey(number, LENGTH_DELIMITED), encodeVarint(BigInt(value.length)), value];
  });
  return Uint8Array.from(Buffer.concat(parts));
}

/** In the order of the bytes; the caller encodes them again and compares. @throws RangeError */
export function decodeProtobuf(bytes: Uint8Array): ProtobufField[] {
  const fields: ProtobufField[] = [];
  for (let position = 0; position < bytes.length;) {
    const key = readVarint(bytes, position);
    const value = readVarint(bytes, key.end);
    const number = Number(key.value >> WIRE_BITS);
    const wire = key.value & ((1n << WIRE_BITS) - 1n);
    if (wire === VARINT) {
      fields.push([number, value.value]);
      position = value.end;
    } else if (wire === LENGTH_DELIMITED && value.value <= BigInt(bytes.length - value.end)) {
      position = value.end + Number(value.value);
      fields.push([number, bytes.subarray(value.end, position)]);
    } else throw new RangeError('the protobuf message is incomplete or has fields of other types');
  }
  return fields;
}

const encodeKey = (number: number, wire: bigint) => encodeVarint((BigInt(number) << WIRE_BITS) | wire);

function encodeVarint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > GROUP; rest >>= GROUP_BITS) bytes.push(Number(rest & GROUP) | HAS_MORE);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function readVarint(bytes: Uint8Array, start: number): { value: bigint; end: number } {
  let value = 0n;
  let bits = 0n;
  for (let position = start; bits <= VARINT_BITS_MAX; position += 1) {
    const byte = bytes[position];
    if (byte === undefined) break;
    value |= (BigInt(byte) & GROUP) << bits;
    if (byte < HAS_MORE) return { value, end: position + 1 };
    bits += GROUP_BITS;
  }
  throw new RangeError('a number of the protobuf message is incomplete or too large');
}
