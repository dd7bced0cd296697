import react from '@vitejs/plugin-react';
import flagIcons from 'flag-icons/package.json' with { type: 'json' };
import { defineConfig, type Rolldown } from 'vite';
import { bootScripts } from './build/boot-plugin.ts';
import { mantineStyles } from './build/mantine-styles-plugin.ts';
import { screenPaths } from './build/paths-plugin.ts';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';

/**
 * The router imports each screen lazily, and Rolldown splits the code that screens share, which alone results in many
 * small files. So each of the two parts that everything else is added to is one file with all its imports, except those
 * of a part above. Tables are another one, and the Mantine components that several of the later screens use. React has its own
 * file, so that its evaluation is a task of its own (boot/first-start.js).
 */
const chunkGroups = [
  { name: 'react', test: /[\\/]node_modules[\\/](?:react|react-dom|scheduler)[\\/]/ },
  // With what sign-in needs too, so that it does not load the layout for signed-in users.
  {
    name: 'app',
    test: /[\\/](?:app[\\/]start-app|data[\\/]use-action|session[\\/]profile|ui[\\/](?:logo|switchers))\.tsx?$/,
  },
  { name: 'member', test: /[\\/]app[\\/]layout[\\/]member-layout\.tsx$/ },
  { name: 'table', test: /[\\/]ui[\\/](?:data-table|country-flag)\.tsx$/ },
  { name: 'controls', test: /[\\/](?:@mantine|@floating-ui)[\\/]/, minShareCount: 2 },
].map((group, index, groups) => ({ ...group, priority: groups.length - index }));

/** The code contains the addresses of all flags: with a hash in each, they would be 4 KB longer, and compression cannot help. */
function assetFileNames({ originalFileNames }: Rolldown.PreRenderedAsset): string {
  const isFlag = originalFileNames.some((name) => name.includes('/flag-icons/'));
  return isFlag ? `assets/flags-${flagIcons.version}/[name][extname]` : 'assets/[name]-[hash][extname]';
}

export default defineConfig({
  plugins: [react(), bootScripts(), screenPaths(), mantineStyles()],
  // Texts are imported as a whole; an export for each of them would be a third of their file.
  json: { namedExports: false },
  server: {
    proxy: {
      '^/(?:\\?|$)': api,
      '/v1': api,
      '/docs': api,
      '/dev': api,
      '/pricing': api,
      '/locations': api,
      '/ru/': api,
    },
  },
  build: {
    manifest: true,
    // Browsers without support load the files later; with the polyfill, all other browsers would load it first.
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'visitor.html'],
      // Constants of contract/src/limits.ts are in the files that use them, not all in the first one.
      optimization: { inlineConst: { mode: 'all' } },
      output: { codeSplitting: { groups: chunkGroups }, assetFileNames },
    },
    // Flags and fonts stay separate files: inlined they would be part of the JavaScript.
    assetsInlineLimit: 0,
  },
});
