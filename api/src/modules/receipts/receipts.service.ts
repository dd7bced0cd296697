/** The verifiable bill of a connection. Its charges were chained when they were made; here the head is signed. */
import { AppError } from '@cellhop/contract/errors';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import type { Charge, Receipt } from '@cellhop/contract/receipts';
import { megabytePrice, toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as store from './receipts.store.ts';
import { receiptKey, signReceipt } from './signing.ts';

/** @throws AppError NOT_FOUND if it is not the actor's own */
export async function getReceipt(ctx: Ctx, actor: Actor, connectionId: string): Promise<Receipt> {
  // One snapshot: the totals, the status and the charges belong to one moment, however long reading them takes.
  const { row, charges } = await ctx.tx(async (ctx) => {
    await store.readFromOneSnapshot(ctx);
    const row = await store.findReceipt(ctx, connectionId);
    if (row?.userId !== actor.userId) throw new AppError('NOT_FOUND', { thing: 'Connection' });
    return { row, charges: await store.listCharges(ctx, row.escrowAccountId) };
  });
  const key = receiptKey(ctx.config.secretKey);
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

export function getPublicKey(ctx: Ctx) {
  const { id, publicKey } = receiptKey(ctx.config.secretKey);
  return { keyId: id, algorithm: 'Ed25519' as const, publicKey: publicKey.toString('base64') };
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
