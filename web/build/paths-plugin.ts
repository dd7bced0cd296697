import { legalDocuments } from '@cellhop/contract/legal-documents';
import { fileURLToPath } from 'node:url';
import { runnerImport, type Plugin } from 'vite';
import type { Screen } from '../src/loading/screen.ts';

interface ScreenLists {
  publicScreens: readonly Screen[];
  visitorScreens: readonly Screen[];
  memberScreens: readonly Screen[];
  staffScreens: readonly Screen[];
}

/** Writes the paths of all screens, `$name` for parameters, for the server: every other path is "not found" (api/src/http/web-app.ts). */
export function screenPaths(): Plugin {
  return {
    name: 'screen-paths',
    apply: 'build',
    async generateBundle() {
      const { publicScreens, visitorScreens, memberScreens } = await importLists('screens.ts');
      const { staffScreens } = await importLists('staff/staff-screens.ts');
      const screens = [...publicScreens, ...visitorScreens, ...memberScreens, ...staffScreens];
      const paths = screens.flatMap(({ path }) => withDocuments(path)).sort();
      this.emitFile({ type: 'asset', fileName: '.vite/paths.json', source: JSON.stringify(paths) });
    },
  };
}

/** Imported with Vite, because only Vite can resolve their imports. */
async function importLists(name: string): Promise<ScreenLists> {
  const file = fileURLToPath(new URL(`../src/app/${name}`, import.meta.url));
  return (await runnerImport<ScreenLists>(file)).module;
}

/** The legal texts are known. */
function withDocuments(path: string): string[] {
  return path.includes('$document') ? legalDocuments.map((document) => path.replace('$document', document)) : [path];
}
