import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, type LanguageModel, type ModelMessage, streamText, tool } from 'ai';
import { type AgentClient, type AgentPlace, citySchema, questions, temperature } from './agent-clients.ts';

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;

interface Provider {
  modelAt: (place: AgentPlace) => LanguageModel;
  /** Options that make the model reason. */
  options?: ProviderOptions;
}

const tools = {
  temperature: tool({
    description: 'The temperature in a city',
    inputSchema: jsonSchema<{ city: string }>(citySchema),
    execute: ({ city }) => temperature(city),
  }),
};

/** The Vercel AI SDK: the first answer takes two steps, and the history goes on with what the SDK made of them. */
const aiSdk =
  ({ modelAt, options = {} }: Provider, streams: boolean): AgentClient =>
  async (place) => {
    const base = { model: modelAt(place), tools, stopWhen: isStepCount(3), maxRetries: 0, providerOptions: options };
    const messages: ModelMessage[] = [];
    const ask = async (content: string): Promise<string> => {
      messages.push({ role: 'user', content });
      const answer = streams ? await streamed({ ...base, messages }) : await generateText({ ...base, messages });
      messages.push(...answer.responseMessages);
      return answer.text;
    };
    const looked = await ask(questions.look);
    return { looked, recalled: await ask(questions.recall) };
  };

async function streamed(settings: Parameters<typeof streamText>[0]) {
  let failure: unknown;
  const result = streamText({ ...settings, onError: ({ error }) => void (failure = error) });
  await result.consumeStream();
  if (failure !== undefined) throw failure;
  return { text: await result.text, responseMessages: await result.responseMessages };
}

/** `@ai-sdk/openai` as it comes: Responses, with answers kept by the server. */
const responses: Provider = {
  modelAt: ({ url, key, model }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key })(model),
  options: { openai: { reasoningSummary: 'auto', forceReasoning: true } },
};
const responsesUnstored: Provider = {
  ...responses,
  options: { openai: { ...responses.options!['openai'], store: false } },
};
const chat: Provider = {
  modelAt: ({ url, key, model }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat(model),
};
const anthropic: Provider = {
  modelAt: ({ url, key, model }) => createAnthropic({ baseURL: `${url}/claude/v1`, apiKey: key })(model),
  options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
};
const google: Provider = {
  modelAt: ({ url, key, model }) => createGoogleGenerativeAI({ baseURL: `${url}/gemini/v1beta`, apiKey: key })(model),
  options: { google: { thinkingConfig: { includeThoughts: true } } },
};
const compatible: Provider = {
  modelAt: ({ url, key, model }) =>
    createOpenAICompatible({ name: 'relay-hub', baseURL: `${url}/v1`, apiKey: key, includeUsage: true }).chatModel(
      model,
    ),
};

/** Every provider of the SDK, whole and as a stream. */
export const aiSdkClients: Record<string, AgentClient> = {
  'ai with @ai-sdk/openai, as it comes': aiSdk(responses, false),
  'ai with @ai-sdk/openai, as it comes, streamed': aiSdk(responses, true),
  'ai with @ai-sdk/openai, store off, streamed': aiSdk(responsesUnstored, true),
  'ai with @ai-sdk/openai, chat': aiSdk(chat, false),
  'ai with @ai-sdk/openai, chat, streamed': aiSdk(chat, true),
  'ai with @ai-sdk/anthropic': aiSdk(anthropic, false),
  'ai with @ai-sdk/anthropic, streamed': aiSdk(anthropic, true),
  'ai with @ai-sdk/google': aiSdk(google, false),
  'ai with @ai-sdk/google, streamed': aiSdk(google, true),
  'ai with @ai-sdk/openai-compatible': aiSdk(compatible, false),
  'ai with @ai-sdk/openai-compatible, streamed': aiSdk(compatible, true),
};
