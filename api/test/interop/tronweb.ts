/** tronweb, a wallet of TRON that shares no code with ours. `npm run test:interop` installs it. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { USDT_ADDRESS } from '../../src/payments/chains/tron/network.ts';
import { binary } from '../chains/local-node.ts';

/** The parts of tronweb that are used here. */
interface Transaction {
  txID: string;
  raw_data_hex: string;
  signature?: string[];
}

export interface TronClient {
  defaultAddress: { base58: string; hex: string };
  transactionBuilder: {
    sendTrx: (to: string, units: number, from: string) => Promise<Transaction>;
    triggerSmartContract: (
      contract: string,
      signature: string,
      options: object,
      parameters: object[],
      from: string,
    ) => Promise<{ transaction: Transaction }>;
    triggerConstantContract: (
      contract: string,
      signature: string,
      options: object,
      parameters: object[],
      from: string,
    ) => Promise<{ constant_result: string[] }>;
  };
  trx: {
    sign: (transaction: Transaction) => Promise<Transaction>;
    sendRawTransaction: (transaction: Transaction) => Promise<{ result?: boolean; code?: string }>;
    getBlock: (height: number) => Promise<{ blockID: string; transactions: Transaction[] }>;
    getTransaction: (id: string) => Promise<Transaction>;
    getTransactionInfo: (id: string) => Promise<{ id?: string; log?: object[] }>;
    getBalance: (address: string) => Promise<number>;
  };
}

export interface TronWeb {
  new (options: { fullHost: string; privateKey: string }): TronClient;
  fromMnemonic: (words: string, path: string) => { address: string };
}

export async function loadTronWeb(): Promise<TronWeb> {
  const { TronWeb } = (await import(pathToFileURL(binary('TRONWEB')).href)) as { TronWeb: TronWeb };
  return TronWeb;
}

/** @returns what tronweb has built for a transfer of USDT */
export async function buildUsdt(client: TronClient, to: string, units: number): Promise<Transaction> {
  const parameters = [
    { type: 'address', value: to },
    { type: 'uint256', value: units },
  ];
  const options = { feeLimit: 100_000_000, txLocal: true };
  const { transactionBuilder, defaultAddress } = client;
  const signature = 'transfer(address,uint256)';
  const { transaction } = await transactionBuilder.triggerSmartContract(
    USDT_ADDRESS,
    signature,
    options,
    parameters,
    defaultAddress.base58,
  );
  return transaction;
}

/** @returns the id */
export async function sendSigned({ trx }: TronClient, transaction: Transaction): Promise<string> {
  const signed = await trx.sign(transaction);
  const sent = await trx.sendRawTransaction(signed);
  assert(sent.result, sent.code);
  return signed.txID;
}
