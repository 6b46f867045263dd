import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embed, generateText, jsonSchema, Output, streamText, tool, type ToolSet } from 'ai';
import { answerSchema, type DialectClient, pixel, refusal, toolNames } from './dialect-clients.ts';

/** The `ai` package through its provider for OpenAI-compatible APIs. */
export function aiClient(baseURL: string, apiKey: string): DialectClient {
  const provider = createOpenAICompatible({ name: 'relay-hub', baseURL, apiKey, supportsStructuredOutputs: true });
  const inputSchema = jsonSchema<{ city?: string }>({ type: 'object', properties: { city: { type: 'string' } } });
  const tools: ToolSet = Object.fromEntries(toolNames.map((name) => [name, tool({ inputSchema })]));
  const ask = (model: string, prompt: string, withTools = false) => ({
    model: provider.chatModel(model),
    prompt,
    maxRetries: 0,
    ...(withTools && { tools }),
  });
  const namesOf = (calls: readonly { toolName: string }[]) => calls.map(({ toolName }) => toolName);
  return {
    async whole(model, text, withTools) {
      const result = await generateText(ask(model, text, withTools));
      return { text: result.text, tools: namesOf(result.toolCalls) };
    },
    async streamed(model, text, withTools) {
      let failure: unknown;
      const result = streamText({ ...ask(model, text, withTools), onError: ({ error }) => void (failure = error) });
      let received = '';
      for await (const piece of result.textStream) received += piece;
      if (failure !== undefined) throw failure;
      return { text: received, tools: namesOf(await result.toolCalls) };
    },
    async image(model) {
      const image = { type: 'file' as const, mediaType: 'image/png', data: pixel };
      const { text } = await generateText({
        model: provider.chatModel(model),
        messages: [{ role: 'user', content: [image] }],
        maxRetries: 0,
      });
      return { text, tools: [] };
    },
    async structured(model) {
      const output = Output.object({ schema: jsonSchema<{ answer: number }>(answerSchema) });
      return JSON.stringify((await generateText({ ...ask(model, 'How many?'), output })).output);
    },
    refused: (model) => refusal(generateText(ask(model, 'x'))),
    embedding: async (model) =>
      (await embed({ model: provider.embeddingModel(model), value: 'a', maxRetries: 0 })).embedding,
  };
}
