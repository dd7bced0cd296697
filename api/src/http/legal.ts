/** The operator's own legal texts: `<document>.<language>.txt` in the folder of LEGAL_TEXTS_FOLDER. */
import { getLegalText } from '@cellhop/contract/legal';
import { type LegalDocument, legalDocuments } from '@cellhop/contract/legal-documents';
import { type LanguageCode, languageCodeSchema } from '@cellhop/contract/schemas';
import type { FastifyInstance } from 'fastify';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { route } from './route.ts';

/** Long terms have about 50,000 characters. */
const TEXT_LENGTH_MAX = 200_000;

const languageCodes = languageCodeSchema.options;

type Texts = ReadonlyMap<string, string>;

export function legalRoutes(app: FastifyInstance): void {
  const texts = readLegalTexts(app.ctx.config.legalTextsFolder);
  route(app, getLegalText, async ({ params, query }) => ({
    data: { text: findText(texts, params.document, query.languageCode) },
  }));
}

/**
 * Reads all texts once, so that a request reads no file.
 * @throws Error if the folder is missing, a file has another name, or a text is too long
 */
export function readLegalTexts(folder: string | undefined): Texts {
  const texts = new Map<string, string>();
  if (folder === undefined) return texts;
  if (!existsSync(folder)) throw new Error(`LEGAL_TEXTS_FOLDER: there is no folder ${folder}`);
  const documents = legalDocuments.flatMap((document) => languageCodes.map((language) => textKey(document, language)));
  // Hidden files are of other programs.
  for (const name of readdirSync(folder).filter((name) => !name.startsWith('.'))) {
    const key = documents.find((each) => name === `${each}.txt`);
    if (key === undefined)
      throw new Error(`LEGAL_TEXTS_FOLDER has ${name}: its files are named ${documents.join('.txt, ')}.txt`);
    const text = readFileSync(path.join(folder, name), 'utf8').trim();
    if (text.length > TEXT_LENGTH_MAX) throw new Error(`${name} is longer than ${TEXT_LENGTH_MAX} characters`);
    if (text !== '') texts.set(key, text);
  }
  return texts;
}

/** Falls back to the other language: the operator's text applies, not the default text. */
export function findText(texts: Texts, document: LegalDocument, language: LanguageCode): string | null {
  const inOrder = [language, ...languageCodes];
  return inOrder.map((each) => texts.get(textKey(document, each))).find((text) => text !== undefined) ?? null;
}

function textKey(document: LegalDocument, language: LanguageCode): string {
  return `${document}.${language}`;
}
