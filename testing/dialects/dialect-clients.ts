import type Anthropic from '@anthropic-ai/sdk';
import type { GoogleGenAI } from '@google/genai';
import type OpenAI from 'openai';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
export const toolNames = ['weather', 'time'];
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Schema of structured answers. */
export const answerSchema = {
  type: 'object' as const,
  properties: { answer: { type: 'number' as const } },
  required: ['answer'],
  additionalProperties: false,
};

/** An official client's result: the text, or the names of the called tools. */
export interface ClientAnswer {
  text: string;
  tools: string[];
}

/** An official client behind a common interface. */
export interface DialectClient {
  whole(model: string, text: string, tools?: boolean): Promise<ClientAnswer>;
  streamed(model: string, text: string, tools?: boolean): Promise<ClientAnswer>;
  image(model: string): Promise<ClientAnswer>;
  /** Requests an answer by `answerSchema`; its text. */
  structured(model: string): Promise<string>;
  refused(model: string): Promise<{ status: number; message: string }>;
  /** Undefined if the dialect has no embeddings. */
  embedding?(model: string): Promise<readonly number[]>;
}

export function openAiClient(client: OpenAI): DialectClient {
  const tools: OpenAI.ChatCompletionTool[] = toolNames.map((name) => ({
    type: 'function',
    function: { name, parameters: schema },
  }));
  const ask = (model: string, content: OpenAI.ChatCompletionUserMessageParam['content'], withTools = false) => ({
    model,
    messages: [{ role: 'user' as const, content }],
    ...(withTools && { tools }),
  });
  const read = async (params: OpenAI.ChatCompletionCreateParamsNonStreaming): Promise<ClientAnswer> => {
    const { choices } = await client.chat.completions.create(params);
    const message = choices[0]!.message;
    return {
      text: message.content ?? '',
      tools: (message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function.name : '')),
    };
  };
  return {
    whole: (model, text, withTools) => read(ask(model, text, withTools)),
    async streamed(model, text, withTools) {
      const stream = client.chat.completions.stream({ ...ask(model, text, withTools), stream: true });
      const message = (await stream.finalChatCompletion()).choices[0]!.message;
      return {
        text: message.content ?? '',
        tools: (message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function.name : '')),
      };
    },
    image: (model) => read(ask(model, [{ type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }])),
    async structured(model) {
      const format = {
        type: 'json_schema' as const,
        json_schema: { name: 'answer', schema: answerSchema, strict: true },
      };
      return (await read({ ...ask(model, 'How many?'), response_format: format })).text;
    },
    refused: (model) => refusal(client.chat.completions.create(ask(model, 'x'))),
    embedding: async (model) =>
      (await client.embeddings.create({ model, input: 'a', encoding_format: 'float' })).data[0]!.embedding,
  };
}

export function responsesClient(client: OpenAI): DialectClient {
  const tools: OpenAI.Responses.FunctionTool[] = toolNames.map((name) => ({
    type: 'function',
    name,
    parameters: schema,
    strict: false,
  }));
  const got = ({ output, output_text }: OpenAI.Responses.Response): ClientAnswer => ({
    text: output_text,
    tools: output.flatMap((item) => (item.type === 'function_call' ? [item.name] : [])),
  });
  return {
    whole: async (model, input, withTools) =>
      got(await client.responses.create({ model, input, ...(withTools && { tools }) })),
    async streamed(model, input, withTools) {
      const stream = client.responses.stream({ model, input, ...(withTools && { tools }) });
      return got(await stream.finalResponse());
    },
    image: async (model) =>
      got(
        await client.responses.create({
          model,
          input: [
            {
              role: 'user',
              content: [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' }],
            },
          ],
        }),
      ),
    async structured(model) {
      const format = { type: 'json_schema' as const, name: 'answer', schema: answerSchema, strict: true };
      return (await client.responses.create({ model, input: 'How many?', text: { format } })).output_text;
    },
    refused: (model) => refusal(client.responses.create({ model, input: 'x' })),
  };
}

export function anthropicClient(client: Anthropic): DialectClient {
  const tools: Anthropic.Tool[] = toolNames.map((name) => ({ name, input_schema: { ...schema, type: 'object' } }));
  const ask = (model: string, content: Anthropic.MessageParam['content'], withTools = false) => ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content }],
    ...(withTools && { tools }),
  });
  const got = ({ content }: Anthropic.Message): ClientAnswer => ({
    text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    tools: content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])),
  });
  return {
    whole: async (model, text, withTools) => got(await client.messages.create(ask(model, text, withTools))),
    streamed: async (model, text, withTools) =>
      got(await client.messages.stream(ask(model, text, withTools)).finalMessage()),
    image: async (model) =>
      got(
        await client.messages.create(
          ask(model, [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }]),
        ),
      ),
    async structured(model) {
      const format = { type: 'json_schema' as const, schema: answerSchema };
      return got(await client.messages.create({ ...ask(model, 'How many?'), output_config: { format } })).text;
    },
    refused: (model) => refusal(client.messages.create(ask(model, 'x'))),
  };
}

export function geminiClient(client: GoogleGenAI): DialectClient {
  const config = {
    tools: [{ functionDeclarations: toolNames.map((name) => ({ name, parametersJsonSchema: schema })) }],
  };
  const ask = (model: string, contents: string, withTools = false) => ({
    model,
    contents,
    ...(withTools && { config }),
  });
  return {
    async whole(model, text, withTools) {
      const reply = await client.models.generateContent(ask(model, text, withTools));
      return { text: reply.text ?? '', tools: (reply.functionCalls ?? []).map(({ name }) => name!) };
    },
    async streamed(model, text, withTools) {
      const got: ClientAnswer = { text: '', tools: [] };
      for await (const piece of await client.models.generateContentStream(ask(model, text, withTools))) {
        got.text += piece.text ?? '';
        got.tools.push(...(piece.functionCalls ?? []).map(({ name }) => name!));
      }
      return got;
    },
    async image(model) {
      const reply = await client.models.generateContent({
        model,
        contents: [{ inlineData: { mimeType: 'image/png', data: pixel } }],
      });
      return { text: reply.text ?? '', tools: [] };
    },
    async structured(model) {
      const inJson = { responseMimeType: 'application/json', responseJsonSchema: answerSchema };
      return (await client.models.generateContent({ model, contents: 'How many?', config: inJson })).text ?? '';
    },
    refused: (model) => refusal(client.models.generateContent(ask(model, 'x'))),
    embedding: async (model) => (await client.models.embedContent({ model, contents: 'a' })).embeddings![0]!.values!,
  };
}

/** A refusal as an official client reports it. */
export async function refusal(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call;
  } catch (error) {
    const { status, statusCode, message } = error as { status?: number; statusCode?: number; message: string };
    return { status: status ?? statusCode ?? 0, message };
  }
  throw new Error('it was not refused');
}
