/** Transactions of TRON that move TRX or call a contract: signed, and read from their bytes (java-tron's core/Tron.proto). */
import { createHash } from 'node:crypto';
import { decodeTronAddress, encodeTronAddress, toTronAddress } from '../derive/tron-address.ts';
import { decodeProtobuf, encodeProtobuf, type ProtobufField } from './protobuf.ts';
import { recoverSigner, type RecoverableSignature, signHash } from './recoverable-signature.ts';
import { InvalidTransaction } from './sweep.ts';

interface TronRaw {
  /** Bytes 6 and 7, and 8 to 15, of the id of a recent block. The transaction is valid only on a chain that has it. */
  refBlockBytes: Uint8Array;
  refBlockHash: Uint8Array;
  expiresAt: Date;
  madeAt: Date;
  owner: string;
  /** Sun. The most that a call may burn for its energy; 0 for a transfer of TRX. */
  feeLimit: bigint;
}

export type TronTransaction = TronRaw &
  ({ kind: 'TRANSFER'; to: string; amount: bigint } | { kind: 'CALL'; contract: string; data: Uint8Array });

export interface SignedTronTransaction {
  transaction: TronTransaction;
  from: string;
  /** 64 hexadecimal digits. */
  id: string;
}

/** Of the enum ContractType. */
const TRANSFER = 1n;
const CALL = 31n;
const TYPE_URLS = new Map([
  [TRANSFER, 'type.googleapis.com/protocol.TransferContract'],
  [CALL, 'type.googleapis.com/protocol.TriggerSmartContract'],
]);
const SIGNATURE_BYTES = 65;
/** TRON's own libraries write 27 and 28, java-tron itself 0 and 1; nodes accept both. */
const PARITY_OFFSET = 27;
/** What java-tron charges bandwidth for besides the bytes of a transaction: the space of its result. */
const RESULT_BYTES = 64;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** @returns the signed transaction as hexadecimal digits */
export function signTronTransaction(transaction: TronTransaction, privateKey: Uint8Array): string {
  const raw = encodeRaw(transaction);
  const { r, s, parity } = signHash(sha256(raw), privateKey);
  return toHex(encodeSigned(raw, Buffer.concat([r, s, Uint8Array.of(PARITY_OFFSET + parity)])));
}

/** The bandwidth that the signed transaction uses; its signature has always the same length. */
export function bandwidthOf(transaction: TronTransaction): number {
  return encodeSigned(encodeRaw(transaction), new Uint8Array(SIGNATURE_BYTES)).length + RESULT_BYTES;
}

/** @throws InvalidTransaction */
export function readTronTransaction(signed: string): SignedTronTransaction {
  if (!/^(?:[0-9a-f]{2})+$/.test(signed)) throw new InvalidTransaction('it is not hexadecimal');
  try {
    return read(signed);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidTransaction(error.message);
    throw error;
  }
}

function read(signed: string): SignedTronTransaction {
  const fields = new Fields(Buffer.from(signed, 'hex'));
  const [raw, signature] = [fields.bytes(1), fields.bytes(2)];
  const transaction = decodeRaw(raw);
  // Fields that this program does not know, such as a second contract or a permission, are refused, and so are other orders.
  if (toHex(encodeSigned(encodeRaw(transaction), signature)) !== signed)
    throw new RangeError('it contains more than a transfer');
  const hash = sha256(raw);
  return { transaction, from: readSigner(hash, signature), id: toHex(hash) };
}

const encodeSigned = (raw: Uint8Array, signature: Uint8Array) =>
  encodeProtobuf([
    [1, raw],
    [2, signature],
  ]);

function encodeRaw(transaction: TronTransaction): Uint8Array {
  const { refBlockBytes, refBlockHash, expiresAt, madeAt, feeLimit } = transaction;
  return encodeProtobuf([
    [1, refBlockBytes],
    [4, refBlockHash],
    [8, BigInt(expiresAt.getTime())],
    [11, encodeContract(transaction)],
    [14, BigInt(madeAt.getTime())],
    [18, feeLimit],
  ]);
}

function encodeContract(transaction: TronTransaction): Uint8Array {
  const type = transaction.kind === 'TRANSFER' ? TRANSFER : CALL;
  const owner: ProtobufField = [1, toBytes(transaction.owner)];
  const value: ProtobufField[] =
    transaction.kind === 'TRANSFER'
      ? [owner, [2, toBytes(transaction.to)], [3, transaction.amount]]
      : [owner, [2, toBytes(transaction.contract)], [4, transaction.data]];
  const parameter: ProtobufField[] = [
    [1, Buffer.from(TYPE_URLS.get(type)!, 'ascii')],
    [2, encodeProtobuf(value)],
  ];
  return encodeProtobuf([
    [1, type],
    [2, encodeProtobuf(parameter)],
  ]);
}

function decodeRaw(bytes: Uint8Array): TronTransaction {
  const raw = new Fields(bytes);
  const contract = new Fields(raw.bytes(11));
  const value = new Fields(new Fields(contract.bytes(2)).bytes(2));
  const common: TronRaw = {
    refBlockBytes: raw.bytes(1),
    refBlockHash: raw.bytes(4),
    expiresAt: toDate(raw.number(8)),
    madeAt: toDate(raw.number(14)),
    owner: encodeTronAddress(value.bytes(1)),
    feeLimit: raw.number(18),
  };
  const other = encodeTronAddress(value.bytes(2));
  const type = contract.number(1);
  if (type === TRANSFER) return { ...common, kind: 'TRANSFER', to: other, amount: value.number(3) };
  if (type === CALL) return { ...common, kind: 'CALL', contract: other, data: value.bytes(4) };
  throw new RangeError(`it is of the type ${type}`);
}

/** The fields of a message, of which each exists at most once. */
class Fields {
  readonly #values: Map<number, bigint | Uint8Array>;
  constructor(bytes: Uint8Array) {
    this.#values = new Map(decodeProtobuf(bytes));
  }
  bytes(number: number): Uint8Array {
    const value = this.#values.get(number) ?? new Uint8Array();
    if (typeof value === 'bigint') throw new RangeError(`its field ${number} is a number`);
    return value;
  }
  number(number: number): bigint {
    const value = this.#values.get(number) ?? 0n;
    if (typeof value !== 'bigint') throw new RangeError(`its field ${number} is not a number`);
    return value;
  }
}

function toBytes(address: string): Uint8Array {
  const bytes = decodeTronAddress(address);
  if (!bytes) throw new RangeError('it contains no address of TRON');
  return bytes;
}

const TIME_MS_MAX = 8_640_000_000_000_000n;

function toDate(milliseconds: bigint): Date {
  if (milliseconds > TIME_MS_MAX) throw new RangeError('its time does not exist');
  return new Date(Number(milliseconds));
}

function readSigner(hash: Uint8Array, bytes: Uint8Array): string {
  if (bytes.length !== SIGNATURE_BYTES) throw new RangeError('its signature has another length');
  const signature: RecoverableSignature = {
    r: bytes.subarray(0, 32),
    s: bytes.subarray(32, 64),
    parity: bytes[SIGNATURE_BYTES - 1]! - PARITY_OFFSET,
  };
  try {
    return toTronAddress(recoverSigner(hash, signature));
  } catch {
    throw new RangeError('its signature is not valid');
  }
}
