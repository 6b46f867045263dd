import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf } from '../list.ts';
import { idParam, issuerAddress, seconds, text } from '../values.ts';

const key = z.string().check(z.trim(), z.minLength(1), z.maxLength(100));
const value = z.string().check(z.trim(), z.maxLength(200_000));

/** A setting, with values as texts. */
export const option = z.object({
  key: z.string(),
  /** Empty for a secret. */
  value: z.string(),
  default_value: z.string(),
  /** Stored encrypted and never returned; see `is_set`. */
  secret: z.boolean(),
  /** Stored; otherwise the default applies. */
  is_set: z.boolean(),
  /** 0 if never changed. */
  changed_time: seconds,
  /** Last editor; empty if none. */
  changed_by: z.string(),
});
export type Option = z.infer<typeof option>;

/** A change of a setting. Null is the default; for secrets, only whether one was set is stored. */
export const optionChange = z.object({
  id: z.int(),
  key: z.string(),
  secret: z.boolean(),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  actor_id: z.int(),
  actor: z.string(),
  created_time: seconds,
});
export type OptionChange = z.infer<typeof optionChange>;

const release = z.object({
  version: z.string(),
  /** As reported by the source; empty if absent. */
  published_at: z.string(),
  notes: z.string(),
  /** A web address, or empty. */
  address: z.string(),
  newer: z.boolean(),
});

/** The running version and the releases of the configured source. */
export const updateCheck = z.object({
  running: z.string(),
  /** Empty: none configured. */
  source: z.string(),
  releases: z.array(release),
});
export type UpdateCheck = z.infer<typeof updateCheck>;

/** A version of the configured source that is newer than the running one; empty texts if there is none. */
export const newerVersion = z.object({
  version: z.string(),
  /** Page of the release: an http or https URL, or empty. */
  address: z.string(),
});
export type NewerVersion = z.infer<typeof newerVersion>;

/** The largest uploaded image for a setting. */
export const MOST_PICTURE_BYTES = 256 * 1024;

const LONGEST_DATA_ADDRESS = 100 + Math.ceil(MOST_PICTURE_BYTES / 3) * 4;

/** Members that a discovery document lacks for signing in here. */
export const oidcProblem = z.enum([
  'http',
  'issuer',
  'any_tenant',
  'endpoint',
  'flow',
  'client_auth',
  'scopes',
  'claims',
]);
export type OidcProblem = z.infer<typeof oidcProblem>;

/** An issuer as its discovery document describes it. */
export const oidcCheck = z.object({
  /** Address of the document. */
  document: z.string(),
  issuer: z.string(),
  endpoints: z.array(z.object({ name: z.enum(['authorization', 'token', 'userinfo', 'jwks']), address: z.string() })),
  findings: z.array(
    z.object({
      problem: oidcProblem,
      /** Signing in fails. */
      blocking: z.boolean(),
      /** The issuer, endpoint, scopes or claims concerned. */
      detail: z.string(),
    }),
  ),
});
export type OidcCheck = z.infer<typeof oidcCheck>;

export const optionSchemas = {
  list: {
    audience: 'root',
    summary: 'List settings as texts; for secrets, only whether one is set',
    reply: z.array(option),
  },
  set: {
    audience: 'root',
    summary: 'Update a setting; an empty text keeps a secret',
    body: z.object({ key, value }),
  },
  setMany: {
    audience: 'root',
    summary: 'Update several settings, all or none; null restores the default and deletes a secret',
    body: z.object({ values: z.record(key, z.nullable(value)) }),
  },
  allowAddress: {
    audience: 'root',
    summary: 'Allow connections to the private networks an address resolves to',
    /** User and password are removed, because the audit log stores the input. */
    body: z.object({
      address: text(500, 1).check(z.overwrite((address) => address.replace(/\/\/[^/]*@/, '//'))),
    }),
    /** Networks added to the setting `OutboundPrivateNetworks`. */
    reply: z.object({ networks: z.array(z.string()) }),
  },
  history: {
    audience: 'root',
    summary: 'List the changes of settings',
    /** Comma-separated keys; empty: all. */
    query: z.extend(listQuery(['id', 'key', 'created_time']), {
      key: z._default(z.string().check(z.maxLength(5000)), ''),
    }),
    reply: pageOf(optionChange),
  },
  restore: {
    audience: 'root',
    summary: 'Restore a setting to its value before a change',
    params: z.object({ id: idParam }),
  },
  testMail: {
    audience: 'root',
    summary: 'Send a test mail with the stored settings',
    body: z.object({ to: text(320, 3).check(z.regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/, { error: 'user.email' })) }),
  },
  addPicture: {
    audience: 'root',
    summary: 'Store a PNG, JPEG or WebP image of up to 256 KiB; the reply is an address for a setting such as the logo',
    body: z.object({
      /** A `data:` address; the bytes decide the type. */
      data: z
        .string()
        .check(
          z.maxLength(LONGEST_DATA_ADDRESS),
          z.regex(/^data:[\w/+.-]{0,60};base64,[A-Za-z0-9+/]+={0,2}$/, { error: 'picture.data' }),
        ),
    }),
    reply: z.object({ address: z.string() }),
  },
  checkOidc: {
    audience: 'root',
    summary: 'Fetch the discovery document of an OpenID Connect issuer, without credentials, and check it',
    body: z.object({
      issuer: issuerAddress.check(z.minLength(1)),
      /** Comma-separated, as in the settings. */
      scopes: text(1000),
      claims: text(500),
    }),
    reply: oidcCheck,
  },
  checkUpdate: {
    audience: 'root',
    summary: 'Check the configured source for new versions',
    reply: updateCheck,
  },
  newerVersion: {
    audience: 'admin',
    summary: 'A newer version at the configured source, which is read at most once a day',
    reply: newerVersion,
  },
} as const satisfies SchemasByEndpoint;
