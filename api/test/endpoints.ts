import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { readdirSync } from 'node:fs';

const contract = new URL('../../contract/src/', import.meta.url);
const files = readdirSync(contract, { recursive: true, encoding: 'utf8' }).filter((file) => /^[\w/-]+\.ts$/.test(file));
const modules = await Promise.all(files.map((file) => import(new URL(file, contract).href) as Promise<object>));

/** Every endpoint of the contract, found by its shape, so that new ones are tested automatically. */
export const endpoints: readonly EndpointDefinition[] = [
  ...new Set(modules.flatMap((module): unknown[] => Object.values(module))),
].filter(isEndpoint);

function isEndpoint(value: unknown): value is EndpointDefinition {
  return typeof value === 'object' && value !== null && 'access' in value && 'url' in value;
}

export const nameOf = ({ method, url }: EndpointDefinition) => `${method} ${url}`;

/** Rows for `test.each`. */
export const named = (list: readonly EndpointDefinition[]) =>
  list.map((endpoint) => [nameOf(endpoint), endpoint] as const);
