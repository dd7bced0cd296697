import { z } from 'zod';
import { speakHttpJson } from '../chains/http-json.ts';
import { createHttpTransport } from '../chains/http-transport.ts';
import { toHexAddress } from '../chains/tron/network.ts';
import { SourceRefusal } from '../chains/refusals.ts';
import type { SweepSource } from './sweep-source.ts';

/** Java-tron answers `{}` for what it does not have. */
const infoSchema = z.object({
  blockNumber: z.number().int().nonnegative().optional(),
  result: z.string().optional(),
});
const postSchema = z.object({
  result: z.boolean().optional(),
  code: z.string().max(100).optional(),
  message: z.string().optional(),
});

const accountSchema = z.object({ address: z.string().optional() });

/** A node of another network has not the reference block of the transaction, and refuses it. */
export function createTronSweepSource(url: string): SweepSource {
  const transport = createHttpTransport({ url });
  const http = speakHttpJson(transport);
  const activated = new Set<string>();
  const isActivated = async (address: string, signal: AbortSignal) => {
    if (activated.has(address)) return true;
    const account = await http.post('/wallet/getaccount', { address: toHexAddress(address) }, accountSchema, signal);
    if (account.address !== undefined) activated.add(address);
    return account.address !== undefined;
  };
  return {
    name: http.name,
    async find({ transactionId }, signal) {
      const info = await http.post('/wallet/gettransactioninfobyid', { value: transactionId }, infoSchema, signal);
      if (info.blockNumber === undefined) return undefined;
      return { height: info.blockNumber, isSuccessful: info.result !== 'FAILED' };
    },
    async post({ raw, to, contract }, signal) {
      try {
        if (contract === undefined && !(await isActivated(to, signal)))
          return {
            refusal: 'the destination has never received TRX: activate it first with 1 TRX from another wallet',
          };
        const {
          result,
          code,
          message = '',
        } = await http.post('/wallet/broadcasthex', { transaction: raw }, postSchema, signal);
        if (result === true) return 'TAKEN';
        if (code === 'DUP_TRANSACTION_ERROR') return 'KNOWN';
        return { refusal: transport.quote(`${code ?? 'no reason'} ${readMessage(message)}`.trim()) };
      } catch (error) {
        if (!(error instanceof SourceRefusal)) throw error;
        return { refusal: error.message };
      }
    },
  };
}

/** Some versions write messages as hexadecimal digits. */
function readMessage(message: string): string {
  return /^(?:[0-9a-f]{2})+$/i.test(message) ? Buffer.from(message, 'hex').toString('utf8') : message;
}
