import * as z from 'zod/mini';

/** Meaning of a channel's `other` parameter, by type. */
export const otherKinds = [
  'api_version',
  'region',
  'version',
  'plugin_header',
  'region_project',
  'project',
  'preview_or_latest',
] as const;

/** Input types of plugin fields. */
export const optionKinds = ['switch', 'text', 'longtext', 'choice', 'voice', 'path', 'json'] as const;

const pluginField = z.object({
  name: z.string(),
  kind: z.enum(optionKinds),
  /** Default if empty. */
  fallback: z.string(),
  choices: z.array(z.string()),
  /** Write-only. */
  secret: z.boolean(),
  required: z.boolean(),
});

/** Form description of a channel type; the console has no list of providers. */
export const channelType = z.object({
  type: z.int(),
  title: z.string(),
  /** Name of the type's mark in the console, which shows the title's initial if it has none. */
  mark: z.string(),
  /** False: known, but without an adapter, so channels cannot be created. */
  supported: z.boolean(),
  /** Default base URL; if empty, a channel needs one unless `address` is `none`. */
  base_url: z.string(),
  /** `none`: derived from the key or the `other` parameter. */
  address: z.enum(['required', 'optional', 'none']),
  /** Example of a base URL, if there is no default. */
  address_example: z.string(),
  key: z.object({
    /** Key formats: the names of the parts, joined by `|`. One name: a plain key. */
    forms: z.array(z.array(z.string())),
    /** The key is a JSON object, possibly multi-line. */
    json: z.boolean(),
    /** The provider accepts any text if it uses no keys. */
    any: z.boolean(),
  }),
  /** Null if the type has no such parameter. */
  other: z.nullable(
    z.object({
      kind: z.enum(otherKinds),
      /** Default if empty. */
      fallback: z.string(),
      required: z.boolean(),
      example: z.string(),
    }),
  ),
  /** Whether it supports model mapping. */
  maps_models: z.boolean(),
  test_model: z.string(),
  /** Whether channels can be tested with a call. */
  testable: z.boolean(),
  /** Whether the provider lists its models. */
  lists_models: z.boolean(),
  /** Whether the provider reports the account balance. */
  tells_balance: z.boolean(),
  /** Page for keys and billing; empty if none. */
  website: z.string(),
  /** Main model owner; 0: none. */
  owner: z.int(),
  /** Built-in model names. */
  models: z.array(z.string()),
  plugins: z.array(z.object({ id: z.string(), fields: z.array(pluginField) })),
});
export type ChannelType = z.infer<typeof channelType>;
export type PluginField = z.infer<typeof pluginField>;
