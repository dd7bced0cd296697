import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { getLegalText } from '@cellhop/contract/legal';
import { getLowestPrice } from '@cellhop/contract/proxies';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy } from '../../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../test/test-app.ts';
import { findText, readLegalTexts } from './legal.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'legal-'));
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(async () => {
  await testApp.stop();
  rmSync(folder, { recursive: true });
});

test("the operator's texts are read once; a missing language is replaced by the other one", () => {
  writeFileSync(path.join(folder, 'terms.en.txt'), '\n# Terms\n\nBe kind.\n');
  writeFileSync(path.join(folder, 'terms.ru.txt'), 'Будьте добры.');
  writeFileSync(path.join(folder, 'privacy.ru.txt'), 'Только это.');
  writeFileSync(path.join(folder, 'refunds.en.txt'), ' \n');
  const texts = readLegalTexts(folder);
  expect(findText(texts, 'terms', 'en')).toBe('# Terms\n\nBe kind.');
  expect(findText(texts, 'terms', 'ru')).toBe('Будьте добры.');
  expect(findText(texts, 'privacy', 'en')).toBe('Только это.');
  expect(findText(texts, 'refunds', 'en')).toBeNull();
});

test('a file with another name prevents the start with a sentence; hidden files are not read', () => {
  writeFileSync(path.join(folder, '.hidden'), '');
  writeFileSync(path.join(folder, 'imprint.en.txt'), 'Example Ltd');
  expect(findText(readLegalTexts(folder), 'imprint', 'ru')).toBe('Example Ltd');
  for (const name of ['impressum.txt', 'terms.de.txt', 'terms.en.md']) {
    writeFileSync(path.join(folder, name), 'x');
    expect(() => readLegalTexts(folder)).toThrow(
      `LEGAL_TEXTS_FOLDER has ${name}: its files are named terms.en.txt, terms.ru.txt,`,
    );
    rmSync(path.join(folder, name));
  }
});

test('a missing folder or a text that is too long prevents the start', () => {
  expect(() => readLegalTexts(path.join(folder, 'none'))).toThrow('LEGAL_TEXTS_FOLDER: there is no folder');
  writeFileSync(path.join(folder, 'acceptable-use.en.txt'), 'x'.repeat(200_001));
  expect(() => readLegalTexts(folder)).toThrow('is longer than 200000 characters');
});

test('without a setting the default texts apply; visitors can read the texts', async () => {
  const { data } = await testApp.call(getLegalText, { params: { document: 'terms' }, query: { languageCode: 'ru' } });
  expect(data).toEqual({ text: null });
});

test('visitors see the lowest price of a megabyte, which a process reads every ten seconds', async () => {
  await createProxy(testApp, { isHealthy: false });
  expect((await testApp.call(getLowestPrice, {})).data).toEqual({ megabytePrice: null });
  await createProxy(testApp);
  expect((await testApp.call(getLowestPrice, {})).data).toEqual({ megabytePrice: null });
  const second = await startSecondApp(testApp);
  expect((await second.call(getLowestPrice, {})).data).toEqual({ megabytePrice: 0.008 });
  await second.stop();
});
