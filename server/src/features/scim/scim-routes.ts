import { scimApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOutage } from '#db/outage.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { ensureProved } from '#http/session/recent-proof.ts';
import { siteAddress } from '#http/site-address.ts';
import { errorText } from '#i18n/language.ts';
import { type Json, objectOr } from '#json.ts';
import * as connections from './scim-connections.ts';
import { ensureScim, ScimError } from './scim-error.ts';
import * as groups from './scim-groups.ts';
import { operationsIn, patch } from './scim-patch.ts';
import * as resources from './scim-resources.ts';
import type { ScimCall } from './scim-resources.ts';
import { errorResponse, resourceTypes, schemas, serviceProviderConfig } from './scim-schemas.ts';
import * as users from './scim-users.ts';

const prefix = '/scim/v2';
const endpoint = /^\/scim\/v2\/(ServiceProviderConfig|ResourceTypes|Schemas|(Users|Groups)(\/\d+)?)([?]|$)/;
const mediaType = 'application/scim+json; charset=utf-8';

/** Connections of identity providers for super administrators, and SCIM 2.0 itself. */
export async function scimRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const { db, now } = deps;
  const baseOf = (request: FastifyRequest) => siteAddress(deps, request.raw) + prefix;
  serve(app, deps, scimApi.list, () => connections.listConnections(db));
  serve(app, deps, scimApi.groups, () => connections.listGroups(db));
  serve(app, deps, scimApi.create, async ({ body }, { request }) => {
    await ensureProved(request, deps);
    return { ...(await connections.createConnection(db, body, now())), address: baseOf(request) };
  });
  serve(app, deps, scimApi.update, async ({ params: { id }, body }, { request }) => {
    await ensureProved(request, deps);
    return connections.updateConnection(db, id, body);
  });
  serve(app, deps, scimApi.rotate, async ({ params: { id } }, { request }) => {
    await ensureProved(request, deps);
    return { ...(await connections.rotateSecret(db, id)), address: baseOf(request) };
  });
  serve(app, deps, scimApi.remove, ({ params: { id } }) => connections.removeConnection(db, id));
  await app.register(async (scope) => protocolRoutes(scope, deps, baseOf));
}

type Answer = (call: ScimCall, id: number) => Promise<Json | undefined>;

function protocolRoutes(scope: FastifyInstance, deps: Deps, baseOf: (request: FastifyRequest) => string): void {
  scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, deps));
  const on = (method: string, path: string, answer: Answer): void => {
    scope.route({
      method,
      url: prefix + path,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        const connection = await connections.connectionOf(request, deps);
        const call = { deps, connection, request, base: baseOf(request) };
        const { id } = objectOr(request.params);
        const resource = await answer(call, id === undefined ? 0 : resources.idOf(id)).catch(async (error: unknown) => {
          await noteRefusal(error, call);
          throw error;
        });
        return sendResource(resource, request, reply);
      },
    });
  };
  const list = (items: readonly Json[]): Json => resources.listReply(items, items.length, 0);
  const one = (items: readonly Json[], request: FastifyRequest): Json => {
    const { name } = objectOr(request.params);
    const found = items.find(({ id }) => id === name);
    ensureScim(found, 404, 'The resource does not exist.');
    return found;
  };
  on('GET', '/ServiceProviderConfig', async ({ base }) => serviceProviderConfig(base));
  on('GET', '/ResourceTypes', async ({ base }) => list(resourceTypes(base)));
  on('GET', '/ResourceTypes/:name', async ({ base, request }) => one(resourceTypes(base), request));
  on('GET', '/Schemas', async ({ base }) => list(schemas(base)));
  on('GET', '/Schemas/:name', async ({ base, request }) => one(schemas(base), request));

  const query = ({ request }: ScimCall) => resources.readQuery(request.query);
  on('GET', '/Users', (call) => users.listUsers(call, query(call)));
  on('POST', '/Users', (call) => users.createUser(call, call.request.body));
  on('GET', '/Users/:id', async (call, id) => resources.chosen(await users.getUser(call, id), query(call)));
  on('PUT', '/Users/:id', (call, id) => users.replaceUser(call, id, call.request.body));
  on('PATCH', '/Users/:id', async (call, id) => {
    const operations = operationsIn(call.request.body);
    return users.changeUser(call, id, (document) => {
      patch(document, operations);
      return document;
    });
  });
  on('DELETE', '/Users/:id', (call, id) => users.removeUser(call, id).then(() => undefined));
  on('GET', '/Groups', (call) => groups.listGroups(call, query(call)));
  on('POST', '/Groups', (call) => groups.createGroup(call, call.request.body));
  on('GET', '/Groups/:id', async (call, id) => resources.chosen(await groups.getGroup(call, id), query(call)));
  on('PUT', '/Groups/:id', (call, id) => groups.replaceGroup(call, id, call.request.body));
  on('PATCH', '/Groups/:id', async (call, id) => groups.patchGroup(call, id, operationsIn(call.request.body)));
  on('DELETE', '/Groups/:id', (call, id) => groups.removeGroup(call, id).then(() => undefined));
  for (const url of ['/scim', '/scim/*'])
    scope.all(url, async (request) => {
      ensureScim(!endpoint.test(request.url), 405, 'The endpoint does not have this method.');
      throw new ScimError(404, 'SCIM 2.0 is at /scim/v2, with Users and Groups.');
    });
}

