import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Module = Record<string, object>;

const folder = new URL('../contract/src/', import.meta.url);
const domains = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.plain.ts'))
  .map((file) => file.replace('.plain.ts', ''));
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');

describe.each(domains)('%s.plain', (domain) => {
  it('agrees with the full declaration', async () => {
    const [plain, full] = (await Promise.all([
      import(new URL(`${domain}.plain.ts`, folder).href),
      import(new URL(`${domain}.ts`, folder).href),
    ])) as [Module, Module];
    const names = Object.keys(plain);
    expect(names.map((name) => full[name])).toMatchObject(names.map((name) => plain[name]));
    const endpoints = Object.values(plain).filter((value) => Object.hasOwn(value, 'url'));
    expect(endpoints.filter((endpoint) => Object.keys(endpoint).join() !== 'method,url,access')).toEqual([]);
  });

  it('imports no schema into the browser', () => {
    const imported = [...read(`${domain}.plain.ts`).matchAll(/^import (?!type ).* from '(.*)';$/gm)];
    expect(['./endpoint.ts', '../endpoint.ts']).toEqual(expect.arrayContaining(imported.map(([, file]) => file)));
  });
});

it('endpoint.ts imports only types, so plain endpoints need no zod', () => {
  expect(read('endpoint.ts')).not.toMatch(/^import (?!type )/m);
});

describe('the web app', () => {
  const web = new URL('../web/src/', import.meta.url);
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
  );

  it('imports values only from files of the contract that declare no endpoints with schemas', () => {
    const wrong = sources.flatMap((file) =>
      valuesImported(readFileSync(new URL(file, web), 'utf8'))
        .filter((imported) => /\bendpoint\(/.test(read(`${imported}.ts`)))
        .map((imported) => `${file}: ${imported}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** The files of the contract from which a source imports more than types. */
function valuesImported(source: string): string[] {
  return [...source.matchAll(/^import (?!type )\{([^}]*)\} from '@cellhop\/contract\/([\w/.-]+)';$/gm)]
    .filter(([, names = '']) => names.split(',').some((name) => name.trim() !== '' && !name.trim().startsWith('type ')))
    .map(([, , file = '']) => file);
}
