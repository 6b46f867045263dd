import type { PluginField } from '@relay-hub/contract';
import type { ChannelForm } from './provider.ts';

/** A value of a plugin, as the channel form asks for it. */
export const field = (name: string, kind: PluginField['kind'], more: Partial<PluginField> = {}): PluginField => ({
  name,
  kind,
  fallback: '',
  choices: [],
  secret: false,
  required: false,
  ...more,
});

/** A plugin that is only switched on. */
export const switched = (id: string): NonNullable<ChannelForm['plugins']>[number] => ({
  id,
  fields: [field('enable', 'switch')],
});

/** A key in one of these forms: the names of its parts, which `|` joins. */
export const keyOf = (...forms: string[][]): NonNullable<ChannelForm['key']> => ({ forms, json: false, any: false });

/** A key that may be anything, because servers of one's own have none. */
export const anyKey: NonNullable<ChannelForm['key']> = { forms: [['key']], json: false, any: true };
