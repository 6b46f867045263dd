import { role } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { onOneDatabase } from '#testing/databases.ts';
import { allEndpoints, type DeclaredEndpoint } from '@relay-hub/contract/registry';
import { anyPath } from '#testing/endpoints.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

/** Fields that would raise privileges or change ownership. */
const privileged = ['id', 'role', 'status', 'group', 'quota', 'inviter_id', 'user_id', 'owner', 'actor_id', 'held']
  .concat(['used_quota', 'request_count', 'created_time', 'deleted_time', 'last_login_time', 'redeemed_user_id'])
  .concat(['access_token', 'access_token_hash', 'password_hash', 'key_hash', 'key_cipher', 'balance_after', 'kind']);

/** Endpoints where such a field is the purpose of the call. */
const meant: Record<string, string[]> = {
  // The current role and status may be sent; changes are refused, see `user-admin.test.ts`.
  'POST /api/user/': ['group', 'quota', 'role', 'status'],
  'PUT /api/user/': ['id', 'group', 'role', 'status'],
  'POST /api/user/manage': ['id'],
  'POST /api/user/quota/:id': ['quota'],
  'PUT /api/user_group/': ['id'],
  'POST /api/way/': ['kind'],
  'PUT /api/way/': ['id'],
  'POST /api/books/usage_exports': ['kind'],
  'POST /api/announcement/': ['kind'],
  'PUT /api/announcement/': ['id', 'kind'],
  'PUT /api/block/': ['id'],
  'PUT /api/guard/': ['id'],
  'PUT /api/virtual_model/': ['id'],
  'POST /api/model_ownedby/': ['id'],
  'PUT /api/model_ownedby/': ['id'],
  'POST /api/option/telegram/': ['id'],
  // Roles within the team; `team.test.ts` has who may give them.
  'PUT /api/team/:id/members/:user': ['role'],
  'POST /api/team/:id/invites': ['role'],
  'POST /api/team/:id/owner': ['user_id'],
  'PUT /api/team/:id/limits': ['user_id'],
  'POST /api/team/:id/tokens/:token/holder': ['user_id'],
  'PUT /api/team/all/:id': ['group', 'status'],
  'PUT /api/team/all/:id/owner': ['user_id'],
  // Of administrators only, for accounts of lower roles.
  'POST /api/token/': ['group', 'user_id'],
  // The used quota is only compared.
  'PUT /api/token/': ['id', 'status', 'group', 'used_quota'],
  'PUT /api/token/all/:id': ['status', 'used_quota'],
  'POST /api/token/all/:id/transfer': ['user_id'],
  'POST /api/channel/': ['id', 'status', 'group'],
  'PUT /api/channel/': ['id', 'status', 'group'],
  'POST /api/channel/provider_models_list': ['id'],
  'POST /api/sse/channel/check': ['id'],
  'POST /api/channel/test': ['status', 'group'],
  'POST /api/channel/batch/preview': ['status', 'group'],
  'PUT /api/channel/batch': ['status', 'group'],
  'PUT /api/channel/:id/keys/:key': ['status'],
  'PUT /api/channel_tag/:tag': ['group'],
  'POST /api/route/explain': ['group'],
  'POST /api/prices/update/apply': ['id'],
  'POST /api/redemption/': ['quota'],
  'POST /api/plan/:id/subscriptions': ['user_id'],
  'PUT /api/redemption/': ['id', 'status', 'quota'],
  'PUT /api/payment/': ['id'],
  'POST /api/payment/order/:id/refund': ['quota'],
  'POST /api/user/self/passkeys': ['id'],
  'POST /api/user/login/passkey': ['id'],
  'POST /api/user/self/proof/passkey': ['id'],
};

interface Json {
  type?: string;
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: Json | boolean;
  items?: Json;
  anyOf?: Json[];
  enum?: unknown[];
  const?: unknown;
  minLength?: number;
  minimum?: number;
  minItems?: number;
}

const nameOf = ({ method, path }: DeclaredEndpoint): string => `${method} ${path}`;
const schemaOf = ({ body }: DeclaredEndpoint): Json =>
  z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Json; // the draft’s own words
