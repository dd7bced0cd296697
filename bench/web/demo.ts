import { signIn } from '@cellhop/contract/auth';
import { createClient } from '@cellhop/contract/client';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startPostgres } from '../../tools/pg.mjs';
import type { Product } from '../../tools/product.mjs';
import { cloneDatabase } from '../../tools/test-database.mjs';

const DEMO_USER = { email: 'user@example.com', password: 'demo-password' };

export interface Demo {
  url: string;
  stop: () => Promise<void>;
}

/** Starts the product with its demo data. @param checkout its folder, installed and built */
export async function startDemo(checkout: string, logFile: string): Promise<Demo> {
  const { startProduct } = (await import(pathToFileURL(path.resolve(checkout, 'tools/product.mjs')).href)) as {
    startProduct: (options: { databaseUrl: string; logFile: string }) => Promise<Product>;
  };
  const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
  const database = await cloneDatabase(postgres.url, 'template1');
  const product = await startProduct({ databaseUrl: database.url, logFile });
  return {
    url: product.url,
    stop: async () => {
      await product.stop();
      await database.drop();
      await postgres.stop();
    },
  };
}

/** What the web app stores after sign-in (web/src/lib/tokens.ts). An access token is valid for longer than all runs take. */
export async function issueTokens(url: string): Promise<string> {
  const { data } = await createClient({ baseUrl: url })(signIn, { body: DEMO_USER });
  const { accessToken, refreshToken, expiredAccessTokenAt } = data;
  return JSON.stringify({ accessToken, refreshToken, accessTokenExpiredAt: expiredAccessTokenAt });
}
