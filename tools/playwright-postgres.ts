import { startTestPostgres } from './test-postgres.ts';

/** The stories read POSTGRES_URL and give it to `cloneDatabase`. */
export default async function setup() {
  const { url, stop } = await startTestPostgres();
  process.env['POSTGRES_URL'] = url;
  return stop;
}