const withBody = allEndpoints.filter(({ body }) => body._zod.def.type !== 'undefined');

/** Every subschema, including the schema itself. */
function* parts(schema: Json): Generator<Json> {
  yield schema;
  const { properties = {}, items, anyOf = [], additionalProperties: others } = schema;
  const below = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])];
  for (const part of typeof others === 'object' ? [...below, others] : below) yield* parts(part);
}

/** The smallest value that matches a schema, as far as this can be derived. */
function smallest(schema: Json): unknown {
  const { type, enum: values, anyOf, minLength = 0, minimum = 1, minItems = 0, items = {} } = schema;
  if (schema.const !== undefined) return schema.const;
  if (values) return values[0];
  if (anyOf) return smallest(anyOf[0] ?? {});
  if (type === 'object')
    return Object.fromEntries((schema.required ?? []).map((name) => [name, smallest(schema.properties?.[name] ?? {})]));
  if (type === 'array') return Array.from({ length: minItems }, () => smallest(items));
  if (type === 'boolean') return false;
  return type === 'string' ? 'x'.repeat(Math.max(1, minLength)) : Math.max(minimum, 1);
}

describe.each(withBody)('the body of $method $path', (endpoint) => {
  test('has no field that must not be written', () => {
    const names = [...parts(schemaOf(endpoint))].flatMap(({ properties = {} }) => Object.keys(properties));
    const found = [...new Set(names)].filter((name) => privileged.includes(name));
    const help = `If these are meant to be written, say so in \`meant\`: '${nameOf(endpoint)}': ${JSON.stringify(found)}`;
    expect(found.toSorted(), help).toEqual((meant[nameOf(endpoint)] ?? []).toSorted());
  });

  test('drops or refuses unknown fields', () => {
    for (const { properties, additionalProperties: others } of parts(schemaOf(endpoint))) {
      if (properties) expect(others ?? false).toBe(false);
    }
  });
});

test('the allowed fields are present', () => {
  expect(Object.keys(meant).filter((name) => !withBody.some((endpoint) => nameOf(endpoint) === name))).toEqual([]);
});

onOneDatabase('extra fields in a body', (make) => {
  const hub = hubForSuite(make);
  const people = new Map<string, TestPerson>();

  /** All accounts, without the columns that any request may change. */
  const accounts = () =>
    hub()
      .server.deps.db.selectFrom('users')
      .where('id', '<=', Math.max(...[...people.values()].map(({ id }) => id)))
      .select(['id', 'username', 'role', 'status', 'group', 'quota', 'held', 'used_quota', 'request_count', 'email'])
      .select(['created_time', 'password_hash', 'access_token_hash', 'deleted_time'])
      .orderBy('id')
      .execute();

  beforeAll(async () => {
    people.set('user', await addPerson(hub()));
    people.set('admin', await addPerson(hub(), { role: role.admin }));
  });

  describe.each(['user', 'admin'])('by %s', (who) => {
    test.each(withBody)('changes no account, and is told what was ignored: $method $path', async (endpoint) => {
      const { id, client } = people.get(who)!; // added above
      const before = await accounts();
      const planted = Object.fromEntries(
        privileged.filter((name) => !meant[nameOf(endpoint)]?.includes(name)).map((name) => [name, 1_000_000]),
      );
      const more = { id, user_id: 1, role: role.root, status: 2, group: 'svip', inviter_id: 1 };
      const named = Object.fromEntries(Object.entries(more).filter(([name]) => name in planted));
      const body = { ...(smallest(schemaOf(endpoint)) as object), ...planted, ...named };
      const { status, body: reply } = await client.send(endpoint.method, anyPath(endpoint), body);
      expect(status).toBeLessThan(500);
      if (reply.success) {
        const warned = reply.warnings?.map(({ field }) => field) ?? [];
        expect(Object.keys(planted)).toEqual(expect.arrayContaining(warned));
        expect(warned).toHaveLength(Math.min(20, Object.keys(planted).length));
      }
      expect(await accounts()).toEqual(before);
    });
  });
});
