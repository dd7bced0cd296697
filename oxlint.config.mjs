// Import directions and the lengths of files and functions are house rules; ARCHITECTURE.md and CONTRIBUTING.md explain them.
const ban = (message, ...group) => ({ group, message });
const banSibling = (message) => ({ regex: String.raw`^\.\./[^.]`, message });
const boundary = (files, excludeFiles, ...patterns) => ({
  files,
  excludeFiles,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

const otherWorkspace = ban(
  'Workspaces share contract/ and nothing else.',
  '@cellhop/api*',
  '@cellhop/gateway*',
  '@cellhop/web*',
  '**/api/src/**',
  '**/gateway/src/**',
  '**/web/src/**',
);
// Of another folder of modules/; '../../' leaves modules/.
const foreignInternals = ban(
  'Call the other module through one of its services: *.service.ts.',
  '../*/*',
  '!../*/*.service.ts',
  '!../../**',
);
// The browser needs the types of endpoints, but not their schemas. The listed files contain none.
const schemas = {
  group: ['@cellhop/contract/*', '@cellhop/contract/staff/*'].concat(
    ['values', 'forms'].flatMap((kind) => [`!@cellhop/contract/*.${kind}`, `!@cellhop/contract/staff/*.${kind}`]),
    [
      'chains',
      'client',
      'coins',
      'visitor-pages',
      'access-strings',
      'confirmation-texts',
      'errors',
      'fields',
      'legal-documents',
      'limits',
      'number-texts',
      'permissions',
      'units',
    ].map((file) => `!@cellhop/contract/${file}`),
  ),
  allowTypeImports: true,
  message:
    'Import constants from <domain>.values.ts, schemas of forms from <domain>.forms.ts, and only types from the rest.',
};
const http = ban('Only *.routes.ts knows HTTP.', 'fastify', '@fastify/*', '**/*.routes*');
const sql = ban('Only *.store.ts holds SQL.', 'pg');
const tests = ['**/*.test.ts', '**/*.test.tsx', '**/*.interop.ts', '**/watcher-contract.ts'];
const ledger = '**/ledger/**';

// A later block that matches the same file replaces the rule, so the blocks are disjoint.
export default {
  plugins: ['typescript', 'react', 'unicorn', 'import', 'vitest', 'jsx-a11y', 'oxc', 'promise'],
  categories: { correctness: 'error', suspicious: 'warn', perf: 'warn' },
  rules: {
    'react/react-in-jsx-scope': 'off',
    'import/no-unassigned-import': 'off',
    'no-await-in-loop': 'off',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'unicorn/no-array-sort': 'off',
    'no-underscore-dangle': 'off',
    'oxc/no-map-spread': 'off',
    // tsc's noImplicitReturns knows functions that never return.
    'typescript/consistent-return': 'off',
    'no-shadow': 'off',
    // What must hold after all tests of a file is checked when they have ended.
    'vitest/no-standalone-expect': ['error', { additionalTestBlockFunctions: ['afterAll'] }],
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'import/no-cycle': 'error',
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'] }],
    'oxc/no-barrel-file': ['error', { threshold: 0 }],
    'vitest/no-focused-tests': 'error',
    'vitest/no-disabled-tests': 'error',
    'max-lines': ['error', { max: 300 }],
    'max-lines-per-function': ['error', { max: 70 }],
  },
  ignorePatterns: ['**/dist/**', '.data/**'],
  overrides: [
    // The rule cannot tell the callback of `describe`, which holds many tests, from a long function.
    { files: tests, rules: { 'max-lines': ['error', { max: 500 }], 'max-lines-per-function': 'off' } },
    {
      files: ['e2e/**'],
      rules: {
        'max-lines': ['error', { max: 500 }],
        'no-empty-pattern': 'off',
        // The rules of vitest do not know Playwright's `test`.
        'no-restricted-properties': [
          'error',
          ...['only', 'skip', 'fixme', 'fail'].map((property) => ({ object: 'test', property })),
        ],
      },
    },
    { files: ['{api,gateway}/test/**'], rules: { 'max-lines': ['error', { max: 500 }] } },
    boundary(
      ['contract/src/**'],
      tests,
      ban('contract/ depends on zod and ipaddr.js alone.', '*', '!zod', '!ipaddr.js', '!./*', '!./staff/*', '!../*'),
    ),
    boundary(
      ['gateway/src/protocol/**'],
      tests,
      otherWorkspace,
      ban('protocol/ parses bytes; it never opens a socket.', 'node:net', 'node:tls', 'node:http*', 'node:dgram'),
    ),
    boundary(['gateway/src/**'], ['gateway/src/protocol/**', ...tests], otherWorkspace),
    // An unhandled rejection would end the gateway: `inBackground` instead of `void`.
    { files: ['gateway/src/**'], excludeFiles: tests, rules: { 'no-void': 'error' } },
    {
      files: ['gateway/src/**'],
      excludeFiles: tests,
      rules: {
        'no-restricted-globals': [
          'error',
          { name: 'Date', message: 'Wall-clock time may jump: use performance.now().' },
        ],
      },
    },
    { files: ['{contract,gateway}/src/**'], rules: { 'import/no-cycle': ['error', { ignoreTypes: false }] } },
    boundary(
      ['web/src/{ui,session,live,data,loading,format,hooks}/**'],
      tests,
      otherWorkspace,
      ban('Shared code must not know features.', '**/features/**', '**/app/**'),
      schemas,
    ),
    boundary(
      ['web/src/features/**'],
      ['web/src/features/staff-*/**', ...tests],
      otherWorkspace,
      banSibling('Features never import each other; compose them in app/.'),
      ban('app/ imports features, never the reverse.', '**/app/**'),
      schemas,
    ),
    boundary(
      ['web/src/features/staff-*/**'],
      tests,
      otherWorkspace,
      ban(
        "Features of staff share staff-parts/ and may show parts of the customers' features.",
        '../staff-*/**',
        '!../staff-parts/**',
      ),
      ban('app/ imports features, never the reverse.', '**/app/**'),
      schemas,
    ),
    boundary(['web/src/{app/**,*.tsx}'], tests, otherWorkspace, schemas),
    boundary(
      ['api/src/payments/**'],
      tests,
      otherWorkspace,
      http,
      sql,
      ban('Payment adapters return facts; modules decide what they mean.', '**/modules/**'),
    ),
    // What puts the modules together.
    boundary(
      ['api/src/**'],
      ['api/src/{modules,payments}/**', ...tests],
      otherWorkspace,
      ban(
        'Outside of modules/ only services, routes and the rules of audits are known.',
        '**/modules/*/*',
        '!**/modules/*/*.service.ts',
        '!**/modules/*/*.routes.ts',
        '!**/modules/*/invariants.store.ts',
        '!**/modules/auth/passwords.ts',
      ),
    ),
    boundary(
      ['api/src/modules/ledger/**'],
      tests,
      otherWorkspace,
      http,
      banSibling('The ledger knows no other module.'),
    ),
    boundary(['api/src/modules/**/*.routes.ts'], [ledger, ...tests], otherWorkspace, foreignInternals, sql),
    boundary(
      ['api/src/modules/**/*.store.ts'],
      [ledger, ...tests],
      otherWorkspace,
      foreignInternals,
      http,
      ban('A store never calls a service.', '**/*.service*'),
    ),
    boundary(
      ['api/src/modules/**'],
      [ledger, '**/*.routes.ts', '**/*.store.ts', ...tests],
      otherWorkspace,
      foreignInternals,
      http,
      sql,
    ),
  ],
};
