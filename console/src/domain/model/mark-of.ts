import { markNames } from '#ui/basic/mark-names.ts';

/** Marks by the beginning of model names. */
const byModel: readonly (readonly [RegExp, string])[] = [
  [/^(chat)?gpt|^o\d|^text-embedding-(3|ada)|^dall-e|^whisper|^tts-|^sora|^omni-/, 'openai'],
  [/^gemini|^gemma|^imagen|^veo/, 'gemini'],
  [/^qw(en|q)|^wanx?\d/, 'qwen'],
  [/^(chat)?glm|^cogv/, 'zhipu'],
  [/^llama/, 'meta'],
  [/^(mi[sx]|mini|code|dev|magi|pix|vox)tral|^codestral/, 'mistral'],
  [/^kimi/, 'moonshot'],
  [/^abab/, 'minimax'],
  [/^ernie/, 'wenxin'],
  [/^command|^embed-|^rerank-/, 'cohere'],
  [/^sonar/, 'perplexity'],
  [/^stable|^sd3/, 'stability'],
  [/^seed(ance|ream)/, 'doubao'],
  [/^(deepseek|claude|grok|hunyuan|spark|moonshot|minimax|doubao|baichuan|jina|flux|kling|vidu|ideogram|yi)\b/, '$1'],
];

/** The mark of an owner by its name, or of a model by the beginning of its name; empty if unknown. */
export function markOf(name: string): string {
  const text = name.toLowerCase();
  const whole = text.replace(/[^a-z0-9]/g, '');
  if (markNames.has(whole)) return whole;
  const model = text.slice(text.lastIndexOf('/') + 1);
  for (const [start, mark] of byModel) {
    const found = start.exec(model);
    if (found) return mark === '$1' ? (found[1] ?? '') : mark;
  }
  return '';
}
