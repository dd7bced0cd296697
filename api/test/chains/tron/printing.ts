/** Prints blocks as java-tron does: from their bytes, and without fields that are zero or empty. */
import type { Block, ExecutedTransaction } from './chain.ts';
import { readBytes, readFields, readInteger } from '../../../src/payments/chains/tron/protobuf.ts';
import {
  type Contract,
  contractTypes,
  decodeRawData,
  decodeTransaction,
  type Result,
  results,
  toHex,
} from './transactions.ts';

export interface PrintedTransaction {
  ret: { contractRet?: string; fee?: unknown }[];
  signature: string[];
  txID: string;
  raw_data: { contract: { parameter: { value: Record<string, unknown> } }[] } & Record<string, unknown>;
  raw_data_hex: string;
}

export interface PrintedBlock {
  blockID: string;
  block_header: { raw_data: Record<string, unknown>; witness_signature: string };
  transactions?: PrintedTransaction[];
}

/** Prints integers of 64 bits as they are; TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** What is zero or empty is left out. */
function present(values: Record<string, number | string | undefined>): Record<string, number | string> {
  const all = Object.entries(values) as [string, number | string][];
  return Object.fromEntries(all.filter(([, value]) => value !== 0 && value !== '' && value !== undefined));
}

export function printHeader({ id, header, witnessSignature }: Block): PrintedBlock {
  const fields = readFields(header);
  const [integer, bytes] = [
    (number: number) => Number(readInteger(fields, number)),
    (number: number) => toHex(readBytes(fields, number)),
  ];
  const raw_data = present({
    number: integer(7),
    txTrieRoot: bytes(2),
    witness_address: bytes(9),
    parentHash: bytes(3),
    version: integer(10),
    timestamp: integer(1),
  });
  return { blockID: id, block_header: { raw_data, witness_signature: toHex(witnessSignature) } };
}

export function printBlock(block: Block): PrintedBlock {
  const { transactions } = block;
  return {
    ...printHeader(block),
    ...(transactions.length > 0 && { transactions: transactions.map(printTransaction) }),
  };
}

/** @param bytes as a block contains them */
export function printTransaction(bytes: Uint8Array): PrintedTransaction {
  const { id, rawData, signatures } = decodeTransaction(bytes);
  const { contract, typeUrl, referenceBytes, referenceHash, expiresMs, timeMs, feeLimit, memo } =
    decodeRawData(rawData);
  const parameter = { value: printContract(contract), type_url: typeUrl };
  const result = readFields(readBytes(readFields(bytes), 5));
  const name = (Object.keys(results) as Result[]).find((one) => results[one] === Number(readInteger(result, 3)));
  const fee = readInteger(result, 1);
  return {
    ret: [{ ...(name && { contractRet: name }), ...(fee !== 0n && { fee: rawJSON(String(fee)) }) }],
    signature: signatures.map(toHex),
    txID: id,
    raw_data: {
      contract: [{ parameter, type: contractTypes[contract.kind].name } as never],
      ...present({
        data: memo,
        ref_block_bytes: referenceBytes,
        ref_block_hash: referenceHash,
        expiration: expiresMs,
        fee_limit: Number(feeLimit),
        timestamp: timeMs,
      }),
    },
    raw_data_hex: toHex(rawData),
  };
}

function printContract(contract: Contract): Record<string, unknown> {
  const { owner: owner_address } = contract;
  if (contract.kind === 'TRX') return { amount: Number(contract.units), owner_address, to_address: contract.to };
  if (contract.kind === 'TRC10') {
    const asset_name = Buffer.from(contract.asset).toString('hex');
    return { amount: Number(contract.units), asset_name, owner_address, to_address: contract.to };
  }
  const { contract: contract_address, data, value } = contract;
  return { ...present({ data, call_value: Number(value) }), owner_address, contract_address };
}

/** `TransactionInfo` */
export function printInfo(block: Block, { id, raw, result, fee, energy, output, logs }: ExecutedTransaction) {
  const isCall = raw.contract.kind === 'CALL';
  return {
    id,
    ...present({ fee: Number(fee) }),
    blockNumber: block.height,
    blockTimeStamp: block.timeMs,
    contractResult: [output],
    ...(raw.contract.kind === 'CALL' && { contract_address: raw.contract.contract }),
    receipt: isCall ? { ...present({ energy_usage_total: Number(energy) }), result } : { net_usage: 268 },
    ...(logs.length > 0 && {
      log: logs.map(({ contract, topics, data }) => ({ address: contract.slice(2), topics, data })),
    }),
    ...(result !== 'SUCCESS' && { result: 'FAILED', resMessage: Buffer.from(result).toString('hex') }),
  };
}

export interface PrintedLog {
  address: string;
  blockHash: string;
  blockNumber: string;
  blockTimestamp: string;
  transactionHash: string;
  transactionIndex: string;
  logIndex: string;
  removed: boolean;
  topics: string[];
  data: string;
}

export const quantity = (value: number | bigint) => `0x${value.toString(16)}`;

/** Of a block, as its JSON-RPC interface prints them: numbered throughout the block. */
export function printLogs({ id, height, timeMs, executions }: Block): PrintedLog[] {
  const all = executions.flatMap((executed, index) => executed.logs.map((log) => ({ log, index, id: executed.id })));
  return all.map(({ log: { contract, topics, data }, index, id: transactionId }, logIndex) => ({
    address: `0x${contract.slice(2)}`,
    blockHash: `0x${id}`,
    blockNumber: quantity(height),
    blockTimestamp: quantity(Math.floor(timeMs / 1000)),
    transactionHash: `0x${transactionId}`,
    transactionIndex: quantity(index),
    logIndex: quantity(logIndex),
    removed: false,
    topics: topics.map((topic) => `0x${topic}`),
    data: `0x${data}`,
  }));
}
