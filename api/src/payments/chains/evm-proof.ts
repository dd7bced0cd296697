/** Proofs of balances (EIP-1186): the root of the states in a block's header commits to every account. */
import { keccak_256 } from '@noble/hashes/sha3.js';

/** What RLP encodes: bytes, or a list. */
type Item = Uint8Array | Item[];

const BRANCH_ITEMS = 17;
const HASH_BYTES = 32;
/** An account is a list of nonce, balance, root of its storage and hash of its code. */
const ACCOUNT_ITEMS = 4;

/**
 * @param stateRoot hexadecimal, of the block's header
 * @param proof the nodes of the trie from the root to the account, hexadecimal
 * @returns undefined if the proof is not one of this account and root; 0 if it proves that there is no account
 */
export function readProvenBalance(stateRoot: string, owner: string, proof: readonly string[]): bigint | undefined {
  try {
    const path = toNibbles(keccak_256(toBytes(owner)));
    const account = findValue(toBytes(stateRoot), path, proof.map(toBytes));
    if (account === null) return 0n;
    const items = decode(account);
    if (!Array.isArray(items) || items.length !== ACCOUNT_ITEMS) return undefined;
    const hex = Buffer.from(requireBytes(items[1])).toString('hex');
    return hex === '' ? 0n : BigInt(`0x${hex}`);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const toBytes = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');
const toNibbles = (bytes: Uint8Array): number[] => [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);

/** @returns null if nothing is stored there @throws RangeError if the nodes are not those of the path */
function findValue(root: Uint8Array, path: readonly number[], proof: readonly Uint8Array[]): Uint8Array | null {
  let expected: Item = root;
  let rest = path;
  let used = 0;
  for (;;) {
    const node: Item[] = Array.isArray(expected) ? expected : openNode(expected, proof[used++]);
    const step = node.length === BRANCH_ITEMS ? followBranch(node, rest) : followPath(node, rest);
    if (step === null) return null;
    if (step.rest.length === 0) return requireBytes(step.next);
    if (!Array.isArray(step.next) && step.next.length === 0) return null;
    expected = step.next;
    ({ rest } = step);
  }
}

function openNode(hash: Uint8Array, bytes: Uint8Array | undefined): Item[] {
  if (hash.length !== HASH_BYTES || !bytes || !Buffer.from(keccak_256(bytes)).equals(hash)) throw invalid();
  const node = decode(bytes);
  if (!Array.isArray(node)) throw invalid();
  return node;
}

interface Step {
  next: Item;
  rest: readonly number[];
}

/** All keys have the same length, so that values are in leaves only. */
function followBranch(node: readonly Item[], path: readonly number[]): Step {
  const [first, ...rest] = path;
  // An empty rest would be taken for a value.
  if (rest.length === 0) throw invalid();
  return { next: node[first!]!, rest };
}

/** A leaf, or an extension: a part of the path with its value or the next node. @returns null if the path is another one */
function followPath(node: readonly Item[], path: readonly number[]): Step | null {
  if (node.length !== 2) throw invalid();
  const [flag, ...nibbles] = toNibbles(requireBytes(node[0]));
  if (flag === undefined || flag > 3) throw invalid();
  const isLeaf = flag >= 2;
  const part = flag % 2 === 1 ? nibbles : nibbles.slice(1);
  const rest = path.slice(part.length);
  if (part.some((nibble, index) => nibble !== path[index])) return null;
  if (isLeaf !== (rest.length === 0)) throw invalid();
  return { next: node[1]!, rest };
}

function requireBytes(item: Item | undefined): Uint8Array {
  if (!item || Array.isArray(item)) throw invalid();
  return item;
}

/** Recursive Length Prefix: one item that fills the bytes. */
function decode(bytes: Uint8Array): Item {
  const { item, end } = decodeAt(bytes, 0);
  if (end !== bytes.length) throw invalid();
  return item;
}

function decodeAt(bytes: Uint8Array, start: number): { item: Item; end: number } {
  const first = bytes[start];
  if (first === undefined) throw invalid();
  if (first < 0x80) return { item: bytes.subarray(start, start + 1), end: start + 1 };
  const isList = first >= 0xc0;
  const size = first - (isList ? 0xc0 : 0x80);
  const sizeBytes = size > 55 ? size - 55 : 0;
  const from = start + 1 + sizeBytes;
  const length = sizeBytes === 0 ? size : readSize(bytes.subarray(start + 1, from));
  const end = from + length;
  if (end > bytes.length) throw invalid();
  if (!isList) return { item: bytes.subarray(from, end), end };
  const item: Item[] = [];
  for (let at = from; at < end;) {
    const inner = decodeAt(bytes.subarray(0, end), at);
    item.push(inner.item);
    at = inner.end;
  }
  return { item, end };
}

function readSize(bytes: Uint8Array): number {
  if (bytes.length === 0 || bytes.length > 4) throw invalid();
  return bytes.reduce((size, byte) => size * 256 + byte, 0);
}

const invalid = () => new RangeError('not a proof of this account');
