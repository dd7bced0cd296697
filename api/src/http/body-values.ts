/** Limits the number of values in a JSON text. Counting is much faster than parsing and validating thousands of unknown fields. */
import type { EndpointDefinition } from '@cellhop/contract/endpoint';
import { z } from 'zod';

/** Allowed beyond the schema, so that validation can still report common mistakes by field. */
const SPARE_VALUES = 100;

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = ['"', '\\', ',', '[', '{'].map((character) =>
  character.charCodeAt(0),
);

/** Infinite if the schema has no bound. */
export function valueCountLimitFor({ access, body }: EndpointDefinition): number {
  // Gateways report on thousands of connections, and are trusted.
  if (body === undefined || access === 'gateway') return Infinity;
  return SPARE_VALUES + maxValuesFor(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }));
}

function maxValuesFor(schema: z.core.JSONSchema._JSONSchema): number {
  if (typeof schema === 'boolean') return Infinity;
  const { type, enum: choice, const: constant, items, maxItems, properties, additionalProperties, anyOf } = schema;
  if (anyOf) return Math.max(...anyOf.map(maxValuesFor));
  if (type === undefined && !choice && constant === undefined) return Infinity;
  if (type === 'array' && items && !Array.isArray(items)) return 1 + maxValuesFor(items) * (maxItems ?? Infinity);
  if (type === 'array') return Infinity;
  if (type !== 'object') return 1;
  if (!properties || additionalProperties !== false) return Infinity;
  return Object.values(properties).reduce((sum: number, value) => sum + maxValuesFor(value), 1);
}

/**
 * Counts commas and opening brackets outside strings, because each value except the first of its list follows a comma. Malformed
 * JSON is left to the parser.
 */
export function exceedsValueCount(json: Buffer, limit: number): boolean {
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

/** @returns the index of the closing quote; the end of the text if there is none */
function endOfString(json: Buffer, start: number): number {
  for (let index = start + 1; index < json.length; index++) {
    if (json[index] === QUOTE) return index;
    if (json[index] === BACKSLASH) index++;
  }
  return json.length;
}
