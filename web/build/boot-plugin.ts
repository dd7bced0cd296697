import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type HtmlTagDescriptor, type Plugin, type Rolldown, runnerImport } from 'vite';
import { languages, memberTexts, type Language, type Namespace } from '../src/i18n/languages.ts';
import type { Screen, ScreenCode } from '../src/loading/screen.ts';

const ENTRY = /<script type="module" crossorigin src="([^"]+)"><\/script>/;

type Bundle = Rolldown.OutputBundle;

interface FirstScreen {
  /** Modules of the layout and the page, which the router imports. */
  modules: readonly RegExp[];
  texts: readonly Namespace[];
  /** Whether it is for signed-in users or for visitors; undefined for both. */
  isForMembers?: boolean;
  /** API requests that start with the page, besides the profile. */
  requests: readonly string[];
}

/**
 * Inlines the scripts of boot/ into the pages: they run before the first paint, and a separate file would cost a round
 * trip. The server allows them by their hash (api/src/http/web-pages.ts).
 */
export function bootScripts(): Plugin {
  return {
    name: 'boot-scripts',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { filename, bundle }) {
        if (filename.endsWith('visitor.html'))
          return [{ tag: 'script', children: readScript('visitor.js'), injectTo: 'head-prepend' }];
        const scripts = [readScript('first-paint.js')];
        if (bundle !== undefined) {
          const plan = JSON.stringify(createPlan(bundle, await firstScreens()));
          scripts.push(readScript('first-requests.js').replace('PLAN', () => plan));
        }
        const tag = (): HtmlTagDescriptor => ({
          tag: 'script',
          children: scripts.join('\n'),
          injectTo: 'head-prepend',
        });
        if (bundle === undefined) return [tag()];
        const [entry, entryUrl] = ENTRY.exec(html) ?? [];
        if (entry === undefined) throw new Error('No entry script in the page: has its format changed?');
        const parts = JSON.stringify(evaluationOrder(bundle, entryUrl!));
        scripts.push(readScript('first-start.js').replace('PARTS', () => parts));
        // The spinner's resources load first.
        const rest = html
          .replace(entry, `<link rel="modulepreload" crossorigin href="${entryUrl}">`)
          .replaceAll('rel="modulepreload"', 'rel="modulepreload" fetchpriority="low"');
        return { html: rest, tags: [tag()] };
      },
    },
  };
}

/** Derived from src/app/screens.ts, which is imported with Vite because only Vite can resolve its imports. */
async function firstScreens(): Promise<Record<string, FirstScreen>> {
  const file = fileURLToPath(new URL('../src/app/screens.ts', import.meta.url));
  const { module } = await runnerImport<typeof import('../src/app/screens.ts')>(file);
  const { memberScreens, visitorScreens } = module;
  const screens: readonly (Screen & ScreenCode & { isForMembers: boolean })[] = [
    ...memberScreens.map((screen) => ({ ...screen, isForMembers: true })),
    ...visitorScreens.map((screen) => ({ ...screen, isForMembers: false })),
  ];
  // Paths with parameters cannot be looked up by URL.
  const withoutParameters = screens.filter(({ path }) => !path.includes('$'));
  return Object.fromEntries(
    withoutParameters.map(({ path, component, isForMembers, texts, requests = [] }) => {
      const layout = isForMembers ? 'member' : 'guest';
      const modules = [
        new RegExp(String.raw`/src/app/layout/${layout}-layout\.tsx$`),
        new RegExp(String.raw`/src/(?:app/screens|features/(?!staff-)[\w-]+)/${fileNameOf(component)}\.tsx$`),
      ];
      const shared: Namespace[] = isForMembers ? ['common', ...memberTexts] : ['common'];
      return [path, { modules, texts: [...shared, ...texts], isForMembers, requests }];
    }),
  );
}

/** `UsagePage` is in `usage-page.tsx`. */
function fileNameOf(component: string): string {
  return component.replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** The source without its comments. */
function readScript(name: string): string {
  return readFileSync(new URL(`../boot/${name}`, import.meta.url), 'utf8').replaceAll(
    /^\s*(?:\/\/.*|\/\*\*.*\*\/)\n/gm,
    '',
  );
}

/** The plan for boot/first-requests.js. Screens refer to files by index. */
function createPlan(bundle: Bundle, chosen: Readonly<Record<string, FirstScreen>>) {
  const files: string[] = [];
  const indexOf = (file: string) => {
    if (!files.includes(file)) files.push(file);
    return files.indexOf(file);
  };
  // The page itself preloads the files of its entry.
  const preloaded = filesOf(bundle, [/\/index\.html$/]);
  const screens = Object.entries(chosen).map(([path, { modules, ...screen }]) => {
    const needed = [...filesOf(bundle, modules)].filter((file) => !preloaded.has(file));
    return [path, { ...screen, files: needed.map(indexOf) }];
  });
  const namespaces = new Set(Object.values(chosen).flatMap((screen) => screen.texts));
  const texts = languages.map((language) => [language, textsOf(bundle, language, namespaces)]);
  return { screens: Object.fromEntries(screens), texts: Object.fromEntries(texts), files };
}

/** The file and all that it imports, in order of evaluation. */
function evaluationOrder(bundle: Bundle, entryUrl: string): string[] {
  const visited = new Set<string>();
  const ordered: string[] = [];
  const visit = (file: string) => {
    if (visited.has(file)) return;
    visited.add(file);
    (bundle[file] as Rolldown.OutputChunk).imports.forEach(visit);
    ordered.push(`/${file}`);
  };
  visit(entryUrl.replace(/^\//, ''));
  return ordered;
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

function textsOf(bundle: Bundle, language: Language, namespaces: Set<string>): Record<string, string> {
  const entries = [...namespaces].map((name) => {
    const chunk = chunkOf(bundle, new RegExp(`/locales/${language}/${name}\\.json$`));
    return [name, nameOf(chunk.fileName)];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function chunkOf(bundle: Bundle, id: RegExp): Rolldown.OutputChunk {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  // A module that the build has grouped with its imports may have no file of its own.
  const found =
    chunks.find(({ facadeModuleId }) => id.test(facadeModuleId ?? '')) ??
    chunks.find(({ moduleIds }) => moduleIds.some((module) => id.test(module)));
  if (found === undefined) throw new Error(`No chunk for ${id.source}: was the page renamed?`);
  return found;
}

function nameOf(file: string): string {
  return file.replace(/^assets\//, '');
}
