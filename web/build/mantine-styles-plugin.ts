import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ALL_STYLES = /^@mantine\/core\/styles\.layer\.css$/;
/** The class names of a component, such as `.../components/Button/Button.module.mjs`. */
const CLASS_NAMES = /[\\/]@mantine[\\/]core[\\/]esm[\\/].*[\\/](\w+)\.module\.mjs$/;

/**
 * Each Mantine component imports its own styles, so that a page loads only the styles of its components. One file with
 * the styles of all components has 36 KB.
 */
export function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    // The development server bundles dependencies without plugins, and can load all styles.
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: ALL_STYLES },
      handler: () => fileURLToPath(new URL('../src/ui/mantine-base.css', import.meta.url)),
    },
    transform: {
      filter: { id: CLASS_NAMES },
      handler(code, id) {
        const [, name] = CLASS_NAMES.exec(id)!;
        return {
          code: `import '@mantine/core/styles/${name}.layer.css';\n${code}`,
          map: null,
          moduleSideEffects: true,
        };
      },
    },
  };
}
