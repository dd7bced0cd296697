import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const CONTRACT = /[\\/]contract[\\/]src[\\/][\w-]+\.ts(?:\?(?:plain|schemas))?$/;
/** Ids of the two halves; the schemas' half is a chunk of its own, together with zod. */
const HALF = /\.ts\?(?:plain|schemas)$/;
/** What only a server needs of an endpoint: the typed client of the browser reads method, address and access. */
const SERVER_ONLY = new Set(['summary', 'params', 'query', 'body', 'response', 'status', 'errors']);
const IMPORTS_ZOD = /from ['"]zod['"]/;
/** Kinds of expressions in which a schema may be made. */
const WITH_CALLS = new Set(['CallExpression', 'ObjectExpression', 'NewExpression']);

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

interface Variables {
  declarations: { id: { name: string }; init: Node | null }[];
}

interface Declared {
  name: string;
  declaration: Node;
  /** With its `export`. */
  statement: Node;
  /** Of a `const`. */
  value: Node | undefined;
  isExported: boolean;
}

/**
 * Leaves of the contract what the browser uses. Endpoints lose their schemas, declarations that nobody imports can be
 * dropped, and the schemas of a module become a module of their own: so a page that calls the API loads neither schemas
 * nor zod, and a form loads those that it checks.
 */
export function leanContract(): Plugin {
  return {
    name: 'lean-contract',
    apply: 'build',
    enforce: 'post',
    load: {
      filter: { id: HALF },
      handler: (id) => (CONTRACT.test(id) ? { code: readFileSync(withoutQuery(id), 'utf8'), moduleType: 'ts' } : null),
    },
    transform: {
      filter: { id: CONTRACT },
      handler(code, id) {
        const declared = [...declarationsOf(this.parse(code, { lang: 'ts' }) as unknown as Node)];
        if (id.endsWith('?plain')) return toModule(withoutUnusedImports(withoutSchemas(code, declared)));
        if (id.endsWith('?schemas')) return toModule(lean(code, declared));
        if (!IMPORTS_ZOD.test(code)) return null;
        const schemas = declared.filter((each) => each.isExported && isSchema(code, each));
        if (schemas.length === 0) return null;
        const plain = declared.filter((each) => each.isExported && !schemas.includes(each));
        const file = `./${path.basename(id)}`;
        return toModule(`${reExport(plain, `${file}?plain`)}\n${reExport(schemas, `${file}?schemas`)}\n`);
      },
    },
  };
}

function toModule(code: string) {
  return { code, map: null, moduleSideEffects: false };
}

function withoutQuery(id: string): string {
  return id.replace(/\?.*$/, '');
}

function reExport(declared: readonly Declared[], from: string): string {
  return `export { ${declared.map(({ name }) => name).join(', ')} } from '${from}';`;
}

function isSchema(code: string, { declaration, value }: Declared): boolean {
  if (value?.type === 'CallExpression') return !isEndpoint(value);
  return /\bz\./.test(code.slice(declaration.start, declaration.end));
}

function isEndpoint(value: Node): boolean {
  return (value['callee'] as Node | undefined)?.['name'] === 'endpoint';
}

function* declarationsOf(program: Node): Generator<Declared> {
  for (const statement of program['body'] as Node[]) {
    const isExported = statement.type === 'ExportNamedDeclaration';
    const declaration = isExported ? (statement['declaration'] as Node) : statement;
    const { type, id } = declaration as { type: string; id?: { name: string } };
    if (type === 'VariableDeclaration')
      for (const each of (declaration as unknown as Variables).declarations)
        yield { name: each.id.name, declaration, statement, value: each.init ?? undefined, isExported };
    else if (type === 'FunctionDeclaration' || type === 'ClassDeclaration')
      yield { name: id!.name, declaration, statement, value: undefined, isExported };
  }
}

/** Each value in a function that is not called unless somebody uses it: what may have effects is kept otherwise. */
function lean(code: string, declared: readonly Declared[]): string {
  return edited(code, declared, ({ value }) => {
    if (value === undefined || !WITH_CALLS.has(value.type)) return undefined;
    return { ...value, text: `/* @__PURE__ */ (() => (${leanText(code, value)}))()` };
  });
}

/** With nothing left that needs zod or the schemas of other modules. */
function withoutSchemas(code: string, declared: readonly Declared[]): string {
  return edited(code, declared, (each) => {
    if (isSchema(code, each)) return { ...each.statement, text: '' };
    return each.value && isEndpoint(each.value) ? { ...each.value, text: leanText(code, each.value) } : undefined;
  });
}

function edited(
  code: string,
  declared: readonly Declared[],
  edit: (each: Declared) => { start: number; end: number; text: string } | undefined,
): string {
  let result = code;
  for (const each of declared.toReversed()) {
    const change = edit(each);
    if (change !== undefined) result = result.slice(0, change.start) + change.text + result.slice(change.end);
  }
  return result;
}

function withoutUnusedImports(code: string): string {
  const imports = /^import\s*\{([^}]*)\}\s*from\s*['"][^'"]+['"];?$/gm;
  const rest = code.replaceAll(imports, '');
  return code.replaceAll(imports, (statement, names: string) =>
    names.split(',').some((name) => name.trim() !== '' && new RegExp(String.raw`\b${name.trim()}\b`).test(rest))
      ? statement
      : '',
  );
}

/** The text of a value; of an endpoint only the object that it declares, less what a browser has no use for. */
function leanText(code: string, value: Node): string {
  if (!isEndpoint(value)) return code.slice(value.start, value.end);
  const [definition] = value['arguments'] as [Node];
  let text = code.slice(definition.start, definition.end);
  const properties = definition['properties'] as Node[];
  for (const { key, start, end } of properties.toReversed())
    if (SERVER_ONLY.has(String((key as Node)['name'])))
      text = text.slice(0, start - definition.start) + text.slice(end - definition.start).replace(/^\s*,/, '');
  return text;
}
