import { noUsage, type Usage } from '@relay-hub/contract';
import { anthropicWire, geminiWire, openAiWire, responsesWire } from '#chat/codecs.ts';
import type { ProviderCall, Operation, ProviderWire } from '../operation.ts';
import type { Provider } from '../provider.ts';
import { type ChannelFixture, type ChatFixture, findFixture, needFixture } from './fixtures.ts';

export interface ChatCase {
  name: string;
  operation: Operation;
  fixture: ChatFixture;
}

/** A provider's chat operations with their fixtures. */
export function chatCases({ id, chat }: Provider): ChatCase[] {
  if (!chat) return [];
  const further = (chat.also ?? []).flatMap((operation) => {
    const name = `chat-${operation.dialect}` as const;
    const fixture = findFixture<'chat'>(id, name);
    return fixture ? [{ name, operation, fixture }] : [];
  });
  return [{ name: 'chat', operation: chat, fixture: needFixture<'chat'>(id, 'chat') }, ...further];
}

/** Non-chat operations by fixture name. */
export function otherOperations(provider: Provider): Record<string, Operation> {
  const { images = {}, chat } = provider;
  const named = {
    countTokens: provider.countTokens,
    completions: provider.completions,
    embeddings: provider.embeddings,
    generations: images.generations,
    edits: images.edits,
    variations: images.variations,
    tools: images.tools,
    speech: provider.speech,
    transcriptions: provider.transcriptions,
    translations: provider.translations,
    rerank: provider.rerank,
    moderations: provider.moderations,
    realtime: provider.realtime,
    raw: provider.raw,
    tasks: provider.tasks,
    ...Object.fromEntries(
      (provider.embeddings?.also ?? []).map((operation, i, all) => [
        `embeddings in ${operation.dialect}${nth(all.slice(0, i), operation)}`,
        operation,
      ]),
    ),
    ...Object.fromEntries(
      (chat?.also ?? [])
        .filter(({ dialect }) => !findFixture(provider.id, `chat-${dialect}`))
        .map((operation) => [`chat in ${operation.dialect}`, operation]),
    ),
  };
  return Object.fromEntries(Object.entries(named).filter((pair): pair is [string, Operation] => pair[1] !== undefined));
}

/** A suffix for further operations of the same dialect. */
function nth(before: readonly Operation[], { dialect }: Operation): string {
  const alike = before.filter((one) => one.dialect === dialect).length;
  return alike === 0 ? '' : ` (${alike + 1})`;
}

const wires: Record<string, ProviderWire> = {
  openai: openAiWire,
  responses: responsesWire,
  anthropic: anthropicWire,
  gemini: geminiWire,
};

export function wireOf({ wire, dialect }: Operation): ProviderWire {
  const found = wire ?? wires[dialect];
  if (!found) throw new Error(`nothing writes ${dialect}`);
  return found;
}

export const callOf = (
  provider: Provider,
  channel: ChannelFixture,
  more: Partial<ProviderCall> = {},
): ProviderCall => ({
  baseUrl: channel.base_url ?? provider.baseUrl,
  key: channel.key,
  extras: { other: channel.other ?? '', plugin: channel.plugin ?? {} },
  token: channel.token,
  model: 'a-model',
  stream: false,
  ...more,
});

export const usageOf = (counts: Partial<Usage>): Usage => ({ ...noUsage, ...counts });
