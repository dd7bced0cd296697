import { expect, test } from 'vitest';
import {
  bytesField,
  integerField,
  InvalidProtobuf,
  optionalBytesField,
  readBytes,
  readFields,
  readInteger,
  readMessage,
} from './protobuf.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test('a message has the same fields after it is written and read', () => {
  const largest = 2n ** 63n - 1n;
  const message = Buffer.concat([
    integerField(1, largest),
    integerField(2, -1n),
    integerField(3, 0),
    bytesField(4, hex('0102')),
    optionalBytesField(5, hex('')),
    integerField(100_000, 300),
  ]);
  const fields = readFields(message);
  expect(fields.map(({ number }) => number)).toEqual([1, 2, 4, 100_000]);
  expect([1, 2, 3, 100_000].map((number) => readInteger(fields, number))).toEqual([largest, -1n, 0n, 300n]);
  expect([4, 5].map((number) => readBytes(fields, number).length)).toEqual([2, 0]);
});

test.each([
  ['of 64 and 32 bits', '09 0102030405060708 15 01020304'],
  ['in groups', '0b 08 01 13 10 01 14 0c'],
  ['of another type than that of the same number', '18 07 1a 01 00'.replace('1a 01 00', '22 01 00')],
])('unknown fields %s are skipped', (_, unknown) => {
  const fields = readFields(Buffer.concat([hex(unknown), integerField(3, 5)]));
  expect(readInteger(fields, 3)).toBe(5n);
});

test('a value of another type does not count, the last one does', () => {
  const fields = readFields(hex('18 05  18 07  1a 01 09'));
  expect(readInteger(fields, 3)).toBe(7n);
});

test('parts of a message that is given twice are merged', () => {
  const parts = [integerField(1, 1), Buffer.concat([integerField(1, 2), integerField(2, 3)])];
  const merged = readMessage(readFields(Buffer.concat(parts.map((part) => bytesField(2, part)))), 2);
  expect([1, 2].map((number) => readInteger(merged, number))).toEqual([2n, 3n]);
});

test.each([
  ['an integer without an end', '08 ff'],
  ['an integer of 11 bytes', '08 ffffffffffffffffffffff 01'],
  ['bytes that are cut off', '0a 05 01'],
  ['a length beyond all memory', '0a ffffffffffffffff7f'],
  ['a group without an end', '0b 08 01'],
  ['the end of another group', '0b 14'],
  ['the end of no group', '0c'],
  ['the field 0', '00 01'],
  ['a wire type that does not exist', '0e'],
  ['groups in groups without end', '0b'.repeat(200)],
])('%s is refused', (_, message) => {
  expect(() => readFields(hex(message))).toThrow(InvalidProtobuf);
});
