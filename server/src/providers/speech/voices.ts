import { field } from '../form.ts';
import { pluginText } from '../fixes.ts';
import type { Asked } from '../operation.ts';

/** OpenAI's voices, which operators map to the vendor's. */
export const openAiVoices = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'] as const;

export type VoiceMap = Readonly<Record<(typeof openAiVoices)[number], string>>;

export const voicePlugin = (defaults: VoiceMap) => ({
  id: 'voice',
  fields: openAiVoices.map((name) => field(name, 'voice', { fallback: defaults[name] })),
});

/** The vendor's voice, and the role or mood behind its `|`. Unknown names are passed through. */
export function voiceOf(
  asked: Pick<Asked, 'extras'>,
  wanted: string,
  defaults: VoiceMap,
): [voice: string, more: string] {
  const chosen = pluginText(asked, 'voice', wanted);
  const known = new Map<string, string>(Object.entries(defaults)).get(wanted);
  const [voice = '', more = ''] = (chosen || known || wanted).split('|');
  return [voice, more];
}
