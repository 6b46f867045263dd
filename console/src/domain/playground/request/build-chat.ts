import { hintsOf, reasoningStyle } from '#domain/playground/model-hints.ts';
import type { Attachment, Settings } from '#domain/playground/playground-types.ts';
import { dataUrl, fileAsText, given, isAudio, isImage, isPlainText, type Turn } from './chat-turns.ts';
import { nonEmpty, readTools, stopsOf } from './json-settings.ts';

/** A Chat Completions body. https://platform.openai.com/docs/api-reference/chat/create */
export function buildChat(model: string, settings: Settings, turns: readonly Turn[]): Record<string, unknown> {
  const limit = reasoningStyle(model) === 'openai' && !hintsOf(model).sampling ? 'max_completion_tokens' : 'max_tokens';
  return given({
    model,
    messages: [
      ...(settings.system === '' ? [] : [{ role: 'system', content: settings.system }]),
      ...turns.map(({ role, text, files }) => ({ role, content: files.length === 0 ? text : partsOf(text, files) })),
    ],
    [limit]: settings.maxTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    seed: settings.seed,
    stop: stopsOf(settings),
    reasoning_effort: settings.effort,
    tools: nonEmpty((readTools(settings.tools) ?? []).map((tool) => ({ type: 'function', function: tool }))),
    ...(settings.stream && { stream: true, stream_options: { include_usage: true } }),
  });
}

const partsOf = (text: string, files: readonly Attachment[]): object[] => [
  ...files.map((file) => {
    if (isImage(file)) return { type: 'image_url', image_url: { url: dataUrl(file) } };
    if (isAudio(file))
      return {
        type: 'input_audio',
        input_audio: { data: file.data, format: file.mime.includes('wav') ? 'wav' : 'mp3' },
      };
    if (isPlainText(file)) return { type: 'text', text: fileAsText(file) };
    return { type: 'file', file: { filename: file.name, file_data: dataUrl(file) } };
  }),
  ...(text === '' ? [] : [{ type: 'text', text }]),
];
