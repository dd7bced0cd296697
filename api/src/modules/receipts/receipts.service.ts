/** The verifiable bill of a connection. Its charges were chained when they were made; here the head is signed. */
import { AppError } from '@cellhop/contract/errors';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import type { Charge, PublicReceiptKey, PublicReceiptKeys, Receipt } from '@cellhop/contract/receipts';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as store from './receipts.store.ts';
import { receiptKey, receiptKeys, signReceipt } from './signing.ts';

/** @throws AppError NOT_FOUND if it is not the actor's own */
export async function getReceipt(ctx: Ctx, actor: Actor, connectionId: string): Promise<Receipt> {
  // One snapshot: the totals, the status and the charges belong to one moment, however long reading them takes.
  const { row, charges } = await ctx.tx(async (ctx) => {
    await store.readFromOneSnapshot(ctx);
    const row = await store.findReceipt(ctx, connectionId);
    if (row?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
    return { row, charges: await store.listCharges(ctx, row.escrowAccountId) };
  });
  const key = receiptKey(ctx.config.secretKeys);
  await listPublished(ctx);
  const totalMicros = charges.reduce((sum, charge) => sum + signedMicros(charge), 0n);
  const { ip, priceMicros, status, endReason, createdAt, issuedAt, uploadedBytes } = row;
  const downloadedBytes = row.usedBytes - uploadedBytes;
  const facts = { connectionId, ip, status, endReason, createdAt, disconnectAt: row.endedAt, issuedAt, keyId: key.id };
  return {
    version: 1,
    ...facts,
    price: toDollars(priceMicros),
    uploadedBytes: Number(uploadedBytes),
    downloadedBytes: Number(downloadedBytes),
    total: toDollars(totalMicros),
    charges: charges.map((charge, index) => present(charge, index + 1, megabytePrice(priceMicros))),
    signature: signReceipt(key, {
      ...facts,
      priceMicros,
      uploadedBytes,
      downloadedBytes,
      totalMicros,
      chargeCount: charges.length,
      // A purchase makes the first charge with the connection, so there is a last one.
      headHash: charges.at(-1)!.hash,
    }),
  };
}

/** With those of before: what was signed with them can still be checked. */
export async function getPublicKey(ctx: Ctx): Promise<PublicReceiptKeys> {
  const { id } = receiptKey(ctx.config.secretKeys);
  const published = await listPublished(ctx);
  const newest = published.find(({ keyId }) => keyId === id)!;
  return { ...newest, olderKeys: published.filter((each) => each !== newest) };
}

/** Each key of the setting is published before it signs anything, and stays after it has left the setting. */
async function listPublished(ctx: Ctx): Promise<PublicReceiptKey[]> {
  const rows = await store.listKeys(ctx);
  const missing = receiptKeys(ctx.config.secretKeys).filter(({ id }) => !rows.some(({ keyId }) => keyId === id));
  for (const { id, publicKey } of missing) await store.insertKey(ctx, id, publicKey);
  return [...rows, ...missing.map(({ id, publicKey }) => ({ keyId: id, publicKey }))].map(({ keyId, publicKey }) => ({
    keyId,
    algorithm: 'Ed25519',
    publicKey: publicKey.toString('base64'),
  }));
}

function present(charge: store.ChargeRow, number: number, megabyteMicros: bigint): Charge {
  return {
    number,
    chargedAt: charge.chargedAt,
    kind: charge.kind,
    firstMegabyte: Number(charge.megabyteFrom ?? firstRefunded(charge.amountMicros, megabyteMicros)) + 1,
    lastMegabyte: Number(charge.megabyteTo ?? PREPAID_MEGABYTES),
    uploadedBytes: Number(charge.uploadedBytes),
    downloadedBytes: Number(charge.downloadedBytes),
    megabytePrice: toDollars(megabyteMicros),
    amount: toDollars(signedMicros(charge)),
    hash: charge.hash,
  };
}

/** What goes back are always the last of the prepaid megabytes. */
function firstRefunded(amountMicros: bigint, megabyteMicros: bigint): bigint {
  return BigInt(PREPAID_MEGABYTES) - amountMicros / megabyteMicros;
}

function signedMicros({ kind, amountMicros }: store.ChargeRow): bigint {
  return kind === 'REFUND' ? -amountMicros : amountMicros;
}
