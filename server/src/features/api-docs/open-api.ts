import {
  accountHeader,
  accountRoles,
  type Audience,
  EVENT_VERSION,
  eventData,
  type EventType,
  eventTypes,
  knownModel,
  knownModelsPath,
  type TeamRole,
} from '@relay-hub/contract';
import type { DeclaredEndpoint } from '@relay-hub/contract/registry';
import * as z from 'zod/mini';
import { statusOf } from '#errors.ts';
import { version } from '#version.ts';
import { anywhere, describeCodes, refusalCodesOf, refusalResponses, sharedResponses } from './documented-refusals.ts';
import { exampleText, firstSteps } from './worked-examples.ts';
import { documentRules } from './documented-rules.ts';

const audiences: Record<Audience, string> = {
  public: 'Anybody.',
  visitor: 'Anybody; a session, where there is one, decides what is shown.',
  user: 'Signed-in users.',
  admin: 'Administrators (role 10).',
  root: 'The super administrator (role 100).',
};

type DocumentSchema = Record<string, unknown>;

const signedIn = [{ session: [] }, { accessToken: [] }];
/** The management API as an OpenAPI 3.1 document, made from the endpoints that are mounted. `basePath`: of the server. */
export function openApiDocument(endpoints: Iterable<DeclaredEndpoint>, basePath = ''): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  paths[knownModelsPath] = { get: knownModels() };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Relay Hub management API',
      version,
      description: [
        firstSteps,
        'Every answer but a download is an envelope `{success, message, data}`. A refusal carries the matching HTTP status and the envelope, with `code` and, where one input is to blame, `field`. Fields that an operation does not take are ignored and named in `warnings`, except in objects such as `limits`, where they are refused. Paths are served with and without a slash at their end.',
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    ...(basePath !== '' && { servers: [{ url: basePath }] }),
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: webhook(type) }])),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        accessToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description:
            'An access key with scopes (`POST /api/user/self/access_keys`), or the access token of the account (`POST /api/user/token`), which has all rights of its role.',
        },
      },
      responses: sharedResponses(),
      schemas: {
        Warnings: {
          type: 'array',
          description: 'Fields of the request that were ignored; absent if there are none.',
          items: {
            type: 'object',
            required: ['field', 'message'],
            properties: { field: { type: 'string' }, message: { type: 'string' } },
          },
        },
        Refusal: {
          type: 'object',
          required: ['success', 'message', 'code'],
          properties: {
            success: { const: false },
            message: {
              type: 'string',
              description: 'For people, in the language of Accept-Language, else of the account, else English.',
            },
            code: {
              type: 'string',
              description: 'Stable. The responses of an operation list its codes; later versions may add some.',
              examples: ['input.invalid'],
            },
            field: { type: 'string', description: 'The input to blame, such as `models` or `extra_ratios.cached`.' },
          },
        },
      },
    },
  };
}

function operation(endpoint: DeclaredEndpoint): DocumentSchema {
  const codes = refusalCodesOf(endpoint);
  const refusedWith200 = codes.filter((code) => statusOf[code] === 200);
  const body = schemaOf(endpoint.body, 'input');
  const data = schemaOf(endpoint.reply, 'output');
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: [audiences[endpoint.audience], exampleText(endpoint)]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    tags: [endpoint.path.split('/')[2] ?? 'api'],
    ...(endpoint.audience !== 'public' && endpoint.audience !== 'visitor' && { security: signedIn }),
    parameters: [
      ...parameters(endpoint.params, 'path'),
      ...parameters(endpoint.query, 'query'),
      ...(accountRoles[endpoint.name] ? [accountParameter(accountRoles[endpoint.name] ?? [])] : []),
    ],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: {
        description: refusedWith200.length === 0 ? 'Done.' : `Done, or refused. ${describeCodes(refusedWith200)}`,
        content:
          endpoint.file === undefined
            ? { 'application/json': { schema: replyOf(endpoint, data, refusedWith200.length > 0) } }
            : { [endpoint.file]: { schema: { type: 'string' } } },
      },
      ...refusalResponses(codes),
    },
  };
}

