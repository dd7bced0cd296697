/** The links of farms at rest: they contain tokens, so they are encrypted like credentials. */
import { type ExitParameters, formatExit } from '@cellhop/contract/exits';
import { type RotationLink, rotationLinkSchema } from '@cellhop/contract/rotation-links';
import { deriveKey, deriveKeys, type SecretKeys } from './keys.ts';
import { seal, tryUnseal } from './sealing.ts';

/** A key derivation context. */
const ENCRYPTION = 'rotation-link-encryption';

export interface LinkedExit {
  exitKind: string;
  parameters: ExitParameters;
}

/** A ciphertext copied to another exit does not decrypt. */
export const linkOwner = ({ exitKind, parameters }: LinkedExit) => formatExit(exitKind, parameters);

export const linkKeys = (secretKeys: SecretKeys): readonly Buffer[] => deriveKeys(secretKeys, ENCRYPTION);

/** @param text that `encryptLink` has encrypted */
export const resealLink = (secretKeys: SecretKeys, owner: string, text: string) =>
  seal(deriveKey(secretKeys, ENCRYPTION), owner, text);

export function encryptLink(secretKeys: SecretKeys, exit: LinkedExit, link: RotationLink): Buffer {
  return resealLink(secretKeys, linkOwner(exit), JSON.stringify(link));
}

/** @returns undefined if the key was removed or the ciphertext belongs to another exit */
export function decryptLink(secretKeys: SecretKeys, exit: LinkedExit, encrypted: Buffer): RotationLink | undefined {
  const opened = tryUnseal(linkKeys(secretKeys), linkOwner(exit), encrypted);
  return opened && rotationLinkSchema.parse(JSON.parse(opened.secret));
}
