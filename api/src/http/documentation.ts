import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

const JSON_PATH = '/docs/json';
const YAML_PATH = '/docs/yaml';

/** OpenAPI 3.1 at `/docs/json` and Swagger UI at `/docs`, generated from the contract. Register it before the routes. */
export async function useDocumentation(app: FastifyInstance, brandName: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${brandName} API`, version: '1', license: { name: 'MIT', identifier: 'MIT' } },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: jsonSchemaTransform,
  });
  // Serialized once: the plugin would do it for each request, which takes milliseconds and is public. As bytes, which all
  // responses share: Node copies a string for each client that is slow to read it.
  const documents = new Map<string, Buffer>();
  const write = (path: string) => (path === JSON_PATH ? JSON.stringify(app.swagger()) : app.swagger({ yaml: true }));
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiHooks: {
      onRequest: (request, reply, next) => {
        const path = request.routeOptions.url ?? '';
        if (path !== JSON_PATH && path !== YAML_PATH) return next();
        const document = documents.get(path) ?? Buffer.from(write(path));
        documents.set(path, document);
        void reply.type(path === JSON_PATH ? 'application/json; charset=utf-8' : 'application/x-yaml').send(document);
      },
    },
    // The operator's brand in the title, and no bar with the logo of Swagger.
    theme: {
      title: `${brandName} API`,
      css: [{ filename: 'brand.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
}
