/** The frame of pages that the API renders: visitor.html of the built web app, with its styles, fonts and theme. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { VISITOR_TEMPLATE } from './web-pages.ts';

/** @returns undefined if this build of the web app has none */
export function readVisitorTemplate(root: string): string | undefined {
  const file = path.join(root, VISITOR_TEMPLATE);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** @param parts HTML */
export function fillTemplate(
  template: string,
  languageCode: LanguageCode,
  { head, body }: { head: string; body: string },
): string {
  return template
    .replace('<html lang="en"', `<html lang="${languageCode}"`)
    .replace('<!-- head -->', () => head)
    .replace('<!-- body -->', () => body);
}
