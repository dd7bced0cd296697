/** Nodes for tests of sending: they take transactions, and have a block when the test says so. */
import type http from 'node:http';
import { readSigned } from '../../src/payments/sweep/read-signed.ts';
import { type FakeNode, Refusal } from './fake-node.ts';
import { startFakeNode } from './test-node.ts';

export interface SweepNode {
  node: FakeNode;
  /** Ids of the transactions that it has taken. */
  taken: Set<string>;
  included: Map<string, { height: number; isSuccessful: boolean }>;
  /** Refuses what it does not have, with this reason. */
  refusal: string | undefined;
}

const toHex = (value: number) => `0x${value.toString(16)}`;

export async function startEvmSweepNode(chainId = 1): Promise<SweepNode> {
  const node = await startFakeNode({
    eth_chainId: () => toHex(chainId),
    eth_getTransactionReceipt(id: string) {
      const found = sweepNode.included.get(id);
      return found ? { blockNumber: toHex(found.height), status: found.isSuccessful ? '0x1' : '0x0' } : null;
    },
    eth_sendRawTransaction(raw: string) {
      const { transactionId } = readSigned.ethereum(raw);
      if (sweepNode.taken.has(transactionId)) throw new Refusal(-32000, 'already known');
      if (sweepNode.refusal !== undefined) throw new Refusal(-32000, sweepNode.refusal);
      sweepNode.taken.add(transactionId);
      return transactionId;
    },
  });
  const sweepNode: SweepNode = { node, taken: new Set(), included: new Map(), refusal: undefined };
  return sweepNode;
}

/** With the two paths of java-tron that sending uses. */
export async function startTronSweepNode(): Promise<SweepNode> {
  const node = await startFakeNode({});
  const sweepNode: SweepNode = { node, taken: new Set(), included: new Map(), refusal: undefined };
  node.respond = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      node.calls.push(request.url!);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(request, body)));
    });
  };
  const answer = ({ url }: http.IncomingMessage, body: Record<string, string>) => {
    if (url === '/wallet/gettransactioninfobyid') {
      const found = sweepNode.included.get(body['value']!);
      return found ? { blockNumber: found.height, ...(found.isSuccessful ? {} : { result: 'FAILED' }) } : {};
    }
    if (url === '/wallet/getaccount') return { address: body['address'] };
    const txid = readSigned.tron(body['transaction']!).transactionId;
    if (sweepNode.taken.has(txid)) return { code: 'DUP_TRANSACTION_ERROR', txid };
    if (sweepNode.refusal !== undefined)
      return { code: 'CONTRACT_VALIDATE_ERROR', txid, message: Buffer.from(sweepNode.refusal).toString('hex') };
    sweepNode.taken.add(txid);
    return { result: true, txid };
  };
  return sweepNode;
}
