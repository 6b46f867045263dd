export type Encoding = 'o200k_base' | 'cl100k_base';

const newer = /^(gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-5|gpt-oss|gpt-realtime|gpt-audio|o[134]\b|codex-|computer-use)/;
const older = /^(gpt-4|gpt-3\.5|text-embedding-(3|ada)|davinci-002|babbage-002)/;

/** A model's encoding; `own` is false for an approximation of another vendor's. */
export function encodingOf(model: string): { encoding: Encoding; own: boolean } {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(/^ft:/, '');
  if (newer.test(name)) return { encoding: 'o200k_base', own: true };
  return older.test(name) ? { encoding: 'cl100k_base', own: true } : { encoding: 'o200k_base', own: false };
}
