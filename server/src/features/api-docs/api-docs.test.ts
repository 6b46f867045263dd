import { eventTypes, knownModelsPath, userApi, accountRoles } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { onEveryDatabase } from '#testing/databases.ts';
import { allEndpoints, type DeclaredEndpoint } from '@relay-hub/contract/registry';
import { statusOf } from '#errors.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { declaredRefusals } from './declared-refusals.ts';
import { workedExamples } from './worked-examples.ts';
import { refusalCodesOf } from './documented-refusals.ts';

interface EnvelopeSchema {
  properties: { success: { const: true }; data?: object };
  required: string[];
  oneOf?: EnvelopeSchema[];
  anyOf?: EnvelopeSchema[];
}
interface Operation {
  operationId: string;
  summary: string;
  security?: unknown;
  parameters: { name: string; in: string; required: boolean; schema: { pattern?: string; description?: string } }[];
  requestBody?: { content: Record<string, { schema: { properties: object; required?: string[] } }> };
  responses: Record<string, { description: string; content: Record<string, { schema: EnvelopeSchema }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
}

const isNothing = (schema: DeclaredEndpoint['body']): boolean => schema._zod.def.type === 'undefined';
const keysOf = (schema: unknown): string[] => Object.keys((schema as { shape?: object }).shape ?? {}).toSorted();
/** Whether a member is optional. */
const mayLack = (schema: unknown, name: string): boolean =>
  (schema as { shape: Record<string, z.ZodMiniType> }).shape[name]!.safeParse(undefined).success; // named by the document

onEveryDatabase('the API reference', (make) => {
  const hub = hubForSuite(make);
  let served: Promise<Document> | undefined;
  const read = (): Promise<Document> =>
    (served ??= fetch(`${hub().url}/api/openapi.json`).then(async (answer) => (await answer.json()) as Document));

  test('is OpenAPI 3.1 and holds just the endpoints of the contract', async () => {
    const document = await read();
    expect(document.openapi).toBe('3.1.0');
    const told = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    const declared = allEndpoints.map(
      ({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(told.toSorted()).toEqual([...declared, `get ${knownModelsPath}`].toSorted());
    expect(Object.keys(document.webhooks)).toEqual(eventTypes);
    const paid = document.webhooks['order.paid']!['post']!.requestBody!.content['application/json']!.schema;
    expect(paid.required).toEqual(['type', 'version', 'timestamp', 'data']);
    expect(paid.properties).toMatchObject({ data: { properties: { trade_no: {}, credits: { type: 'integer' } } } });
    // References within the document resolve.
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    for (const path of new Set(references)) {
      expect(
        path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document),
        path,
      ).toBeTypeOf('object');
    }
  });

  test('names each operation once, and keeps the names that generated clients have as methods', async () => {
    const { paths } = await read();
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        operationId,
        at: `${method.toUpperCase()} ${path}`,
      })),
    );
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+$/);
    const lines = operations.map(({ operationId, at }) => `${operationId} ${at}\n`).toSorted();
    // A changed line breaks clients; a new endpoint adds one, with `npx vitest run api-docs -u`.
    await expect(lines.join('')).toMatchFileSnapshot('./operations.txt');
  });

  describe.each(allEndpoints)('$method $path', (endpoint) => {
    test('is documented with its schemas', async () => {
      const { paths } = await read();
      const operation = paths[endpoint.path.replace(/:(\w+)/g, '{$1}')]![endpoint.method.toLowerCase()]!;
      expect(operation.summary).toBe(endpoint.summary);
      expect(operation.security !== undefined).toBe(!['public', 'visitor'].includes(endpoint.audience));
      const named = (where: string) =>
        operation.parameters
          .filter((parameter) => parameter.in === where)
          .map(({ name }) => name)
          .toSorted();
      expect(named('path')).toEqual(keysOf(endpoint.params));
      expect(named('query')).toEqual(keysOf(endpoint.query));
      for (const { name, in: where, required } of operation.parameters)
        expect(required).toBe(where === 'path' || (where === 'query' && !mayLack(endpoint.query, name)));
      expect(named('header')).toEqual(accountRoles[endpoint.name] ? ['x-account'] : []);
      const body = operation.requestBody?.content['application/json']?.schema;
      expect(body === undefined).toBe(isNothing(endpoint.body));
      // Lists and unions have no `properties`.
      if (body) expect(Object.keys(body.properties ?? {}).toSorted()).toEqual(keysOf(endpoint.body));
      // Refusals by status; `default` would let any through.
      const { default: others, 200: done, ...refusals } = operation.responses;
      expect(others).toBeUndefined();
      expect(Object.keys(refusals)).toEqual(expect.arrayContaining(['400', '429', '500', '503']));
      expect('401' in refusals).toBe(operation.security !== undefined);
      if (['admin', 'root'].includes(endpoint.audience)) expect(refusals).toHaveProperty('403');
      if (!isNothing(endpoint.params)) expect(refusals).toHaveProperty('404');
      if (!isNothing(endpoint.body)) for (const status of ['413', '415']) expect(refusals).toHaveProperty(status);
      expect(Object.keys(done!.content)).toEqual([endpoint.file ?? 'application/json']);
      if (endpoint.file !== undefined) return;
      const { schema: whole } = done!.content['application/json']!;
      const mayRefuse = refusalCodesOf(endpoint).some((code) => statusOf[code] === 200);
      expect(whole.oneOf?.[1]).toEqual(mayRefuse ? { $ref: '#/components/schemas/Refusal' } : undefined);
      const schema = whole.oneOf?.[0] ?? whole.anyOf?.[0] ?? whole;
      expect(whole.anyOf !== undefined).toBe(endpoint.name === 'priceList');
      expect(schema.properties.data === undefined).toBe(isNothing(endpoint.reply));
      const mayLackData = isNothing(endpoint.reply) || endpoint.reply._zod.def.type === 'optional';
      expect(schema.required.includes('data')).toBe(!mayLackData);
    });
  });

  test('says of a sign-in that a wrong password is refused with status 200', async () => {
    const { responses } = (await read()).paths['/api/user/login']!['post']!;
    const refused = await new ApiClient(hub().url).try(userApi.login, { body: { username: 'nobody', password: 'x' } });
    expect(refused).toMatchObject({ status: 200, body: { success: false, code: 'login.failed' } });
    expect(responses['200']!.description).toContain('`login.failed`');
  });

  test('every resource has one worked example, which works', async () => {
    const byTag = Map.groupBy(allEndpoints, ({ path }) => path.split('/')[2]);
    // Parts of signing in, a stream of a check, and pictures.
    const without = ['oauth', 'verification', 'reset_password', 'sse', 'image'];
    const shown = [...byTag].filter(([tag]) => !without.includes(tag ?? ''));
    for (const [tag, all] of shown)
      expect(
        all.filter(({ name }) => name in workedExamples),
        `examples of ${tag}`,
      ).toHaveLength(1);
    const { paths } = await read();
    for (const endpoint of allEndpoints) {
      const { [endpoint.name]: example } = workedExamples;
      if (!example) continue;
      const { description } = paths[endpoint.path]![endpoint.method.toLowerCase()] as Operation & {
        description: string;
      };
      expect(description).toContain('curl');
      expect(description).toContain('await fetch(');
      const query = new URLSearchParams(
        Object.entries(example.query ?? {}).map(([key, value]) => [key, String(value)]),
      );
      const { status, body } = await hub().root.send(
        endpoint.method,
        `${endpoint.path}?${query.toString()}`,
        example.body,
      );
      expect({ name: endpoint.name, status, message: body.message }).toEqual({
        name: endpoint.name,
        status: 200,
        message: '',
      });
    }
  });

  test('lists refusals only for operations that exist', () => {
    const names = new Set(allEndpoints.map(({ name }) => name));
    expect(Object.keys(declaredRefusals).filter((name) => !names.has(name))).toEqual([]);
  });

  test('has the rules that the contract enforces with functions', async () => {
    const { paths } = await read();
    const parameter = (path: string, wanted: string) =>
      paths[path]!['get']!.parameters.find(({ name }) => name === wanted)!.schema;
    const from = parameter('/api/analytics/usage', 'from');
    expect(from.description).toBe('must be a date such as 2026-11-19');
    expect(['', '2026-11-19', '2026-13-01', '19.11.2026'].map((text) => new RegExp(from.pattern!).test(text))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(parameter('/api/token/', 'order').pattern).toContain('created_time');
    expect(parameter('/api/redemption/export', 'time_zone').description).toContain('IANA');
    const patterns = [...JSON.stringify(paths).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
    expect(patterns.length).toBeGreaterThan(50);
    // JSON Schema has the regular expressions of JavaScript with the flag `u`.
    for (const [, pattern] of patterns) expect(() => new RegExp(JSON.parse(pattern!) as string, 'u')).not.toThrow();
  });

  test('the list without the envelope is documented as such', async () => {
    const { get } = (await read()).paths[knownModelsPath]!;
    const { schema } = get!.responses['200']!.content['application/json']!;
    const list = await hub().root.send('GET', knownModelsPath);
    expect(Object.keys(schema.properties).toSorted()).toEqual(Object.keys(list.body).toSorted());
    expect(get!.security).toBeDefined();
  });

  test('its page and all its parts come from this server', async () => {
    for (const path of ['/api/docs', '/api/docs/']) {
      const response = await fetch(hub().url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self'/);
      const page = await response.text();
      expect(page).not.toMatch(/<script>|https?:\/\//);
      const parts = [...page.matchAll(/(?:href|src)="(?!data:)([^"]+)"/g)].map(([, part]) => part!);
      expect(parts.length).toBeGreaterThan(2);
      for (const part of parts) {
        expect(part).toMatch(/^\/api\/docs\//);
        const loaded = await fetch(hub().url + part);
        expect(loaded.status, part).toBe(200);
        expect(loaded.headers.get('content-type')).toMatch(part.endsWith('.css') ? /^text\/css/ : /javascript/);
        expect((await loaded.text()).length).toBeGreaterThan(20);
      }
    }
  });

  test('what starts it asks this server for the document', async () => {
    const start = await (await fetch(`${hub().url}/api/docs/start.js`)).text();
    expect(start).toContain("url: '/api/openapi.json'");
    expect(start).not.toMatch(/https?:\/\//);
  });

  test.each([
    'index.html',
    'package.json',
    'index.js',
    'swagger-ui-bundle.js.map',
    '../package.json',
    '%2e%2e/package.json',
  ])('%s is not served', async (part) => {
    expect((await fetch(`${hub().url}/api/docs/${part}`)).status).toBe(404);
  });
});
