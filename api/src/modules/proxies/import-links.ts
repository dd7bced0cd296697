/**
 * The link of a farm in a file: `POST https://farm.test/rotate cooldown=90 perHour=10 Authorization: Bearer KEY`. All but the URL may be missing.
 * An export has `***` instead of method, URL and header.
 */
import { type RotationLink, rotationLinkSchema } from '@cellhop/contract/rotation-links';
import { type RotationLimits, rotationLimitsSchema } from '@cellhop/contract/staff/exit-rotation';

export interface FileRotation extends RotationLimits {
  /** `hidden`: the one that the exit has. Null: none. */
  link: RotationLink | 'hidden' | null;
}

const TEXT_CHARACTERS_MAX = 4096;
const HIDDEN = '***';
const ROTATION =
  /^(?:(?:(GET|POST)\s+)?(https?:\/\/(?:(?![,;|]https?:)\S)+)|\*\*\*)(?:\s+cooldown=(\d+))?(?:\s+perHour=(\d+))?(?:\s+([\w-]+):\s*(.+))?$/i;

export const NO_ROTATION: FileRotation = { link: null, cooldownSeconds: null, changesPerHour: null };

/** @returns undefined if it is no link */
export function parseRotation(text: string): FileRotation | undefined {
  const [matched, method = 'GET', url, cooldown, perHour, name, value] =
    text.length > TEXT_CHARACTERS_MAX ? [] : (ROTATION.exec(text) ?? []);
  const limits = rotationLimitsSchema.safeParse({
    cooldownSeconds: cooldown === undefined ? null : Number(cooldown),
    changesPerHour: perHour === undefined ? null : Number(perHour),
  });
  if (matched === undefined || !limits.success) return undefined;
  if (url === undefined) return name === undefined ? { link: 'hidden', ...limits.data } : undefined;
  const header = name === undefined ? {} : { header: { name, value } };
  const link = rotationLinkSchema.safeParse({ method: method.toUpperCase(), url, ...header });
  return link.success ? { link: link.data, ...limits.data } : undefined;
}

export function formatRotation({ cooldownSeconds, changesPerHour }: RotationLimits): string {
  const cooldown = cooldownSeconds === null ? '' : ` cooldown=${cooldownSeconds}`;
  return `${HIDDEN}${cooldown}${changesPerHour === null ? '' : ` perHour=${changesPerHour}`}`;
}
