import * as z from 'zod/mini';

/** What the parameter `other` of a channel stands for, where its type has one. */
export const otherKinds = [
  'api_version',
  'region',
  'version',
  'plugin_header',
  'region_project',
  'project',
  'preview_or_latest',
] as const;

/** How a value of a plugin is entered. */
export const optionKinds = ['switch', 'text', 'longtext', 'choice', 'voice', 'path', 'json'] as const;

const pluginField = z.object({
  name: z.string(),
  kind: z.enum(optionKinds),
  /** What holds while nothing is entered. */
  fallback: z.string(),
  choices: z.array(z.string()),
  /** Goes in and does not come out. */
  secret: z.boolean(),
  required: z.boolean(),
});

/** What the form of a channel type asks for, so that the console needs no list of providers of its own. */
export const channelType = z.object({
  type: z.int(),
  title: z.string(),
  /** False: known, but no adapter serves it yet, so that no channel of it can be made. */
  supported: z.boolean(),
  /** Used when a channel has no address of its own; empty means that one must be typed in, unless `address` says none. */
  base_url: z.string(),
  /** `none`: the address follows from the key or the other parameter. */
  address: z.enum(['required', 'optional', 'none']),
  /** What an address looks like, where none is built in. */
  address_example: z.string(),
  key: z.object({
    /** Ways to write a key: the names of its parts, which `|` joins. One name: the key as it is. */
    forms: z.array(z.array(z.string())),
    /** The key is a JSON object, on one or several lines. */
    json: z.boolean(),
    /** The provider takes any text where it has no keys. */
    any: z.boolean(),
  }),
  /** Null where the type has no further parameter. */
  other: z.nullable(
    z.object({
      kind: z.enum(otherKinds),
      /** Taken when it is left empty; empty: it may stay empty, unless it is required. */
      fallback: z.string(),
      required: z.boolean(),
      example: z.string(),
    }),
  ),
  /** Whether its models can be renamed on the way. */
  maps_models: z.boolean(),
  test_model: z.string(),
  /** Whether a channel of it can be tested with a call. */
  testable: z.boolean(),
  /** Whether the provider can be asked for its models. */
  lists_models: z.boolean(),
  /** Whether the provider tells what is left on the account. */
  tells_balance: z.boolean(),
  /** Where the operator finds keys and bills; empty when there is no such page. */
  website: z.string(),
  /** Whose models it serves first of all: the owner's number in prices; 0: nobody's in particular. */
  owner: z.int(),
  /** Models of names of its own. */
  models: z.array(z.string()),
  plugins: z.array(z.object({ id: z.string(), fields: z.array(pluginField) })),
});
export type ChannelType = z.infer<typeof channelType>;
export type PluginField = z.infer<typeof pluginField>;
