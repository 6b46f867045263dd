import type { ChannelType, PluginField } from '@relay-hub/contract';

/** A channel type of one-hub; absent members have defaults. */
export interface DescribedType {
  type: number;
  title: string;
  website?: string;
  /** Empty or absent: the channel must have one, unless `address` is `none`. */
  baseUrl?: string;
  address?: ChannelType['address'];
  addressExample?: string;
  testModel?: string;
  testable?: boolean;
  mapsModels?: boolean;
  /** Key formats, as names of their parts. */
  keyForms?: string[][];
  keyIsJson?: boolean;
  anyKey?: boolean;
  other?: { kind: NonNullable<ChannelType['other']>['kind']; fallback?: string; required?: boolean; example?: string };
  /** Model owner; default: the type's own number. */
  owner?: number;
  models?: string;
  plugins?: ChannelType['plugins'];
}

type Field = Partial<PluginField> & Pick<PluginField, 'kind'>;

/** A plugin with fields by name. */
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

/** A plugin with only a switch. */
export const onOff = (id: string): ChannelType['plugins'][number] => plugin(id, { enable: { kind: 'switch' } });

/** OpenAI's voices with their default equivalents. */
export const voices = (fallbacks: Record<string, string>): ChannelType['plugins'][number] =>
  plugin(
    'voice',
    Object.fromEntries(Object.entries(fallbacks).map(([name, fallback]) => [name, { kind: 'voice', fallback }])),
  );
