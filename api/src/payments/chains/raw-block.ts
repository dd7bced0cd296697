/**
 * Serialized blocks of Bitcoin and Litecoin. A block's hash proves its header, the header's Merkle root the ids of the transactions, and
 * an id the outputs: a node cannot leave out, invent, repeat, reorder or change any of them.
 */
import { hash } from 'node:crypto';

export interface RawBlock {
  previousHash: string;
  time: Date;
  transactions: readonly RawTransaction[];
}

export interface RawTransaction {
  id: string;
  isCoinbase: boolean;
  /** Litecoin's transaction that ends a block with MWEB: its outputs after the first one are peg-outs. */
  endsMweb: boolean;
  /** Only those that pay to the hash of a public key by a witness, as our addresses do. */
  witnessOutputs: readonly { output: number; script: string; units: bigint }[];
}

const HEADER_BYTES = 80;
const OUTPOINT_BYTES = 36;
/** Version 0 and a push of 20 bytes. */
const WITNESS_SCRIPT_START = 0x0014;
const WITNESS_SCRIPT_BYTES = 22;
/** The script of its first output: coins inside of MWEB. */
const MWEB_SCRIPT_START = 0x5820;
const FLAG_WITNESS = 1;
const FLAG_MWEB = 8;

/**
 * @param text hexadecimal, as `getblock` with verbosity 0 returns it. What Litecoin appends for MWEB is ignored
 * @returns undefined unless it is the whole block of this hash
 */
export function readBlock(text: string, blockHash: string): RawBlock | undefined {
  const bytes = Buffer.from(text, 'hex');
  try {
    const header = bytes.subarray(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES || toId(doubleHash(header)) !== blockHash) return undefined;
    const reader = createReader(bytes, HEADER_BYTES);
    const ids: Buffer[] = [];
    const transactions = reader.list(() => {
      const { idBytes, transaction } = readTransaction(reader);
      ids.push(idBytes);
      return transaction;
    });
    if (!merkleRoot(ids)?.equals(header.subarray(36, 68))) return undefined;
    const time = new Date(header.readUInt32LE(68) * 1000);
    return { previousHash: toId(header.subarray(4, 36)), time, transactions };
  } catch (error) {
    // It ends in the middle of something.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Reader = ReturnType<typeof createReader>;

/** Its methods throw RangeError at the end of the bytes. */
function createReader(bytes: Buffer, start: number) {
  let offset = start;
  const skip = (length: number) => {
    if (length > bytes.length - offset) throw new RangeError('the block is too short');
    offset += length;
    return offset - length;
  };
  const compactSize = () => {
    const first = bytes.readUInt8(skip(1));
    if (first < 0xfd) return first;
    if (first === 0xfd) return bytes.readUInt16LE(skip(2));
    if (first === 0xfe) return bytes.readUInt32LE(skip(4));
    throw new RangeError('a size of more than 32 bits');
  };
  return {
    offset: () => offset,
    skip,
    skipSized: () => void skip(compactSize()),
    byte: () => bytes.readUInt8(skip(1)),
    peek: () => bytes.readUInt8(offset),
    sized() {
      const length = compactSize();
      const from = skip(length);
      return bytes.subarray(from, from + length);
    },
    uint64: () => bytes.readBigUInt64LE(skip(8)),
    bytesBetween: (from: number, to: number) => bytes.subarray(from, to),
    list<T>(read: (index: number) => T): T[] {
      const count = compactSize();
      const items: T[] = [];
      for (let index = 0; index < count; index += 1) items.push(read(index));
      return items;
    },
  };
}

function readTransaction(reader: Reader): { idBytes: Buffer; transaction: RawTransaction } {
  const start = reader.skip(4);
  // An empty list of inputs marks the extended format: flags and the real lists follow.
  const isExtended = reader.peek() === 0;
  if (isExtended) reader.skip(1);
  const flags = isExtended ? reader.byte() : 0;
  const listsStart = reader.offset();
  const inputs = reader.list(() => readInput(reader));
  const outputs = reader.list((output) => ({ output, units: reader.uint64(), script: reader.sized() }));
  const listsEnd = reader.offset();
  if (flags & FLAG_WITNESS) for (const _ of inputs) reader.list(reader.skipSized);
  // In blocks only the last transaction has the flag, without content.
  if (flags & FLAG_MWEB) requireNoContent(reader);
  const lockTime = reader.skip(4);
  const idBytes = doubleHash(
    isExtended
      ? Buffer.concat([
          reader.bytesBetween(start, start + 4),
          reader.bytesBetween(listsStart, listsEnd),
          reader.bytesBetween(lockTime, lockTime + 4),
        ])
      : reader.bytesBetween(start, lockTime + 4),
  );
  const witnessOutputs = outputs
    .filter(({ script }) => script.length === WITNESS_SCRIPT_BYTES && startsWith(script, WITNESS_SCRIPT_START))
    .map(({ script, ...rest }) => ({ ...rest, script: script.toString('hex') }));
  const isCoinbase = inputs.some((input) => input.isCoinbase);
  const endsMweb = outputs[0] !== undefined && startsWith(outputs[0].script, MWEB_SCRIPT_START);
  return { idBytes, transaction: { id: toId(idBytes), isCoinbase, endsMweb, witnessOutputs } };
}

const startsWith = (script: Buffer, twoBytes: number) => script.length > 1 && script.readUInt16BE(0) === twoBytes;

/** An input of a coinbase spends the output of no transaction. */
function readInput(reader: Reader): { isCoinbase: boolean } {
  const start = reader.skip(OUTPOINT_BYTES);
  const isCoinbase = reader.bytesBetween(start, start + 32).every((byte) => byte === 0);
  reader.skipSized();
  reader.skip(4);
  return { isCoinbase };
}

function requireNoContent(reader: Reader): void {
  if (reader.byte() !== 0) throw new RangeError('a transaction of a block has content of MWEB');
}

/**
 * @returns undefined if there are no transactions, or if two neighbours are equal: then repeated transactions would have the same root
 * (CVE-2012-2459). An inner node has 64 bytes, so that it cannot pass for a transaction that pays a witness script, which has 82 or more.
 */
function merkleRoot(ids: readonly Buffer[]): Buffer | undefined {
  let level = ids;
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const left = level[index]!;
      const right = level[index + 1];
      if (right?.equals(left)) return undefined;
      next.push(doubleHash(Buffer.concat([left, right ?? left])));
    }
    level = next;
  }
  return level[0];
}

function doubleHash(bytes: Buffer): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

/** Hashes are shown in reverse. */
function toId(bytes: Buffer): string {
  return Buffer.from(bytes.toReversed()).toString('hex');
}
