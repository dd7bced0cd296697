import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

/** OpenAPI 3.1 at `/docs/json` and a readable page at `/docs`, both made from the contract. Registered before the routes. */
export async function useDocumentation(app: FastifyInstance, brandName: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${brandName} API`, version: '1', license: { name: 'MIT', identifier: 'MIT' } },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: jsonSchemaTransform,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The page is the operator's: his name in the title, and no bar with somebody else's logo.
    theme: {
      title: `${brandName} API`,
      css: [{ filename: 'brand.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
}
