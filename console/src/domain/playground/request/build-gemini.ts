import { reasoningStyle } from '#domain/playground/model-hints.ts';
import type { Settings } from '#domain/playground/playground-types.ts';
import { fileAsText, given, isPlainText, type Turn } from './chat-turns.ts';
import { nonEmpty, readTools, stopsOf } from './json-settings.ts';

const budgets: Record<string, number> = { none: 0, low: 1024, medium: 8192, high: 24_576 };

/** A generateContent body. https://ai.google.dev/api/generate-content */
export function buildGemini(model: string, settings: Settings, turns: readonly Turn[]): Record<string, unknown> {
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
export const geminiPath = (model: string, stream: boolean): string =>
  `/gemini/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
