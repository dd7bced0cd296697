import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startTestPostgres } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects to the default database of the server: pass it to `cloneDatabase`. */
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject) {
  const { url, stop } = await startTestPostgres();
  project.provide('postgresUrl' satisfies keyof ProvidedContext, url);
  return stop;
}
