/** How many values a JSON text holds: reading thousands of unknown fields takes milliseconds, counting them a fraction of one. */
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { z } from 'zod';

/** Beyond what the schema takes, so that the usual mistakes are still named one by one. */
const SPARE_VALUES = 100;

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = ['"', '\\', ',', '[', '{'].map((character) =>
  character.charCodeAt(0),
);

/** Infinite where the schema names no bound of its own. */
export function valuesLimitOf({ access, body }: EndpointDefinition): number {
  // Gateways report on thousands of connections, and are trusted.
  if (body === undefined || access === 'gateway') return Infinity;
  return SPARE_VALUES + mostValuesOf(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }));
}

function mostValuesOf(schema: z.core.JSONSchema._JSONSchema): number {
  if (typeof schema === 'boolean') return Infinity;
  const { type, enum: choice, const: constant, items, maxItems, properties, additionalProperties, anyOf } = schema;
  if (anyOf) return Math.max(...anyOf.map(mostValuesOf));
  if (type === undefined && !choice && constant === undefined) return Infinity;
  if (type === 'array' && items && !Array.isArray(items)) return 1 + mostValuesOf(items) * (maxItems ?? Infinity);
  if (type === 'array') return Infinity;
  if (type !== 'object') return 1;
  if (!properties || additionalProperties !== false) return Infinity;
  return Object.values(properties).reduce((sum: number, value) => sum + mostValuesOf(value), 1);
}

/**
 * Looks at commas and opening brackets outside of strings: each value but the first of its list follows a comma. Texts that are no
 * JSON are the parser's business.
 */
export function holdsMoreValues(json: Buffer, limit: number): boolean {
  if (limit === Infinity) return false;
  let values = 1;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (byte === QUOTE) index = endOfString(json, index);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
    if (values > limit) return true;
  }
  return false;
}

/** @returns the place of the closing quote; the end of the text if there is none */
function endOfString(json: Buffer, start: number): number {
  for (let index = start + 1; index < json.length; index++) {
    if (json[index] === QUOTE) return index;
    if (json[index] === BACKSLASH) index++;
  }
  return json.length;
}
