/** A small trie of states, which proves balances as real nodes do. Independent of the code that reads such proofs. */
import { keccak_256 } from '@noble/hashes/sha3.js';

type Item = Buffer | Item[];

const hashOf = (bytes: Uint8Array) => Buffer.from(keccak_256(bytes));
const nibblesOf = (bytes: Uint8Array) => [...bytes.values()].flatMap((byte) => [byte >> 4, byte & 15]);

export interface StateTrie {
  stateRoot: string;
  prove: (owner: string) => string[];
}

/** @param balances at least one */
export function buildStateTrie(balances: ReadonlyMap<string, bigint>): StateTrie {
  const entries = [...balances].map(([owner, balance]) => ({ path: pathOf(owner), value: encode(account(balance)) }));
  const root = build(entries);
  return {
    stateRoot: toHex(hashOf(encode(root))),
    prove: (owner) => walk(root, pathOf(owner)).map((node) => toHex(encode(node))),
  };
}

const toHex = (bytes: Buffer) => `0x${bytes.toString('hex')}`;
const pathOf = (owner: string) => nibblesOf(hashOf(Buffer.from(owner.slice(2), 'hex')));
const toBytes = (value: bigint) => {
  const hex = value.toString(16);
  return value === 0n ? Buffer.alloc(0) : Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
};
const account = (balance: bigint): Item => [toBytes(1n), toBytes(balance), Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

interface Entry {
  path: number[];
  value: Buffer;
}

/** Nodes contain their children, which are replaced by hashes when they are encoded. */
interface Node {
  /** Of a leaf or an extension. */
  path?: number[];
  value?: Buffer;
  child?: Node;
  children?: (Node | undefined)[];
}

function build(entries: readonly Entry[]): Node {
  const [first] = entries;
  if (entries.length === 1) return first!;
  const shared = first!.path.findIndex((nibble, index) => entries.some(({ path }) => path[index] !== nibble));
  if (shared > 0)
    return {
      path: first!.path.slice(0, shared),
      child: build(entries.map(({ path, value }) => ({ path: path.slice(shared), value }))),
    };
  const children = Array.from({ length: 16 }, (_, nibble) => {
    const below = entries.filter(({ path }) => path[0] === nibble);
    return below.length > 0 ? build(below.map(({ path, value }) => ({ path: path.slice(1), value }))) : undefined;
  });
  return { children };
}

function walk(node: Node | undefined, path: readonly number[]): Node[] {
  if (!node) return [];
  if (node.children) return [node, ...walk(node.children[path[0]!], path.slice(1))];
  const isOnPath = node.path!.every((nibble, index) => nibble === path[index]);
  return node.child && isOnPath ? [node, ...walk(node.child, path.slice(node.path!.length))] : [node];
}

function encode(node: Node | Item): Buffer {
  if (Buffer.isBuffer(node)) return withLength(node, 0x80);
  if (Array.isArray(node)) return withLength(Buffer.concat(node.map(encode)), 0xc0);
  if (node.children) return encode([...node.children.map(refer), Buffer.alloc(0)]);
  return encode([compact(node.path!, node.value !== undefined), node.value ?? refer(node.child)]);
}

function refer(node: Node | undefined): Item {
  return node ? hashOf(encode(node)) : Buffer.alloc(0);
}

function compact(path: readonly number[], isLeaf: boolean): Buffer {
  const flag = isLeaf ? 2 : 0;
  const nibbles = path.length % 2 === 1 ? [flag + 1, ...path] : [flag, 0, ...path];
  return Buffer.from(nibbles.map((nibble) => nibble.toString(16)).join(''), 'hex');
}

function withLength(bytes: Buffer, base: number): Buffer {
  if (base === 0x80 && bytes.length === 1 && bytes[0]! < 0x80) return bytes;
  if (bytes.length <= 55) return Buffer.concat([Buffer.from([base + bytes.length]), bytes]);
  const size = toBytes(BigInt(bytes.length));
  return Buffer.concat([Buffer.from([base + 55 + size.length]), size, bytes]);
}
