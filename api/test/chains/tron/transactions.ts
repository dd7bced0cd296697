/** Transactions as bytes: how a wallet builds and signs them, and how a node reads them. */
import { sha256 } from '../../../src/payments/chains/tron/block-proof.ts';
import {
  bytesField,
  integerField,
  optionalBytesField,
  readBytes,
  readFields,
  readInteger,
  readList,
  readMessage,
} from '../../../src/payments/chains/tron/protobuf.ts';
import { type Key, sign } from './keys.ts';

const fromHex = (text: string): Buffer => Buffer.from(text, 'hex');
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** What a transaction does, with addresses of 21 bytes in hexadecimal digits. */
export type Contract =
  | { kind: 'TRX'; owner: string; to: string; units: bigint }
  | { kind: 'TRC10'; asset: string; owner: string; to: string; units: bigint }
  | { kind: 'CALL'; owner: string; contract: string; value: bigint; data: string };

/** `Transaction.Contract.ContractType`, and the name of the message. */
export const contractTypes = {
  TRX: { type: 1, name: 'TransferContract' },
  TRC10: { type: 2, name: 'TransferAssetContract' },
  CALL: { type: 31, name: 'TriggerSmartContract' },
} as const;

export interface TransactionOptions {
  /** The id of a recent block. */
  referenceId: string;
  timeMs: number;
  expiresMs?: number;
  feeLimit?: bigint;
}

const EXPIRES_AFTER_MS = 60_000;
const FEE_LIMIT = 100_000_000n;

export interface SignedTransaction {
  id: string;
  rawData: Uint8Array;
  signatures: Uint8Array[];
}

export function signTransaction(key: Key, rawData: Uint8Array): SignedTransaction {
  const hash = sha256(rawData);
  return { id: toHex(hash), rawData, signatures: [sign(key, hash)] };
}

export function encodeRawData(contract: Contract, options: TransactionOptions): Uint8Array {
  const { referenceId, timeMs, expiresMs = timeMs + EXPIRES_AFTER_MS, feeLimit = FEE_LIMIT } = options;
  const id = fromHex(referenceId);
  const { type, name } = contractTypes[contract.kind];
  const parameter = [
    bytesField(1, Buffer.from(`type.googleapis.com/protocol.${name}`)),
    bytesField(2, encodeContract(contract)),
  ];
  return Buffer.concat([
    bytesField(1, id.subarray(6, 8)),
    bytesField(4, id.subarray(8, 16)),
    integerField(8, expiresMs),
    bytesField(11, Buffer.concat([integerField(1, type), bytesField(2, Buffer.concat(parameter))])),
    integerField(14, timeMs),
    integerField(18, contract.kind === 'CALL' ? feeLimit : 0n),
  ]);
}

function encodeContract(contract: Contract): Uint8Array {
  if (contract.kind === 'TRX') {
    const { owner, to, units } = contract;
    return Buffer.concat([bytesField(1, fromHex(owner)), bytesField(2, fromHex(to)), integerField(3, units)]);
  }
  if (contract.kind === 'TRC10') {
    const { asset, owner, to, units } = contract;
    const parties = [Buffer.from(asset), fromHex(owner), fromHex(to)];
    return Buffer.concat([...parties.map((bytes, index) => bytesField(index + 1, bytes)), integerField(4, units)]);
  }
  const { owner, contract: address, value, data } = contract;
  return Buffer.concat([
    bytesField(1, fromHex(owner)),
    bytesField(2, fromHex(address)),
    integerField(3, value),
    optionalBytesField(4, fromHex(data)),
  ]);
}

export interface RawData {
  referenceBytes: string;
  referenceHash: string;
  expiresMs: number;
  timeMs: number;
  feeLimit: bigint;
  memo: string;
  typeUrl: string;
  contract: Contract;
}

/** @throws Error if it is of another type than those above */
export function decodeRawData(rawData: Uint8Array): RawData {
  const fields = readFields(rawData);
  const contract = readMessage(fields, 11);
  const parameter = readMessage(contract, 2);
  return {
    referenceBytes: toHex(readBytes(fields, 1)),
    referenceHash: toHex(readBytes(fields, 4)),
    expiresMs: Number(readInteger(fields, 8)),
    timeMs: Number(readInteger(fields, 14)),
    feeLimit: readInteger(fields, 18),
    memo: toHex(readBytes(fields, 10)),
    typeUrl: Buffer.from(readBytes(parameter, 1)).toString(),
    contract: decodeContract(Number(readInteger(contract, 1)), readBytes(parameter, 2)),
  };
}

function decodeContract(type: number, bytes: Uint8Array): Contract {
  const value = readFields(bytes);
  const [first, second, third, fourth] = [1, 2, 3, 4].map((number) => toHex(readBytes(value, number))) as [
    string,
    string,
    string,
    string,
  ];
  if (type === contractTypes.TRX.type) return { kind: 'TRX', owner: first, to: second, units: readInteger(value, 3) };
  if (type === contractTypes.TRC10.type) {
    const asset = fromHex(first).toString();
    return { kind: 'TRC10', asset, owner: second, to: third, units: readInteger(value, 4) };
  }
  if (type === contractTypes.CALL.type)
    return { kind: 'CALL', owner: first, contract: second, value: readInteger(value, 3), data: fourth };
  throw new Error(`no contract has the type ${type}`);
}

/** `contractResult`, as far as the emulator has them. */
export const results = { SUCCESS: 1, REVERT: 2, OUT_OF_ENERGY: 10, OUT_OF_TIME: 11 } as const;
export type Result = keyof typeof results;

/**
 * As a block contains it.
 * @param resultFields what the sender has put into its result
 */
export function encodeTransaction(
  { rawData, signatures }: SignedTransaction,
  result?: Result | 'DEFAULT',
  resultFields: Uint8Array = new Uint8Array(),
): Uint8Array {
  const set = result && integerField(3, result === 'DEFAULT' ? 0 : results[result]);
  const ret = set ? [bytesField(5, Buffer.concat([resultFields, set]))] : [];
  return Buffer.concat([bytesField(1, rawData), ...signatures.map((one) => bytesField(2, one)), ...ret]);
}

/** The result of a transaction in a block is lost. */
export function decodeTransaction(bytes: Uint8Array): SignedTransaction {
  const fields = readFields(bytes);
  const rawData = readBytes(fields, 1);
  return { id: toHex(sha256(rawData)), rawData, signatures: readList(fields, 2) };
}
