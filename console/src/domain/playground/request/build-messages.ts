import { reasoningStyle } from '#domain/playground/model-hints.ts';
import type { Attachment, Settings } from '#domain/playground/playground-types.ts';
import { fileAsText, given, isImage, isPlainText, type Turn } from './chat-turns.ts';
import { nonEmpty, readTools, stopsOf } from './json-settings.ts';

/** The dialect requires a limit. */
const DEFAULT_LIMIT = 4096;
const budgets: Record<string, number> = { low: 1024, medium: 4096, high: 16_384 };

/** A Messages body. https://docs.anthropic.com/en/api/messages */
export function buildMessages(model: string, settings: Settings, turns: readonly Turn[]): Record<string, unknown> {
  const reasoning = reasoningOf(model, settings.effort);
  const limit = settings.maxTokens ?? DEFAULT_LIMIT;
  return given({
    model,
    // The budget of reasoning is a part of the limit.
    max_tokens: reasoning.budget >= limit ? reasoning.budget + limit : limit,
    system: settings.system,
    messages: turns.map(({ role, text, files }) => ({
      role,
      content: files.length === 0 ? text : partsOf(text, files),
    })),
    temperature: settings.temperature,
    top_p: settings.topP,
    stop_sequences: stopsOf(settings),
    ...reasoning.fields,
    tools: nonEmpty(
      (readTools(settings.tools) ?? []).map(({ parameters, ...tool }) => ({
        ...tool,
        input_schema: parameters ?? { type: 'object', properties: {} },
      })),
    ),
    ...(settings.stream && { stream: true }),
  });
}

function reasoningOf(model: string, effort: string): { budget: number; fields: Record<string, unknown> } {
  if (effort === '') return { budget: 0, fields: {} };
  if (effort === 'none') return { budget: 0, fields: { thinking: { type: 'disabled' } } };
  if (reasoningStyle(model) === 'claude-budget') {
    const budget = budgets[effort] ?? 16_384;
    return { budget, fields: { thinking: { type: 'enabled', budget_tokens: budget } } };
  }
  return { budget: 0, fields: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort } } };
}

const partsOf = (text: string, files: readonly Attachment[]): object[] => [
  ...files.map((file) => {
    if (isPlainText(file)) return { type: 'text', text: fileAsText(file) };
    const source = { type: 'base64', media_type: file.mime, data: file.data };
    return { type: isImage(file) ? 'image' : 'document', source };
  }),
  ...(text === '' ? [] : [{ type: 'text', text }]),
];