const webhookHeaders = {
  'webhook-id': 'The same at each attempt: recognise repetitions by it.',
  'webhook-timestamp': 'Unix seconds of this attempt. Refuse one that is five minutes from your clock.',
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, joined by dots. The key is the decoded part of the secret after `whsec_`.',
};

/** An event as a webhook of alerts gets it, signed by Standard Webhooks. */
function webhook(type: EventType): DocumentSchema {
  const body = z.object({
    type: z.literal(type),
    version: z.literal(EVENT_VERSION),
    timestamp: z.string(),
    data: eventData[type],
  });
  return {
    operationId: `event_${type.replace('.', '_')}`,
    summary: `Event ${type}, delivered at least once, in order per object`,
    tags: ['event'],
    parameters: Object.entries(webhookHeaders).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'output') } } },
    responses: {
      '2XX': { description: 'Taken.' },
      410: { description: 'Send no more: the alert is switched off.' },
      default: {
        description: 'Sent again: after 5 s, 5 min, 30 min and so on for three days; incidents for some hours.',
      },
    },
  };
}

/** The only reply without the envelope: OpenAI's list format. */
function knownModels(): DocumentSchema {
  const list = z.object({ object: z.literal('list'), data: z.array(knownModel) });
  return {
    operationId: 'channelKnownModels',
    summary: 'Models that have a price, as OpenAI lists models: without the envelope',
    description: audiences.admin,
    tags: ['channel'],
    security: signedIn,
    parameters: [],
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: schemaOf(list, 'output') } } },
      ...refusalResponses([...anywhere, 'session.none', 'session.role']),
    },
  };
}

/** Endpoints that can also reply without the envelope, for old clients. */
const alsoBare: ReadonlySet<string> = new Set(['priceList']);

function replyOf(
  { name, reply }: DeclaredEndpoint,
  data: DocumentSchema | undefined,
  orRefusal: boolean,
): DocumentSchema {
  const envelope = envelopeOf(data, { orRefusal, mayLackData: reply._zod.def.type === 'optional' });
  return alsoBare.has(name) ? { anyOf: [envelope, data] } : envelope;
}

/** The envelope of a reply. Old endpoints also refuse with status 200. */
function envelopeOf(
  data: DocumentSchema | undefined,
  { orRefusal, mayLackData }: { orRefusal: boolean; mayLackData: boolean },
): DocumentSchema {
  const done = {
    type: 'object',
    required: ['success', 'message', ...(data && !mayLackData ? ['data'] : [])],
    properties: {
      success: { const: true },
      message: { type: 'string' },
      ...(data && { data }),
      warnings: { $ref: '#/components/schemas/Warnings' },
    },
  };
  return orRefusal ? { oneOf: [done, { $ref: '#/components/schemas/Refusal' }] } : done;
}

/** The header by which a member of a team acts for its account. */
const accountParameter = (roles: readonly TeamRole[]): DocumentSchema => ({
  name: accountHeader,
  in: 'header',
  required: false,
  description: `Id of a team whose account the call is about, instead of your own. Roles: ${roles.join(', ')}.`,
  schema: { type: 'integer', minimum: 1 },
});

function parameters(schema: z.ZodMiniType, where: 'path' | 'query'): DocumentSchema[] {
  const object = schemaOf(schema, 'input');
  const required = new Set(object?.required);
  return Object.entries(object?.properties ?? {}).map(([name, type]) => ({
    name,
    in: where,
    required: where === 'path' || required.has(name),
    schema: type,
  }));
}

function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output') {
  if (schema._zod.def.type === 'undefined') return undefined;
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => documentRules(zodSchema, jsonSchema),
  });
  return json;
}
