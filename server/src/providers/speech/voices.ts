import { field } from '../form.ts';
import { pluginText } from '../fixes.ts';
import type { Asked } from '../operation.ts';

/** OpenAI's voices, for which operators choose others where a vendor has its own. */
export const openAiVoices = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'] as const;

export type VoiceMap = Readonly<Record<(typeof openAiVoices)[number], string>>;

/** The form in which they are chosen. */
export const voicePlugin = (defaults: VoiceMap) => ({
  id: 'voice',
  fields: openAiVoices.map((name) => field(name, 'voice', { fallback: defaults[name] })),
});

/** The vendor's voice, and what stands behind its `|`: a role or a mood. Unknown names are the vendor's own. */
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
