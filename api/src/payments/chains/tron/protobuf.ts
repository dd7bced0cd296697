/**
 * The wire format of Protocol Buffers, as far as TRON's blocks need it. Blocks contain what strangers have sent: unknown fields are
 * skipped, and of a field that is repeated by mistake the last value counts, as in java-tron.
 */

export interface Field {
  number: number;
  /** Of variable-length integers. */
  integer?: bigint;
  /** Of length-delimited fields. */
  bytes?: Uint8Array;
}

/** The bytes are no message. */
export class InvalidProtobuf extends Error {
  override readonly name = 'InvalidProtobuf';
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const GROUP_START = 3;
const GROUP_END = 4;
const FIXED_32 = 5;
const VARINT_BYTES_MAX = 10;
/** Protocol Buffers has a limit of 100 for all nesting; only skipped groups nest here. */
const GROUP_DEPTH_MAX = 100;
const EMPTY = new Uint8Array();

/** @throws InvalidProtobuf */
export function readFields(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  const reader = new Reader(message);
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (wireType === VARINT) fields.push({ number, integer: reader.varint() });
    else if (wireType === LENGTH_DELIMITED) fields.push({ number, bytes: reader.delimited() });
    else reader.skip(number, wireType, 0);
  }
  return fields;
}

/** The signed value of the last field with this number; 0n if there is none, which is how zero is written. */
export function readInteger(fields: readonly Field[], number: number): bigint {
  const last = fields.findLast((field) => field.number === number && field.integer !== undefined);
  return BigInt.asIntN(64, last?.integer ?? 0n);
}

export function readBytes(fields: readonly Field[], number: number): Uint8Array {
  return readList(fields, number).at(-1) ?? EMPTY;
}

export function readList(fields: readonly Field[], number: number): Uint8Array[] {
  return fields.flatMap((field) => (field.number === number && field.bytes ? [field.bytes] : []));
}

/** A field that is a message. Parts of one that is given several times are merged, which is the same as joining their bytes. */
export function readMessage(fields: readonly Field[], number: number): Field[] {
  return readFields(Buffer.concat(readList(fields, number)));
}

class Reader {
  private offset = 0;

  constructor(private readonly message: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.offset === this.message.length;
  }

  tag(): { number: number; wireType: number } {
    const key = Number(BigInt.asUintN(32, this.varint()));
    const number = Math.floor(key / 8);
    if (number === 0) throw new InvalidProtobuf('a field has the number 0');
    return { number, wireType: key % 8 };
  }

  varint(): bigint {
    let value = 0n;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      const byte = this.message[this.offset];
      if (byte === undefined) throw new InvalidProtobuf('an integer is cut off');
      this.offset += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new InvalidProtobuf('an integer is too long');
  }

  delimited(): Uint8Array {
    return this.take(Number(this.varint()));
  }

  skip(number: number, wireType: number, depth: number): void {
    if (wireType === VARINT) this.varint();
    else if (wireType === LENGTH_DELIMITED) this.delimited();
    else if (wireType === FIXED_64) this.take(8);
    else if (wireType === FIXED_32) this.take(4);
    else if (wireType === GROUP_START && depth < GROUP_DEPTH_MAX) this.skipGroup(number, depth + 1);
    else throw new InvalidProtobuf(`a field has the wire type ${wireType}`);
  }

  private skipGroup(group: number, depth: number): void {
    for (;;) {
      const { number, wireType } = this.tag();
      if (wireType === GROUP_END && number === group) return;
      this.skip(number, wireType, depth);
    }
  }

  private take(length: number): Uint8Array {
    const end = this.offset + length;
    if (end > this.message.length) throw new InvalidProtobuf('a field is cut off');
    const bytes = this.message.subarray(this.offset, end);
    this.offset = end;
    return bytes;
  }
}

/** Left out if it is 0, as java-tron does. */
export function integerField(number: number, value: bigint | number): Uint8Array {
  return BigInt(value) === 0n ? EMPTY : Buffer.concat([varint(number * 8 + VARINT), varint(value)]);
}

/** Also if it is empty, as members of a list are written. */
export function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

/** Left out if it is empty. */
export function optionalBytesField(number: number, bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? EMPTY : bytesField(number, bytes);
}

function varint(value: bigint | number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
