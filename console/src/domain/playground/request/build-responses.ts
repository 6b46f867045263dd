import type { Attachment, Settings } from '#domain/playground/playground-types.ts';
import { dataUrl, fileAsText, given, isAudio, isImage, isPlainText, type Turn } from './chat-turns.ts';
import { nonEmpty, readTools } from './json-settings.ts';

/** A Responses body. https://platform.openai.com/docs/api-reference/responses/create */
export function buildResponses(model: string, settings: Settings, turns: readonly Turn[]): Record<string, unknown> {
  return given({
    model,
    instructions: settings.system,
    input: turns.map(({ role, text, files }) => ({ role, content: files.length === 0 ? text : partsOf(text, files) })),
    max_output_tokens: settings.maxTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    reasoning: settings.effort === '' ? undefined : { effort: settings.effort, summary: 'auto' },
    tools: nonEmpty((readTools(settings.tools) ?? []).map((tool) => ({ type: 'function', ...tool }))),
    ...(settings.stream && { stream: true }),
  });
}

const partsOf = (text: string, files: readonly Attachment[]): object[] => [
  ...files.map((file) => {
    if (isImage(file)) return { type: 'input_image', image_url: dataUrl(file) };
    if (isAudio(file))
      return {
        type: 'input_audio',
        input_audio: { data: file.data, format: file.mime.includes('wav') ? 'wav' : 'mp3' },
      };
    if (isPlainText(file)) return { type: 'input_text', text: fileAsText(file) };
    return { type: 'input_file', filename: file.name, file_data: dataUrl(file) };
  }),
  ...(text === '' ? [] : [{ type: 'input_text', text }]),
];
