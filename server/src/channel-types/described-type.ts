import type { ChannelType, PluginField } from '@relay-hub/contract';

/** A channel type of the product family as it is written down here: what is left out is the usual. */
export interface DescribedType {
  type: number;
  title: string;
  website?: string;
  /** Empty or absent: one has to be typed in, unless `address` is `none`. */
  baseUrl?: string;
  address?: ChannelType['address'];
  addressExample?: string;
  testModel?: string;
  testable?: boolean;
  mapsModels?: boolean;
  /** Ways to write a key; the names of its parts. */
  keyForms?: string[][];
  keyIsJson?: boolean;
  anyKey?: boolean;
  other?: { kind: NonNullable<ChannelType['other']>['kind']; fallback?: string; required?: boolean; example?: string };
  /** The model owner whose models it serves; the type's own number unless said. */
  owner?: number;
  models?: string;
  plugins?: ChannelType['plugins'];
}

type Field = Partial<PluginField> & Pick<PluginField, 'kind'>;

/** A plugin and what can be set in it, by name. */
export const plugin = (id: string, fields: Record<string, Field>): ChannelType['plugins'][number] => ({
  id,
  fields: Object.entries(fields).map(([name, field]) => ({
    name,
    fallback: '',
    choices: [],
    secret: false,
    required: false,
    ...field,
  })),
});

/** A plugin that is only on or off. */
export const onOff = (id: string): ChannelType['plugins'][number] => plugin(id, { enable: { kind: 'switch' } });

/** OpenAI's voices, each with the one that the provider speaks in its place. */
export const voices = (fallbacks: Record<string, string>): ChannelType['plugins'][number] =>
  plugin(
    'voice',
    Object.fromEntries(Object.entries(fallbacks).map(([name, fallback]) => [name, { kind: 'voice', fallback }])),
  );
