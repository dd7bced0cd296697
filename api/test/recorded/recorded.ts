/** Answers that real nodes have given. README.md says where each one stands in public. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Field, readBytes, readFields, readInteger, readList } from '../../src/payments/chains/tron/protobuf.ts';

/** @param name such as `tron/block-79072107.bin` */
export function readRecorded(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`${name}.gz`, import.meta.url)));
}

export function readRecordedJson(name: string): unknown {
  return JSON.parse(readRecorded(name).toString());
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** A header in bytes, as the HTTP interface of java-tron prints it. */
export function printTronHeader(id: string, raw: Uint8Array) {
  const fields = readFields(raw);
  const integer = (number: number) => Number(readInteger(fields, number));
  const raw_data = {
    number: integer(7),
    txTrieRoot: toHex(readBytes(fields, 2)),
    witness_address: toHex(readBytes(fields, 9)),
    parentHash: toHex(readBytes(fields, 3)),
    version: integer(10),
    timestamp: integer(1),
  };
  return { blockID: id, block_header: { raw_data } };
}

const contractResults = ['DEFAULT', 'SUCCESS', 'REVERT'];
const OUT_OF_ENERGY = 10;

/** A transaction in bytes, likewise: fields that the interface does not know are not printed. */
export function printTronTransaction(bytes: Uint8Array) {
  const fields = readFields(bytes);
  const ret = readList(fields, 5).map((result) => {
    const parts: readonly Field[] = readFields(result);
    const code = Number(readInteger(parts, 3));
    const fee = Number(readInteger(parts, 1));
    const contractRet = code === OUT_OF_ENERGY ? 'OUT_OF_ENERGY' : contractResults[code];
    return { ...(code !== 0 && { contractRet }), ...(fee !== 0 && { fee }) };
  });
  return { ret, signature: readList(fields, 2).map(toHex), raw_data_hex: toHex(readBytes(fields, 1)) };
}

/** A block as its gRPC interface sends it (`BlockExtention`). */
export function readTronBlock(bytes: Uint8Array) {
  const fields = readFields(bytes);
  const header = readFields(readBytes(fields, 2));
  const transactions = readList(fields, 1).map((one) => readBytes(readFields(one), 1));
  return { id: toHex(readBytes(fields, 3)), rawHeader: readBytes(header, 1), transactions };
}
