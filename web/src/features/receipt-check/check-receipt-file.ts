/** Checks a receipt in this browser. Nothing is sent; only the published key is fetched, if none is given. */
import type { Receipt } from '@cellhop/contract/receipts';
import { checkReceipt } from '../../../../tools/receipt-checker/check.mjs';
import { call } from '../../data/http.ts';

/** `problem` is the checker's own text, in English. */
export type CheckResult =
  | { kind: 'good'; charges: number; total: number }
  | { kind: 'bad'; problem: string }
  | { kind: 'unreadable' | 'keyMissing' | 'unsupported' };

/** @param publicKey base64; empty for the key that the service publishes */
export async function checkReceiptFile(text: string, publicKey: string): Promise<CheckResult> {
  const receipt = parse(text);
  if (receipt === undefined) return { kind: 'unreadable' };
  const key = publicKey === '' ? await publishedKey(receipt.keyId) : publicKey;
  if (key === undefined) return { kind: 'keyMissing' };
  try {
    const problem = await checkReceipt(receipt, { publicKey: key });
    if (problem !== undefined) return { kind: 'bad', problem };
  } catch {
    // Without HTTPS there is no Web Crypto; browsers before 2025 do not support Ed25519.
    return { kind: 'unsupported' };
  }
  return { kind: 'good', charges: receipt.charges.length, total: receipt.total };
}

/** The checker validates the fields. The file contains only the receipt, or the API's response: `{ "data": receipt }`. */
function parse(text: string): Receipt | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const receipt: unknown = isObject(value) && 'data' in value ? value.data : value;
    return isObject(receipt) ? (receipt as Receipt) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

async function publishedKey(keyId: unknown): Promise<string | undefined> {
  try {
    const { data: newest } = await call('GET /v1/receipts/public-key', {});
    return ([newest, ...newest.olderKeys].find((key) => key.keyId === keyId) ?? newest).publicKey;
  } catch {
    return undefined;
  }
}
