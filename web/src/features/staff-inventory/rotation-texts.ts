import type { RotationChange } from '@cellhop/contract/staff/exit-rotation';

export interface RotationTexts {
  method: 'GET' | 'POST';
  url: string;
  headerName: string;
  headerValue: string;
  cooldown: string;
  perHour: string;
}

type Field = Exclude<keyof RotationTexts, 'method'>;

const COOLDOWN_SECONDS_MAX = 86_400;
const PER_HOUR_MAX = 3600;

/**
 * @param hasLink the exit has a link, which stays if the URL is empty
 * @returns `change` undefined: something is missing or invalid
 */
export function parseRotation(
  texts: RotationTexts,
  hasLink: boolean,
): { invalid: ReadonlySet<Field>; change: Omit<RotationChange, 'reason'> | undefined } {
  const url = texts.url.trim();
  const [name, value] = [texts.headerName.trim(), texts.headerValue.trim()];
  const cooldownSeconds = parseWhole(texts.cooldown, COOLDOWN_SECONDS_MAX);
  const changesPerHour = parseWhole(texts.perHour, PER_HOUR_MAX);
  const invalid = new Set<Field>();
  if (url !== '' && !/^https?:\/\/./i.test(url)) invalid.add('url');
  if (!/^[0-9A-Za-z-]*$/.test(name)) invalid.add('headerName');
  if (cooldownSeconds === undefined) invalid.add('cooldown');
  if (changesPerHour === undefined) invalid.add('perHour');
  if (invalid.size > 0 || cooldownSeconds === undefined || changesPerHour === undefined || (url === '' && !hasLink))
    return { invalid, change: undefined };
  const link = { method: texts.method, url, ...(name !== '' && { header: { name, value } }) };
  return { invalid, change: { cooldownSeconds, changesPerHour, ...(url !== '' && { link }) } };
}

/** Null for an empty text: the setting applies. */
function parseWhole(text: string, maximum: number): number | null | undefined {
  const digits = text.trim();
  if (digits === '') return null;
  return /^[1-9]\d{0,5}$/.test(digits) && Number(digits) <= maximum ? Number(digits) : undefined;
}
