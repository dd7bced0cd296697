import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startTestPostgres } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects to the default database of the server: pass it to `cloneDatabase`. */
    postgresUrl: string;
  }
}

/** Each project may load this module anew, and all use one server. */
const shared = globalThis as { testPostgres?: ReturnType<typeof startTestPostgres> };

export default async function setup(project: TestProject) {
  const isFirst = shared.testPostgres === undefined;
  shared.testPostgres ??= startTestPostgres();
  const { url, stop } = await shared.testPostgres;
  project.provide('postgresUrl' satisfies keyof ProvidedContext, url);
  return isFirst ? stop : undefined;
}
