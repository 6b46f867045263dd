import type { Attachment, Dialect, Round, SentRequest, Settings } from '#domain/playground/playground-types.ts';
import { reasoningStyle } from '#domain/playground/model-hints.ts';
import { buildChat } from './build-chat.ts';
import { buildMessages } from './build-messages.ts';
import { buildResponses } from './build-responses.ts';
import { fileAsText, given, isPlainText, type Turn, turnsOf } from './chat-turns.ts';
import { nonEmpty, readAdvanced, readTools, stopsOf } from './json-settings.ts';

const budgets: Record<string, number> = { none: 0, low: 1024, medium: 8192, high: 24_576 };

/** A generateContent body. https://ai.google.dev/api/generate-content */
function buildGemini(model: string, settings: Settings, turns: readonly Turn[]): Record<string, unknown> {
  const config = given({
    maxOutputTokens: settings.maxTokens,
    temperature: settings.temperature,
    topP: settings.topP,
    presencePenalty: settings.presencePenalty,
    frequencyPenalty: settings.frequencyPenalty,
    seed: settings.seed,
    stopSequences: stopsOf(settings),
    thinkingConfig: thinkingOf(model, settings.effort),
  });
  const tools = readTools(settings.tools) ?? [];
  return given({
    systemInstruction: settings.system === '' ? undefined : { parts: [{ text: settings.system }] },
    contents: turns.map(({ role, text, files }) => ({
      role: role === 'user' ? 'user' : 'model',
      parts: [
        ...files.map((file) =>
          isPlainText(file) ? { text: fileAsText(file) } : { inlineData: { mimeType: file.mime, data: file.data } },
        ),
        ...(text === '' ? [] : [{ text }]),
      ],
    })),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
    tools: nonEmpty(tools.length > 0 ? [{ functionDeclarations: tools }] : []),
  });
}

function thinkingOf(model: string, effort: string): object | undefined {
  if (effort === '') return undefined;
  if (reasoningStyle(model) === 'gemini-budget')
    return { thinkingBudget: budgets[effort] ?? -1, includeThoughts: effort !== 'none' };
  return { thinkingLevel: effort.toUpperCase(), includeThoughts: true };
}

/** The path, which names model and action. */
const geminiPath = (model: string, stream: boolean): string =>
  `/gemini/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;

type Body = Record<string, unknown>;
type Builder = (model: string, settings: Settings, turns: readonly Turn[]) => Body;

const builders: Record<Dialect, Builder> = {
  chat: buildChat,
  responses: buildResponses,
  messages: buildMessages,
  gemini: buildGemini,
};

const paths: Record<Exclude<Dialect, 'gemini'>, string> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** The request for the answer to the last round, as model number `lane` of the settings. */
export function buildRequest(settings: Settings, rounds: readonly Round[], lane: number): SentRequest {
  const model = settings.models[lane] ?? '';
  const last = rounds.at(-1);
  switch (settings.mode) {
    case 'image':
      return json('/v1/images/generations', settings, {
        model,
        prompt: last?.text ?? '',
        n: settings.count,
        size: settings.size,
      });
    case 'speech':
      return json('/v1/audio/speech', settings, { model, input: last?.text ?? '', voice: settings.voice });
    case 'video':
      return json('/v1/videos', settings, {
        model,
        prompt: last?.text ?? '',
        seconds: settings.seconds === null ? '' : String(settings.seconds),
        size: settings.size,
        ...(last?.files[0] && { input_reference: { image_url: dataUrl(last.files[0]) } }),
      });
    case 'music':
      return json('/suno/submit/music', settings, { mv: model, gpt_description_prompt: last?.text ?? '' });
    case 'transcription':
      return { path: '/v1/audio/transcriptions', form: transcriptionForm(model, last?.text ?? '', last?.files[0]) };
    case 'chat': {
      const { dialect, stream } = settings;
      const path = dialect === 'gemini' ? geminiPath(model, stream) : paths[dialect];
      return json(path, settings, builders[dialect](model, settings, turnsOf(rounds, lane)));
    }
  }
}

const dataUrl = ({ mime, data }: Attachment): string => `data:${mime};base64,${data}`;

/** Indented, because this text is both shown as code and sent. */
const json = (path: string, { advanced }: Settings, body: Body): SentRequest => ({
  path,
  body: JSON.stringify({ ...given(body), ...readAdvanced(advanced) }, null, 2),
});

function transcriptionForm(
  model: string,
  prompt: string,
  file: Attachment | undefined,
): NonNullable<SentRequest['form']> {
  return [
    ['file', { file: file?.name ?? '' }],
    ['model', model],
    ...(prompt === '' ? [] : [['prompt', prompt] as [string, string]]),
  ];
}
