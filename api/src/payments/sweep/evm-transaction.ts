/** Transactions of Ethereum and BSC with the fee rules of EIP-1559: signed, and read from their bytes. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { toChecksumAddress, toEvmAddress } from '../derive/evm-address.ts';
import { type RecoverableSignature, recoverSigner, signHash } from './recoverable-signature.ts';
import { decodeInteger, decodeRlp, encodeInteger, encodeRlp, type RlpItem } from './rlp.ts';
import { InvalidTransaction } from './sweep.ts';

/** EIP-2718: the type of a transaction with the fee rules of EIP-1559. */
const TYPE = 0x02;
const FIELDS = 12;
const ADDRESS_BYTES = 20;

export interface EvmTransaction {
  chainId: bigint;
  nonce: bigint;
  /** Wei for each unit of gas. */
  maxPriorityFeePerGas: bigint;
  maxFeePerGas: bigint;
  gasLimit: bigint;
  /** With the checksum of EIP-55. */
  to: string;
  /** Wei. */
  value: bigint;
  data: Uint8Array;
}

export interface SignedEvmTransaction extends EvmTransaction {
  from: string;
  /** 0x and 64 hexadecimal digits. */
  hash: string;
}

/** @returns the signed transaction as 0x and hexadecimal digits */
export function signEvmTransaction(transaction: EvmTransaction, privateKey: Uint8Array): string {
  const fields = toFields(transaction);
  const signature = signHash(keccak_256(withType(fields)), privateKey);
  return toHex(withType([...fields, ...toSignatureFields(signature)]));
}

/** @throws InvalidTransaction */
export function readEvmTransaction(raw: string): SignedEvmTransaction {
  if (!/^0x02(?:[0-9a-f]{2})+$/.test(raw)) throw new InvalidTransaction('it is not of type 2');
  const bytes = Buffer.from(raw.slice(2), 'hex');
  const { transaction, signature } = readFields(bytes.subarray(1));
  const fields = toFields(transaction);
  // Numbers with leading zeros, longer encodings and access lists are refused.
  if (toHex(withType([...fields, ...toSignatureFields(signature)])) !== raw)
    throw new InvalidTransaction('its encoding is not the shortest one');
  return { ...transaction, from: readSigner(keccak_256(withType(fields)), signature), hash: toHex(keccak_256(bytes)) };
}

function toFields(transaction: EvmTransaction): RlpItem[] {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data } = transaction;
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(encodeInteger);
  const accessList: RlpItem = [];
  return [...numbers, Uint8Array.from(Buffer.from(to.slice(2), 'hex')), encodeInteger(value), data, accessList];
}

function toSignatureFields({ parity, r, s }: RecoverableSignature): RlpItem[] {
  return [BigInt(parity), decodeInteger(r), decodeInteger(s)].map(encodeInteger);
}

function readFields(payload: Uint8Array): { transaction: EvmTransaction; signature: RecoverableSignature } {
  const items = readItems(payload);
  const strings = items.filter((item) => item instanceof Uint8Array);
  if (items.length !== FIELDS || strings.length !== FIELDS - 1)
    throw new InvalidTransaction('it has other fields than a transaction of type 2');
  const [chainId, nonce, priorityFee, fee, gasLimit, to, value, data, parity, r, s] = strings as StringFields;
  if (to.length !== ADDRESS_BYTES) throw new InvalidTransaction('it has no recipient');
  return {
    transaction: {
      chainId: decodeInteger(chainId),
      nonce: decodeInteger(nonce),
      maxPriorityFeePerGas: decodeInteger(priorityFee),
      maxFeePerGas: decodeInteger(fee),
      gasLimit: decodeInteger(gasLimit),
      to: toChecksumAddress(toHex(to)),
      value: decodeInteger(value),
      data,
    },
    signature: { parity: Number(decodeInteger(parity)), r, s },
  };
}

/** All but the access list. */
type StringFields = [
  ...[chainId: Uint8Array, nonce: Uint8Array, priorityFee: Uint8Array, fee: Uint8Array, gasLimit: Uint8Array],
  ...[to: Uint8Array, value: Uint8Array, data: Uint8Array],
  ...[parity: Uint8Array, r: Uint8Array, s: Uint8Array],
];

function readItems(payload: Uint8Array): readonly RlpItem[] {
  try {
    const item = decodeRlp(payload);
    if (!(item instanceof Uint8Array)) return item;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new InvalidTransaction('it is not encoded as RLP');
}

function readSigner(hash: Uint8Array, signature: RecoverableSignature): string {
  try {
    return toEvmAddress(recoverSigner(hash, signature));
  } catch {
    throw new InvalidTransaction('its signature is not valid');
  }
}

const withType = (fields: readonly RlpItem[]) => Buffer.concat([Uint8Array.of(TYPE), encodeRlp(fields)]);
const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