function sendResource(resource: Json | undefined, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!resource) return reply.status(204).send();
  const { version, location } = objectOr(resource['meta']);
  if (typeof version === 'string') {
    void reply.header('etag', version);
    if (request.method === 'GET' && request.headers['if-none-match'] === version) return reply.status(304).send();
  }
  const isNew = request.method === 'POST';
  if (isNew && typeof location === 'string') void reply.header('location', location);
  return reply
    .status(isNew ? 201 : 200)
    .type(mediaType)
    .send(resource);
}

/** In the form of RFC 7644, section 3.12. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, deps: Deps): FastifyReply {
  const refusal = refusalOf(error);
  if (refusal.status >= 500)
    deps.log.error({ err: error, method: request.method, path: request.routeOptions.url }, 'SCIM request failed');
  if (refusal.status === 401) void reply.header('www-authenticate', 'Bearer');
  if (error instanceof AppError && error.code === 'request.too_many')
    void reply.header('retry-after', String(error.values['seconds'] ?? 60));
  return reply
    .status(refusal.status)
    .type(mediaType)
    .send({
      schemas: [errorResponse],
      status: String(refusal.status),
      ...(refusal.scimType && { scimType: refusal.scimType }),
      detail: refusal.message,
    });
}

function refusalOf(error: unknown): ScimError {
  if (error instanceof ScimError) return error;
  if (error instanceof AppError) return new ScimError(error.status, errorText(error, 'en_US'));
  const { statusCode } = objectOr(error);
  if (statusCode === 400 || statusCode === 415 || statusCode === 413)
    return new ScimError(
      statusCode,
      'The body is not JSON of an accepted media type.',
      statusCode === 400 ? 'invalidSyntax' : undefined,
    );
  return isOutage(error)
    ? new ScimError(503, 'The database is away; try again.')
    : new ScimError(500, 'The request failed.');
}

/** Attempts at administrators are in the audit log, too. */
async function noteRefusal(error: unknown, call: ScimCall): Promise<void> {
  if (!(error instanceof ScimError) || error.status !== 403) return;
  const { id } = objectOr(call.request.params);
  const refused = { status: 403, code: 'user.rank' } as const;
  const change = { kind: 'user', id: Number(id ?? 0), name: '', before: null, after: null, refused } as const;
  await resources.noteChange(call.deps.db, call, change);
}
