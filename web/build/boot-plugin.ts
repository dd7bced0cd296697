import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type HtmlTagDescriptor, type Plugin, type Rolldown, runnerImport } from 'vite';
import { languages, type Language, type Namespace } from '../src/i18n/languages.ts';

const ENTRY = /<script type="module" crossorigin src="([^"]+)"><\/script>/;

type Bundle = Rolldown.OutputBundle;

interface FirstScreen {
  /** Of the layout and the page that the router imports. */
  modules: readonly RegExp[];
  texts: readonly Namespace[];
  /** Whether signed-in readers see it, or others; undefined for all. */
  isForMembers?: boolean;
  /** What it asks the API for at once, besides the profile. */
  requests: readonly string[];
}

/** The page of its own, landing.html. */
const landingScreen: Readonly<Record<string, FirstScreen>> = {
  '/': { modules: [], texts: ['common', 'landing'], requests: [] },
};

/**
 * Puts the scripts of boot/ into the pages: they run before anything is painted, and a file of their own would cost a
 * round trip. The server allows them by their hash (api/src/http/web-pages.ts).
 */
export function bootScripts(): Plugin {
  return {
    name: 'boot-scripts',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { filename, bundle }) {
        const scripts = [readScript('first-paint.js')];
        const isLanding = filename.endsWith('landing.html');
        if (bundle !== undefined) {
          const plan = JSON.stringify(planOf(bundle, isLanding ? landingScreen : await firstScreens()));
          scripts.push(readScript('first-requests.js').replace('PLAN', () => plan));
        }
        const tag = (): HtmlTagDescriptor => ({
          tag: 'script',
          children: scripts.join('\n'),
          injectTo: 'head-prepend',
        });
        if (bundle === undefined || isLanding) return [tag()];
        const [entry, address] = ENTRY.exec(html) ?? [];
        if (entry === undefined) throw new Error('The page has no entry: did the way change in which it is written?');
        const parts = JSON.stringify(partsOf(bundle, address!));
        scripts.push(readScript('first-start.js').replace('PARTS', () => parts));
        // What draws the spinner goes first.
        const rest = html
          .replace(entry, `<link rel="modulepreload" crossorigin href="${address}">`)
          .replaceAll('rel="modulepreload"', 'rel="modulepreload" fetchpriority="low"');
        return { html: rest, tags: [tag()] };
      },
    },
  };
}

/** Of what src/app/screens.ts says, which is read with Vite: it imports what only Vite can resolve. */
async function firstScreens(): Promise<Record<string, FirstScreen>> {
  const file = fileURLToPath(new URL('../src/app/screens.ts', import.meta.url));
  const { module } = await runnerImport<typeof import('../src/app/screens.ts')>(file);
  // Without a parameter in the path: the address tells which screen it is.
  const whole = module.screens.filter(({ path }) => !path.includes('$'));
  return Object.fromEntries(
    whole.map(({ path, name, isForMembers, texts, requests = [] }) => {
      const layout = isForMembers ? 'member' : 'guest';
      const modules = [
        new RegExp(String.raw`/src/app/layout/${layout}-layout\.tsx$`),
        new RegExp(String.raw`/src/(?:app/screens/${name}-screen|features/[\w-]+/${name}-page)\.tsx$`),
      ];
      const shared: Namespace[] = isForMembers ? ['common', 'notification'] : ['common'];
      return [path, { modules, texts: [...shared, ...texts], isForMembers, requests }];
    }),
  );
}

/** Without the comments, which are for readers of the source. */
function readScript(name: string): string {
  return readFileSync(new URL(`../boot/${name}`, import.meta.url), 'utf8').replaceAll(
    /^\s*(?:\/\/.*|\/\*\*.*\*\/)\n/gm,
    '',
  );
}

/** What boot/first-requests.js goes by. Files are named once and referred to by number. */
function planOf(bundle: Bundle, chosen: Readonly<Record<string, FirstScreen>>) {
  const files: string[] = [];
  const numberOf = (file: string) => {
    if (!files.includes(file)) files.push(file);
    return files.indexOf(file);
  };
  // The page itself names what its entry needs.
  const known = filesOf(bundle, [/\/index\.html$/]);
  const screens = Object.entries(chosen).map(([path, { modules, ...screen }]) => {
    const needed = [...filesOf(bundle, modules)].filter((file) => !known.has(file));
    return [path, { ...screen, files: needed.map(numberOf) }];
  });
  const wanted = new Set(Object.values(chosen).flatMap((screen) => screen.texts));
  const texts = languages.map((language) => [language, textsOf(bundle, language, wanted)]);
  return { screens: Object.fromEntries(screens), texts: Object.fromEntries(texts), files };
}

/** The files that a file imports, in the order of their evaluation, and then itself. */
function partsOf(bundle: Bundle, address: string): string[] {
  const chunk = bundle[address.replace(/^\//, '')] as Rolldown.OutputChunk;
  return [...chunk.imports.map((file) => `/${file}`), address];
}

function filesOf(bundle: Bundle, modules: readonly RegExp[]): Set<string> {
  const files = new Set<string>();
  const collect = (chunk: Rolldown.OutputChunk) => {
    const name = nameOf(chunk.fileName);
    if (files.has(name)) return;
    files.add(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(nameOf(style));
    for (const imported of chunk.imports) collect(bundle[imported] as Rolldown.OutputChunk);
  };
  for (const module of modules) collect(chunkOf(bundle, module));
  return files;
}

function textsOf(bundle: Bundle, language: Language, wanted: Set<string>): Record<string, string> {
  const entries = [...wanted].map((name) => {
    const chunk = chunkOf(bundle, new RegExp(`/locales/${language}/${name}\\.json$`));
    return [name, nameOf(chunk.fileName)];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function chunkOf(bundle: Bundle, id: RegExp): Rolldown.OutputChunk {
  const found = Object.values(bundle).find(
    (output): output is Rolldown.OutputChunk => output.type === 'chunk' && id.test(output.facadeModuleId ?? ''),
  );
  if (found === undefined) throw new Error(`No chunk for ${id.source}: was the page renamed?`);
  return found;
}

function nameOf(file: string): string {
  return file.replace(/^assets\//, '');
}
