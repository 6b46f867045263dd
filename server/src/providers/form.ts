import type { PluginField } from '@relay-hub/contract';
import type { ChannelForm } from './provider.ts';

/** A plugin's field in the channel form. */
export const field = (name: string, kind: PluginField['kind'], more: Partial<PluginField> = {}): PluginField => ({
  name,
  kind,
  fallback: '',
  choices: [],
  secret: false,
  required: false,
  ...more,
});

/** A plugin with only a switch. */
export const switched = (id: string): NonNullable<ChannelForm['plugins']>[number] => ({
  id,
  fields: [field('enable', 'switch')],
});

/** A key in one of these formats: parts joined by `|`. */
export const keyOf = (...forms: string[][]): NonNullable<ChannelForm['key']> => ({ forms, json: false, any: false });

/** Any key, because self-hosted servers may have none. */
export const anyKey: NonNullable<ChannelForm['key']> = { forms: [['key']], json: false, any: true };
