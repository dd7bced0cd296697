/** Reads transactions from their bytes. The JSON that a node prints beside them proves nothing, and its numbers may be rounded. */
import { InvalidProtobuf, readBytes, readFields, readInteger, readList, readMessage, type Field } from './protobuf.ts';

/** Addresses are 21 bytes in lower-case hexadecimal digits, the first of which is 41. */
export type TronContract =
  | { kind: 'TRANSFER'; owner: string; to: string; units: bigint }
  | { kind: 'CALL'; owner: string; contract: string; data: Uint8Array };

interface ContractKind {
  /** `Transaction.Contract.ContractType`. */
  type: number;
  message: string;
  read: (value: readonly Field[]) => TronContract;
}

/** Of TRX. Transfers of TRC-10 tokens, which may be named TRX or USDT, have another type. */
const transfer: ContractKind = {
  type: 1,
  message: 'protocol.TransferContract',
  read: (value) => ({
    kind: 'TRANSFER',
    owner: toHex(readBytes(value, 1)),
    to: toHex(readBytes(value, 2)),
    units: readInteger(value, 3),
  }),
};
const call: ContractKind = {
  type: 31,
  message: 'protocol.TriggerSmartContract',
  read: (value) => ({
    kind: 'CALL',
    owner: toHex(readBytes(value, 1)),
    contract: toHex(readBytes(value, 2)),
    data: readBytes(value, 4),
  }),
};

const CONTRACTS_FIELD = 11;

/**
 * What a transaction does.
 * @param rawData the bytes whose hash is its id
 * @returns undefined if it is anything but a transfer of TRX or a call of a contract
 */
export function readContract(rawData: Uint8Array): TronContract | undefined {
  try {
    const fields = readFields(rawData);
    // java-tron accepts exactly one.
    if (readList(fields, CONTRACTS_FIELD).length !== 1) return undefined;
    const contract = readMessage(fields, CONTRACTS_FIELD);
    const type = Number(BigInt.asIntN(32, readInteger(contract, 1)));
    const parameter = readMessage(contract, 2);
    const typeUrl = Buffer.from(readBytes(parameter, 1)).toString();
    const kind = [transfer, call].find((one) => one.type === type && typeUrl.endsWith(`/${one.message}`));
    return kind?.read(readFields(readBytes(parameter, 2)));
  } catch (error) {
    // java-tron does not accept it either. It is in no block, or not of these types.
    if (error instanceof InvalidProtobuf) return undefined;
    throw error;
  }
}

export interface TokenCall {
  /** 21 bytes. */
  to: string;
  units: bigint;
}

/** `transfer(address,uint256)` and `transferFrom(address,address,uint256)`: where the word of the recipient begins; the amount follows. */
const recipientAt: Readonly<Record<string, number>> = { a9059cbb: 4, '23b872dd': 36 };
const WORD_BYTES = 32;

/** The recipient and amount of a call that sends tokens. Other calls may send some, too, and this one may do nothing. */
export function readTokenCall(data: Uint8Array): TokenCall | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const at = recipientAt[bytes.toString('hex', 0, 4)];
  if (at === undefined || bytes.length < at + 2 * WORD_BYTES) return undefined;
  const amountAt = at + WORD_BYTES;
  return {
    to: `41${bytes.toString('hex', at + 12, amountAt)}`,
    units: BigInt(`0x${bytes.toString('hex', amountAt, amountAt + WORD_BYTES)}`),
  };
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
