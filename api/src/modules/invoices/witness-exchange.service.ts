/**
 * The copies of the witness that gateways remember, in case the machine of the API is lost together with its file. A gateway cannot read
 * one, and none is accepted that no key of SECRET_KEY has sealed. What is older than the file adds nothing to it.
 */
import type { SealedWitness } from '@cellhop/contract/sealed-witness';
import type { Ctx } from '../../ctx.ts';
import { deriveKey, deriveKeys } from '../../secrets/keys.ts';
import { seal, tryUnseal } from '../../secrets/sealing.ts';
import { witnessFileOf } from './witness.service.ts';
import { addToWitness, parseWitness, readWitness, toText, type Witness } from './witness-file.ts';

/** Key derivation context. */
const SEALING = 'witness';

/**
 * Takes what a gateway has remembered, and returns what it shall remember. Never rejects: a gateway works without it.
 * @returns undefined without a witness
 */
export async function exchangeWitness(
  ctx: Ctx,
  nodeId: string,
  given: SealedWitness | undefined,
): Promise<SealedWitness | undefined> {
  const file = witnessFileOf(ctx);
  if (file === undefined) return undefined;
  try {
    if (given) await accept(ctx, nodeId, file, given);
    const witness = await readWitness(file);
    return witness && sealWitness(ctx, witness);
  } catch (error) {
    ctx.log.error({ err: error, nodeId }, 'the witness could not be exchanged with a gateway');
    return undefined;
  }
}

async function accept(ctx: Ctx, nodeId: string, file: string, { sequence, sealed }: SealedWitness): Promise<void> {
  const opened = tryUnseal(deriveKeys(ctx.config.secretKeys, SEALING), String(sequence), Buffer.from(sealed, 'base64'));
  if (!opened) {
    ctx.log.warn(
      { nodeId },
      'The witness of a gateway was refused and changes nothing: no key of SECRET_KEY has sealed it',
    );
    return;
  }
  const { shown, writtenAt } = parseWitness(opened.secret);
  const known = (await readWitness(file))?.shown ?? {};
  const isOlder = Object.entries(shown).every(([account, index]) => index <= (known[account] ?? -1n));
  if (isOlder) return;
  ctx.log.warn({ nodeId, writtenAt }, 'a gateway remembers addresses that the witness did not have');
  await addToWitness(file, new Map(Object.entries(shown)), { writtenAt });
}

function sealWitness(ctx: Ctx, witness: Witness): SealedWitness {
  // Indexes only grow, and so does their sum.
  const sequence = Number(Object.values(witness.shown).reduce((sum, index) => sum + index, 0n));
  const sealed = seal(deriveKey(ctx.config.secretKeys, SEALING), String(sequence), toText(witness));
  return { sequence, sealed: sealed.toString('base64') };
}
