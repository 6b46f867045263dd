import { field } from '../form.ts';
import { pluginText } from '../fixes.ts';
import type { ProviderCall } from '../operation.ts';

/** OpenAI's voices, which operators map to the vendor's. */
export const openAiVoices = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'] as const;

export type VoiceMap = Readonly<Record<(typeof openAiVoices)[number], string>>;

export const voicePlugin = (defaults: VoiceMap) => ({
  id: 'voice',
  fields: openAiVoices.map((name) => field(name, 'voice', { fallback: defaults[name] })),
});

/** The vendor's voice, and the role or mood behind its `|`. Unknown names are passed through. */
export function voiceOf(
  call: Pick<ProviderCall, 'extras'>,
  name: string,
  defaults: VoiceMap,
): [voice: string, more: string] {
  const chosen = pluginText(call, 'voice', name);
  const known = new Map<string, string>(Object.entries(defaults)).get(name);
  const [voice = '', more = ''] = (chosen || known || name).split('|');
  return [voice, more];
}
